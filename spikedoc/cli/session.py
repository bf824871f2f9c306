"""What the commands of one call share: exit codes, and how a crash is told."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import Final

from spikedoc.cli.display import say

EXIT_FINE: Final = 0
EXIT_FOUND: Final = 1
EXIT_BAD_INPUT: Final = 2
EXIT_CRASHED: Final = 3


@dataclass
class Session:
    """State of one call of the program."""

    traceback: bool = False


def say_crash(error: Exception, session: Session) -> None:
    """Tell about a failure of spikedoc itself: one line, or the traceback when asked for."""
    if session.traceback:
        traceback.print_exception(error)
    advice = "please report it" if session.traceback else "run again with --traceback and report it"
    say(f"internal error: {type(error).__name__}: {error}; {advice}", fg="red")
