from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


def asked(ask, period: float, stride: int, epoch: float):
    return ask(
        "period_is_beat",
        Kind.OSCILLATION,
        1,
        form=Form.WAVE,
        measures={"period": period},
        loss=np.ones(200),
        stride=stride,
        config={"steps_per_epoch": epoch},
    )


@pytest.mark.parametrize(
    ("stride", "epoch", "beat"),
    [
        (50, 47, 50 * 47 / 3),  # each point is 3 steps further in the epoch
        (10, 47, 47 * 10 / 3),  # each epoch is 3 steps short of five intervals
    ],
)
def test_a_beat(ask, stride, epoch, beat) -> None:
    assert asked(ask, beat, stride, epoch).verdict is YES
    assert asked(ask, 1.03 * beat, stride, epoch).verdict is YES
    assert asked(ask, 1.3 * beat, stride, epoch).verdict is NO


def test_a_pattern_of_the_epoch_seen_through_the_interval_has_that_period() -> None:
    loss = np.sin(2 * np.pi * np.arange(1, 50_001) / 47)[::50]
    found = np.abs(np.fft.rfft(loss))
    cycles = int(np.argmax(found[1:])) + 1
    assert loss.size * 50 / cycles == pytest.approx(50 * 47 / 3, rel=0.05)


def test_without_a_beat_nothing_is_said(ask) -> None:
    assert asked(ask, 500, 10, 50).verdict is UNKNOWN  # the interval divides the epoch
    assert asked(ask, 500, 1, 47).verdict is UNKNOWN  # every step was logged
