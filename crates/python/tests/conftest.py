"""What tests share: a table of synthetic persons, a recipe for it, and the program where there is one."""

from __future__ import annotations

import csv
import os
import random
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

import velamen as vm

ROWS = 600
"""Records of the table."""


def records(number: int = ROWS) -> list[dict[str, Any]]:
    draw = random.Random(7)
    zips = ["10115", "10117", "20095", "20097", "80331"]
    return [
        {
            "age": draw.randint(20, 89),
            "sex": draw.choice("FM"),
            "zip": draw.choice(zips),
            "diagnosis": draw.choice(["I63", "J18", "E11", "C50"]),
        }
        for _ in range(number)
    ]


TOML = """\
[input]
path = "patients.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { interval = [5, 10, 20], min = 0, max = 99 }
[attributes.sex]
role = "quasi-identifier"
[attributes.zip]
role = "quasi-identifier"
hierarchy = { mask = "right", length = 5 }
[attributes.diagnosis]
role = "sensitive"
[[privacy]]
model = "k-anonymity"
k = 5
[method]
name = "h-ceiling"
adversary-limit = 1
h = 0.3
seed = 3
[output]
path = "by-program"
"""


RECIPE: dict[str, Any] = {
    **{key: section for key, section in tomllib.loads(TOML).items() if key not in ("input", "output")},
    "method": {"name": "optimal", "suppression-limit": 0.05, "seed": 3},
}
"""The same with another method, for tables in memory."""


@pytest.fixture
def recipe() -> vm.Recipe:
    return vm.Recipe(RECIPE)


@pytest.fixture
def table() -> Any:
    return vm.rows(records())


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """The table as a file, beside its recipe."""
    path = tmp_path / "patients.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["age", "sex", "zip", "diagnosis"])
        writer.writeheader()
        writer.writerows(records())
    (tmp_path / "recipe.toml").write_text(TOML)
    return path


@pytest.fixture(scope="session")
def program() -> str:
    """The command line; `VELAMEN` names it."""
    found = os.environ.get("VELAMEN") or shutil.which("velamen")
    if found is None:
        if os.environ.get("VELAMEN_TEST_ALL"):
            pytest.fail("VELAMEN names no program")
        pytest.skip("VELAMEN names no program to compare with")
    return found
