"""The command that comes with the package is the program's command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import velamen as vm

MODULE = [sys.executable, "-m", "velamen"]
SCRIPT = [str(Path(sys.executable).parent / "velamen")]


def _run(command: list[str], *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *map(str, words)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", [MODULE, SCRIPT], ids=["module", "script"])
def test_it_is_there(command: list[str]) -> None:
    run = _run(command, "--version")
    assert (run.returncode, run.stdout.split()) == (0, ["velamen", vm.__version__])


def test_it_gives_the_bytes_of_the_program(patients: Path, program: str) -> None:
    folder = patients.parent
    for command, name in ((SCRIPT, "script"), ([program], "program")):
        run = _run(command, "anonymize", folder / "recipe.toml", "--quiet", "--output", folder / f"by-{name}")
        assert run.returncode == 0, run.stderr
    bytes_of = [{file.name: file.read_bytes() for file in (folder / f"by-{name}").iterdir()} for name in ("script", "program")]
    assert bytes_of[0] == bytes_of[1]
    assert _run(SCRIPT, "verify", folder / "by-program").returncode == 0


def test_a_wrong_call_has_the_exit_code_and_the_words_of_the_program(program: str, tmp_path: Path) -> None:
    for words in (["anonymise"], ["anonymize", tmp_path / "none.toml"], ["profile", "--rubbish"]):
        ours, theirs = _run(MODULE, *words), _run([program], *words)
        assert ours.returncode == theirs.returncode != 0
        assert ours.stderr == theirs.stderr and ours.stdout == theirs.stdout == ""
