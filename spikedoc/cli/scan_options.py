"""Times as a user writes them: a date, or how long ago; how long something may take."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from spikedoc.errors import UsageError
from spikedoc.text import Text

_SPAN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\s*([smhdw]?)")
A_TIME: Final = Text("expected a time such as 90s, 10m or 2h", "应为一段时间，例如 90s、10m 或 2h")
A_MOMENT: Final = Text(
    "expected a date such as {example}, or a time such as 12h, 7d or 4w",
    "应为日期（例如 {example}），或一段时间（例如 12h、7d 或 4w）",
)
_SECONDS: Final = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def seconds(text: str | None, option: str) -> float | None:
    """Return the seconds in a time such as `90`, `90s`, `10m` or `2h`; None for none.

    Raises UsageError that names `option` for anything else, and for no time at all.
    """
    if text is None:
        return None
    match = _SPAN.fullmatch(text.strip().lower())
    found = float(match[1]) * _SECONDS[match[2]] if match is not None else 0.0
    if found <= 0.0:
        raise UsageError(A_TIME, at=f"{option} {text}")
    return found


def moment(text: str | None, now: float) -> float | None:
    """Return the seconds since 1970 of a date or of a time before `now`; None for none.

    A date without a zone is meant in the zone of this machine. Raises UsageError for anything else.
    """
    if text is None:
        return None
    match = _SPAN.fullmatch(text.strip().lower())
    if match is not None and match[2]:
        return now - float(match[1]) * _SECONDS[match[2]]
    try:
        return datetime.fromisoformat(text.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        example = datetime.fromtimestamp(now, UTC).date().isoformat()
        raise UsageError(A_MOMENT.fill({"example": example}), at=f"--since {text}") from None
