"""The command line: ``python -m velamen``, and the command ``velamen`` that comes with the package."""

import sys

from ._velamen import command


def main() -> int:
    """Runs the command line with the words of the call, and gives its exit code."""
    return command(["velamen", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
