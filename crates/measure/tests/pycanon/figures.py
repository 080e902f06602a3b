"""What pycanon says of a table, as JSON values; None where it raises an error or returns NaN."""

import math
import warnings

import pandas as pd
from pycanon import anonymity
from pycanon.anonymity.utils import aux_anonymity

VERSION = "1.3.6"


def read(path, delimiter=","):
    """All cells as text: an empty cell or "NA" is a value like any other."""
    return pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False)


def typed(table, numeric):
    """A copy with these columns as numbers."""
    return table.assign(**{name: pd.to_numeric(table[name]) for name in numeric})


def _plain(value):
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value


def _figure(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*arguments)
        except (ZeroDivisionError, ValueError, OverflowError, TypeError):
            return None
    return [_plain(one) for one in result] if isinstance(result, tuple) else _plain(result)


def of_attributes(table, qi, sensitive):
    """pycanon's figures with these sensitive attributes at once."""
    c, l = _figure(anonymity.recursive_c_l_diversity, table, qi, sensitive)
    return {
        "alpha": _figure(anonymity.alpha_k_anonymity, table, qi, sensitive)[0],
        "l": _figure(anonymity.l_diversity, table, qi, sensitive),
        "entropy-l": _figure(anonymity.entropy_l_diversity, table, qi, sensitive),
        "recursive-l": l,
        "recursive-c": c,
        "t": _figure(anonymity.t_closeness, table, qi, sensitive),
        "basic-beta": _figure(anonymity.basic_beta_likeness, table, qi, sensitive),
        "enhanced-beta": _figure(anonymity.enhanced_beta_likeness, table, qi, sensitive),
        "delta": _figure(anonymity.delta_disclosure, table, qi, sensitive),
    }


def of_table(table, qi, sensitive):
    """All figures, those of pycanon's two distances for every attribute whatever its type."""
    sizes = table.groupby(qi).size()
    return {
        "records": len(table),
        "classes": len(sizes),
        "least-class": int(sizes.min()),
        "mean-class": len(table) / len(sizes),
        "largest-class": int(sizes.max()),
        "k": anonymity.k_anonymity(table, qi),
        "sensitive": {
            one: {
                "values": int(table[one].nunique()),
                "t-equal": _figure(aux_anonymity.aux_t_closeness_str, table, qi, one),
                "t-ordered": _figure(aux_anonymity.aux_t_closeness_num, table, qi, one),
                "pycanon": of_attributes(table, qi, [one]),
            }
            for one in sensitive
        },
        "pycanon": of_attributes(table, qi, sensitive),
    }
