"""Does the validation loss jump about from one evaluation to the next, or is it steady?

Noise of the batches shows in the training loss only; weights that are thrown about show in both.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import STRETCHES, Form
from spikedoc.model.metric import Metric
from spikedoc.signal.transform import MAD_TO_SIGMA
from spikedoc.text import Text

# Evaluations after the first third of them; fewer say nothing about scatter.
FEWEST: Final = 6
SKIP_SHARE: Final = 3
# Relative scatter of an evaluation about the line through its neighbours. Measured: .155 and .37
# where the learning rate was too high, .12 at most on healthy runs and where only batches or labels
# were noisy.
JITTER: Final = 0.14
# Such a distance scatters by sqrt(1 + 1/4 + 1/4) of the values' own standard deviation.
NEIGHBOURS: Final = 1.5**0.5
# Learned: the later evaluations lie at least 5 % below the first.
LEARNED: Final = 0.95


def _jitter(case: Case) -> float | None:
    series = case.run.get(Metric.VAL_LOSS)
    if series is None or case.anomaly.kind not in STRETCHES or case.anomaly.form is Form.WAVE:
        return None
    values = series.finite()[1]
    late = values[values.size // SKIP_SHARE :]
    if late.size < FEWEST or float(values.min()) <= 0:
        return None
    # Distances from zero, not from their median: a loss that alternates has two medians.
    logs = np.log(late)
    distance = np.abs(logs[1:-1] - (logs[:-2] + logs[2:]) / 2)
    return MAD_TO_SIGMA * float(np.median(distance)) / NEIGHBOURS


def _learned(case: Case) -> bool:
    """Return whether validation got better at all: a model that never learned is steady too."""
    series = case.run.get(Metric.VAL_LOSS)
    values = series.finite()[1] if series is not None else np.zeros(0)
    late = values[values.size // SKIP_SHARE :]
    return bool(late.size and np.median(late) < LEARNED * values[0])


def _jitters(case: Case) -> Answer:
    jitter = _jitter(case)
    if jitter is not None and jitter < JITTER and case.run.counts_epochs:
        return UNKNOWN  # its training loss is a mean over the epoch: no batch shows in it
    if jitter is None or (jitter < JITTER and not _learned(case)):
        return UNKNOWN
    return answer(jitter >= JITTER, percent=round(100 * jitter, 1))


_SWINGS: Final = Text(
    "The validation loss jumps by {percent} % from one evaluation to the next: the weights "
    "themselves are thrown about",
    "验证损失在相邻两次验证之间跳动 {percent} %：权重本身在来回摆动",
)
_STEADY: Final = Text(
    "The validation loss is steady between evaluations ({percent} %): the noise is in the batches, "
    "not in the weights",
    "验证损失在相邻两次验证之间很平稳（{percent} %）：噪声来自批次，而不是权重",
)

PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "val_jitters",
        Text(
            "Does the validation loss jump about from one evaluation to the next?",
            "验证损失在相邻两次验证之间是否大幅跳动？",
        ),
        _SWINGS,
        _STEADY,
        _jitters,
        needs=(Metric.VAL_LOSS,),
    ),
)
