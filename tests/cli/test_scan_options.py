from __future__ import annotations

from datetime import datetime

import pytest

from spikedoc.cli.scan_options import moment, seconds
from spikedoc.errors import UsageError

NOW = 1_700_000_000.0


@pytest.mark.parametrize(
    ("text", "found"), [("90", 90), ("90s", 90), ("1.5m", 90), ("2H", 7200), (" 1d ", 86_400)]
)
def test_times(text: str, found: float) -> None:
    assert seconds(text, "--timeout") == found


@pytest.mark.parametrize("text", ["", "x", "-1", "0", "5y", "nan", "1e9"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="--timeout"):
        seconds(text, "--timeout")


def test_how_long_ago_and_dates() -> None:
    assert moment("7d", NOW) == NOW - 7 * 86_400
    assert moment("4w", NOW) == NOW - 28 * 86_400
    assert moment("2024-02-29", NOW) == datetime(2024, 2, 29).timestamp()
    assert moment("2024-02-29T12:00:00+00:00", NOW) == 1_709_208_000.0
    assert moment(None, NOW) is None
    assert seconds(None, "--timeout") is None


@pytest.mark.parametrize("text", ["", "7", "yesterday", "2024-13-01", "-3d", "99999999w9"])
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(UsageError, match="--since"):
        moment(text, NOW)
