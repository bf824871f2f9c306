"""Every exception spikedoc raises on purpose.

SpikedocError
├── InputError      the log cannot be read, or holds nothing to judge (exit code 2)
├── UsageError      an option makes no sense (exit code 2)
├── CatalogError    a rule, label or alias file is malformed (exit code 2; a shipped one is a bug)
└── ReportError     a saved report cannot be read back (exit code 2)
"""

from __future__ import annotations

from pathlib import Path


class SpikedocError(Exception):
    """Base of all errors meant for the user; `str(error)` is one line."""


class InputError(SpikedocError):
    """A path that gives no run: says what, where, and what to do."""

    def __init__(self, path: Path | str, reason: str, hint: str = "") -> None:
        """Keep the parts so that a renderer can lay them out itself."""
        self.path = str(path)
        self.reason = reason
        self.hint = hint
        super().__init__(f"{self.path}: {reason}" + (f" ({hint})" if hint else ""))


class UsageError(SpikedocError):
    """An option or argument that cannot be followed."""


class CatalogError(SpikedocError):
    """A knowledge file (rule, label, alias) with a mistake: names file and key."""

    def __init__(self, source: Path | str, key: str, reason: str) -> None:
        """`key` is a dotted TOML key, empty when the file as a whole is meant."""
        self.source = str(source)
        self.key = key
        self.reason = reason
        where = f"{self.source}: {key}" if key else self.source
        super().__init__(f"{where}: {reason}")


class ReportError(SpikedocError):
    """A saved report that does not hold what `model.codec` writes."""
