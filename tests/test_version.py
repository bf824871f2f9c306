"""The version is one that tools can compare."""

from __future__ import annotations

import re

from spikedoc.version import VERSION


def test_the_version_is_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", VERSION)
