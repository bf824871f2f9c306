"""What a run leaves to be weighed with others: its spikes, and what tells its order of the data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Final

import numpy as np

from spikedoc.model.anomaly import Shape
from spikedoc.model.label import Form, Kind
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import Run, Series

SPIKES: Final = frozenset({Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY, Kind.NONFINITE})
SPIKY: Final = frozenset({Shape.POINT, Shape.LONE, Shape.NONFINITE})
LOSSES: Final = (Metric.LOSS, Metric.GRAD_NORM)
# The first steps of training are restless in every run.
EARLY_SHARE: Final = 0.02
# A spike this many logged points from an evaluation, a restart or a cut of the rate may come of it.
NEAR_POINTS: Final = 2
# A rate that changes by this factor from one logged point to the next was cut or reset.
RATE_JUMP: Final = 1.5
# Seeds of the order of the data, before the seed of everything.
DATA_SEEDS: Final = ("data_seed", "shuffle_seed", "sampler_seed", "seed")
# Seeds of libraries have 32 or 64 bits.
LARGEST_SEED: Final = 2**64
# Two runs of one step and one of these are the same with a probability of one in 2**32.
HEAD_BYTES: Final = 4
DIGEST_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Trace:
    """The spikes of one run without another explanation than the data; small, and plain values."""

    first: int  # steps that the run covers
    last: int
    width: float = 1.0  # steps from one logged point to the next
    steps: tuple[int, ...] = ()  # of its spikes, ascending
    # Digests of the losses up to each spike: the same are one observation; "" is not known.
    heads: tuple[str, ...] = ()
    count: int = 0  # spikes in all, where `steps` is a sample of them
    epoch: float | None = None  # steps in one
    batch_size: int | None = None
    accumulation: int | None = 1  # None: what the config says is no number
    unshuffled: bool = False
    seeds: Mapping[str, int] = field(default_factory=dict)
    digest: str = ""  # of all losses: the same are copies; "" is not known

    @property
    def batch(self) -> int | None:
        """Samples that one step takes, None where the config does not say."""
        if self.batch_size is None or self.accumulation is None:
            return None
        return self.batch_size * self.accumulation

    def at_most(self, spikes: int) -> Trace:
        """Return the trace with no more than so many spikes, evenly taken from all of them."""
        if len(self.steps) <= spikes:
            return self
        kept = np.linspace(0, len(self.steps) - 1, spikes).round().astype(int).tolist()
        return replace(
            self,
            steps=tuple(self.steps[at] for at in kept),
            heads=tuple(self.heads[at] for at in kept),
        )


def trace_of(run: Run, report: Report) -> Trace | None:
    """Return the trace of a run; None for a run without losses."""
    loss = run.main_loss
    if loss is None or not len(loss):
        return None
    steps = spike_steps(run, report)
    epoch = run.steps_per_epoch
    return Trace(
        first=run.first_step,
        last=run.last_step,
        width=loss.stride,
        steps=steps,
        heads=_heads(loss, steps),
        count=len(steps),
        epoch=epoch if epoch is not None and math.isfinite(epoch) else None,
        batch_size=_count(run, "batch_size"),
        accumulation=_count(run, "accumulation") if "accumulation" in run.config else 1,
        unshuffled=run.config.get("shuffle") is False,
        seeds={key: seed for key in DATA_SEEDS if (seed := _seed(run, key)) is not None},
        digest=_digest(loss),
    )


def spike_steps(run: Run, report: Report) -> tuple[int, ...]:
    """Return the steps at which the loss or the gradient norm spikes, rising, ascending.

    Left out are those at which something other than the data explains it.
    """
    names = {s.name for s in run.series if s.metric in LOSSES and s.rank is None}
    found: set[int] = set()
    for finding in report.findings:
        anomaly = finding.anomaly
        if anomaly.kind not in SPIKES or anomaly.signal not in names:
            continue
        if anomaly.kind is Kind.NONFINITE and anomaly.form is not Form.TRANSIENT:
            continue
        points = [d.peak_step for d in anomaly.detections if d.shape in SPIKY]
        found.update(int(step) for step in points or [anomaly.peak_step])
    return tuple(sorted(_unexplained(run, found))) if found else ()


def _unexplained(run: Run, steps: set[int]) -> list[int]:
    """The steps at which nothing is known to happen that is not in the data."""
    loss = run.main_loss
    room = NEAR_POINTS * (1.0 if loss is None else loss.stride)
    restless = run.first_step + EARLY_SHARE * (run.last_step - run.first_step)
    marks = _marks(run)
    return [
        step
        for step in steps
        if step >= restless and not any(abs(step - mark) <= room for mark in marks)
    ]


def _marks(run: Run) -> list[int]:
    """The steps of restarts, evaluations, and cuts of the learning rate."""
    loss = run.main_loss
    marks = [restart.step for restart in run.restarts]
    evals = run.eval_steps
    if loss is not None and len(evals) >= len(loss) / (2 * NEAR_POINTS):
        return marks  # evaluated all the time: near an evaluation says nothing
    marks += evals.tolist()
    lr = run.get(Metric.LR)
    if lr is not None and len(lr) > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            jump = np.abs(np.log(lr.values[1:] / lr.values[:-1])) > math.log(RATE_JUMP)
        marks += lr.steps[1:][jump].tolist()
    return marks


def _heads(loss: Series, steps: Sequence[int]) -> tuple[str, ...]:
    """For each step the digest of the losses up to it."""
    found, heads, begin = blake2b(digest_size=HEAD_BYTES), [], 0
    for step in steps:
        end = int(np.searchsorted(loss.steps, step, side="right"))
        found.update(loss.steps[begin:end].tobytes() + loss.values[begin:end].tobytes())
        heads.append(found.copy().hexdigest() if end else "")
        begin = end
    return tuple(heads)


def _digest(loss: Series) -> str:
    found = blake2b(loss.steps.tobytes(), digest_size=DIGEST_BYTES)
    found.update(loss.values.tobytes())
    return found.hexdigest()


def _count(run: Run, key: str) -> int | None:
    value = run.config.get(key)
    is_count = isinstance(value, int) and not isinstance(value, bool) and value > 0
    return int(value) if is_count else None  # type: ignore[arg-type]


def _seed(run: Run, key: str) -> int | None:
    value = run.config.get(key)
    if isinstance(value, bool):
        return None
    try:
        seed = int(value) if isinstance(value, int | float | str) else None
    except (ValueError, OverflowError):  # words, NaN: not told apart
        return None
    is_other = isinstance(value, float) and value != seed
    return None if seed is None or is_other or abs(seed) > LARGEST_SEED else seed
