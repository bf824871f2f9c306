"""One line per thing that is wrong."""

from __future__ import annotations

from verdict_factory import FAILED, KNOWN, PASSED, UNKNOWN, ZH, render

from spikedoc.gate.formats.base import Options
from spikedoc.text import Language


def test_text() -> None:
    assert render("text", PASSED, FAILED).splitlines() == [
        "nightly: FAIL nonfinite/persistent:120 it broke",
        "nightly: likeliest cause SD401, see: spikedoc explain SD401",
        "nightly: ok",
    ]
    assert "失败 nonfinite/persistent:120 it broke。" in render("text", FAILED, options=ZH)
    assert "known" in render("text", KNOWN)
    assert "UNKNOWN" in render("text", UNKNOWN)
    assert "oscillation" in render("text", FAILED, options=Options(Language.EN, verbose=True))
