from __future__ import annotations

import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("form", "measures", "verdict"),
    [
        (Form.WAVE, {"strength": 0.8, "period": 190.0, "cycles": 7.0}, YES),
        (Form.WAVE, {"strength": 0.3, "period": 190.0, "cycles": 7.0}, NO),
        (Form.NOISE, {"strength": 0.8, "period": 190.0}, NO),
        (Form.WAVE, {}, UNKNOWN),
    ],
)
def test_swing(ask, falling, form, measures, verdict) -> None:
    parts = {"loss": falling, "form": form, "measures": measures}
    assert ask("swings_steadily", Kind.OSCILLATION, 1, 1, 1000, **parts).verdict is verdict
    assert ask("swings_steadily", Kind.LEVEL_SHIFT, 1, 1, 1000, **parts).verdict is UNKNOWN
