"""Runs the notebooks of the documentation; their cells hold the checks."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbclient
import nbformat

FOLDER = Path(__file__).parents[3] / "docs" / "notebooks"


def main() -> None:
    names = sorted(FOLDER.glob("*.ipynb"))
    if not names:
        sys.exit(f"{FOLDER} holds no notebook")
    for name in names:
        notebook = nbformat.read(name, as_version=4)
        if any(cell.get("outputs") for cell in notebook.cells):
            sys.exit(f"{name}: is stored with outputs; clear them")
        # What a notebook writes is left nowhere.
        with tempfile.TemporaryDirectory() as folder:
            os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
            nbclient.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": folder}}).execute()
        print(f"{name.name}: {len(notebook.cells)} cells")


if __name__ == "__main__":
    main()
