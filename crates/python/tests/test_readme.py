"""The code of the package's page runs as it stands there."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest


def test_code_of_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {}
    for block in blocks:
        exec(block, scope)
    assert os.listdir() and "estimate" in capsys.readouterr().out
