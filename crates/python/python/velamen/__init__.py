"""Velamen: tables of persons in, certified releases out.

>>> import velamen as vm
>>> recipe = vm.Recipe({
...     "attributes": {"age": {"role": "quasi-identifier"}, "diagnosis": {"role": "sensitive"}},
...     "privacy": [{"model": "k-anonymity", "k": 2}],
...     "method": {"name": "optimal"},
... })
>>> release = vm.anonymize(vm.rows([{"age": 34, "diagnosis": "flu"}] * 4), recipe)
>>> release
<velamen.Release: 4 records in 1 class, certified>
>>> vm.verify(release).held
True

The manual is ``docs/python.md`` in the repository. Every function is a command of ``velamen`` with its name and options,
and gives what the command prints with ``--json``, as an object with attributes.
"""

from . import _operations, exceptions, hierarchy, methods, models, results
from ._operations import *
from .models import *
from ._velamen import VERSION as __version__
from ._velamen import Records
from .linked import LinkedRelease
from .exceptions import (
    DataError,
    FileError,
    Place,
    PromiseError,
    RecipeError,
    TooLargeError,
    UsageError,
    VelamenError,
    VelamenWarning,
)
from .functions import (
    anonymize,
    check,
    explain,
    new_keys,
    query,
    report,
    rows,
    schema,
    sign,
    synth,
    truthful,
)
from .recipe import Recipe
from .received import Received, read_release
from .release import Release

__all__ = [
    "DataError",
    "FileError",
    "LinkedRelease",
    "Place",
    "PromiseError",
    "Received",
    "Recipe",
    "RecipeError",
    "Records",
    "Release",
    "TooLargeError",
    "UsageError",
    "VelamenError",
    "VelamenWarning",
    "__version__",
    "anonymize",
    "check",
    "exceptions",
    "explain",
    "hierarchy",
    "methods",
    "models",
    "new_keys",
    "query",
    "read_release",
    "report",
    "results",
    "rows",
    "schema",
    "sign",
    "synth",
    "truthful",
]
# What is written from the operations and the schema stands in that module's list alone.
__all__ += _operations.__all__
__all__ += models.__all__


def __dir__() -> list[str]:
    """What completion offers: the modules behind these names are no part of the interface."""
    return __all__
