"""The toy operation of testsuite/tests/toys, in a wheel that has it: `check` puts its function beside the package's own."""

from __future__ import annotations

from typing import Any

import pytest

import velamen as vm

CELL = "Kanarienvogel"


def toy(*given: Any, **named: Any) -> Any:
    from velamen import _toy  # type: ignore[attr-defined]

    return _toy.toy(*given, **named)


def test_a_toy_operation_is_a_function() -> None:
    table = vm.rows([{"name": CELL, "age": 30}])
    counted = toy(table, times_each=3)
    assert counted.all_columns == 6
    assert counted.to_dict() == {"all-columns": 6}
    assert CELL not in repr(counted) and "6" not in repr(counted)
    with pytest.raises(vm.UsageError, match="^times_each: a wrong value; expected a whole number from 1 to 9$"):
        toy(table, times_each=10)


def test_its_docstring_describes_each_argument() -> None:
    from velamen import _toy  # type: ignore[attr-defined]

    assert "``times_each``: How often each column counts." in _toy.toy.__doc__
