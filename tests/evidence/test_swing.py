from __future__ import annotations

import numpy as np
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
        # Of a few steps it may be the optimizer's own.
        (Form.WAVE, {"strength": 0.8, "period": 4.83, "cycles": 200.0}, UNKNOWN),
    ],
)
def test_swing(ask, falling, form, measures, verdict) -> None:
    parts = {"loss": falling, "form": form, "measures": measures}
    assert ask("swings_steadily", Kind.OSCILLATION, 1, 1, 1000, **parts).verdict is verdict
    assert ask("swings_steadily", Kind.LEVEL_SHIFT, 1, 1, 1000, **parts).verdict is UNKNOWN


@pytest.mark.parametrize(("strength", "verdict"), [(0.5, YES), (0.49, NO)])
def test_half_of_the_strength_there_can_be(ask, strength: float, verdict: Verdict) -> None:
    measures = {"strength": strength, "period": 190.4, "cycles": 6.6}
    parts = {"loss": np.ones(1000), "form": Form.WAVE, "measures": measures}
    found = ask("swings_steadily", Kind.OSCILLATION, 1, 1, 1000, **parts)
    assert (found.verdict, found.values) == (verdict, {"period": 190, "cycles": 7})
