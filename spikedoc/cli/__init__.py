"""The command line: the one place that prints, catches and exits."""

from spikedoc.cli.entry import main

__all__ = ["main"]
