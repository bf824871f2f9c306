"""An allowance, as a share or as an amount."""

from __future__ import annotations

import pytest

from spikedoc.errors import UsageError
from spikedoc.gate.change import Change, parse_change


@pytest.mark.parametrize(
    ("written", "beside", "allowed", "shown"),
    [
        ("3 %", 2.0, 0.06, "3 %"),
        ("2.5%", -2.0, 0.05, "2.5 %"),
        (" 10 ％ ", 2.0, 0.2, "10 %"),
        ("3 %", 0.0, 0.0, "3 %"),
        (0.5, 2.0, 0.5, "0.5"),
        (0, 2.0, 0.0, "0"),
    ],
)
def test_what_is_allowed(written: object, beside: float, allowed: float, shown: str) -> None:
    found = parse_change(written, "x")
    assert found.of(beside) == pytest.approx(allowed)
    assert str(found) == shown


def test_a_share_is_of_the_size() -> None:
    assert Change(50.0, is_percent=True).of(-4.0) == 2.0


@pytest.mark.parametrize(
    "written",
    [
        "3",
        "-3 %",
        "3 % more",
        "",
        -1,
        True,
        None,
        [],
        float("nan"),
        float("inf"),
        10**400,
        "9" * 400 + " %",
    ],
)
def test_what_is_none(written: object) -> None:
    with pytest.raises(UsageError, match=r"^x: expected "):
        parse_change(written, "x")
