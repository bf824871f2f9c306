from __future__ import annotations

import numpy as np

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
AT = np.arange(50, 1001, 50)
KIND = Kind.OSCILLATION


def test_jitter(ask, falling) -> None:
    fall = 2.0 * np.exp(-AT / 300) + 0.5
    flips = (-1.0) ** np.arange(AT.size)
    loud = (AT, fall * np.exp(0.3 * flips))
    quiet = (AT, fall * np.exp(0.02 * flips))
    stuck = (AT, 2.3 * np.exp(0.001 * flips))
    name = "val_jitters"
    assert ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=loud).verdict is YES
    assert ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=quiet).verdict is NO
    # Steady because nothing was learned: no sign of quiet weights.
    assert ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=stuck).verdict is UNKNOWN
    spike = Kind.ISOLATED_SPIKE
    assert ask(name, spike, 300, loss=falling, val_loss=loud).verdict is UNKNOWN
    wave = ask(name, KIND, 300, 300, 1000, loss=falling, val_loss=loud, form=Form.WAVE)
    assert wave.verdict is UNKNOWN
