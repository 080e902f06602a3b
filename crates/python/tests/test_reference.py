"""The page of the site that is made of the docstrings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import velamen as vm


def page() -> str:
    program = Path(__file__).parents[1] / "reference.py"
    return subprocess.run([sys.executable, program], check=True, capture_output=True, text=True).stdout


def test_the_page_has_every_public_name() -> None:
    text = page()
    modules = {"exceptions", "hierarchy", "methods", "models", "results", "__version__"}
    places = [line.removeprefix("### ").rpartition(".") for line in text.splitlines() if line.startswith("### ")]
    shown = [name for _, _, name in places]
    assert set(vm.__all__) - modules <= set(shown)
    assert len({".".join(place) for place in places}) == len(places), "no name stands twice"
    for module in (vm.hierarchy, vm.methods, vm.results):
        assert set(module.__all__) <= set(shown), module.__name__


def test_code_ends_where_it_ends() -> None:
    fences = [line for line in page().splitlines() if line.startswith("```")]
    assert fences[::2] == ["```python"] * (len(fences) // 2) and fences[1::2] == ["```"] * (len(fences) // 2)
