"""Series over epochs beside a loss over optimizer steps: put on the axis of the loss."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from spikedoc.ingest.naming import Candidate
from spikedoc.model.metric import Metric
from spikedoc.model.run import IntArray
from spikedoc.text import Text

# Keras' TensorBoard callback writes epoch_loss over epochs, and the same evaluation once more over
# iterations; batch_loss is there only with update_freq.
_KERAS_EPOCH: Final = re.compile(r"(?:.*/)?epoch_\w+")
_KERAS_BATCH: Final = re.compile(r"(?:.*/)?batch_\w+")
_KERAS_EVALUATION: Final = re.compile(r"(?:.*/)?evaluation_(\w+)_vs_iterations")
_HELD_OUT: Final = (Metric.VAL_LOSS, Metric.VAL_METRIC, Metric.VAL_LOSS_COMPONENT)
# Fewer evaluations than this may stand where they say.
LEAST_EPOCHS: Final = 3

MOVED: Final = Text(
    "{tags}: counted in epochs, put at the end of each of {length} steps",
    "{tags}：以 epoch 计数，已置于每 {length} 步的末尾",
)


def on_one_axis(found: Sequence[Candidate]) -> tuple[list[Candidate], tuple[Text, ...]]:
    """Return the series of a run over the steps of its loss, and notes on those that were moved.

    A series is moved only where the log leaves no doubt: Keras says at which iteration an epoch
    ended; elsewhere held-out series must count 1, 2, 3, … (or from 0) in a log whose training goes
    on for a whole multiple of as many steps, one after the other.
    """
    over_epochs = [one for one in found if _KERAS_EPOCH.fullmatch(one.raw.tag)]
    return _keras(found, over_epochs) if over_epochs else _counted(found)


def _keras(
    found: Sequence[Candidate], over_epochs: Sequence[Candidate]
) -> tuple[list[Candidate], tuple[Text, ...]]:
    twice = [one for one in found if _KERAS_EVALUATION.fullmatch(one.raw.tag)]
    ends = _keras_ends(over_epochs, twice)
    if not ends or any(int(step) not in ends for one in over_epochs for step in one.raw.steps):
        return list(found), ()
    once = [one for one in found if one not in twice]
    if not any(_KERAS_BATCH.fullmatch(one.raw.tag) for one in found):
        return once, ()
    kept = [_moved(one, ends) if one in over_epochs else one for one in once]
    length = round(max(ends.values()) / (1 + max(ends)))
    return kept, (MOVED.fill({"tags": _listed(over_epochs), "length": length}),)


def _keras_ends(over_epochs: Sequence[Candidate], twice: Sequence[Candidate]) -> Mapping[int, int]:
    """The last iteration of each epoch, by an evaluation that was written over both."""
    for one in twice:
        for other in over_epochs:
            counts = other.size == one.size > 0 and int(other.raw.steps[0]) >= 0
            if counts and np.array_equal(other.raw.values, one.raw.values):
                return dict(zip(other.raw.steps.tolist(), one.raw.steps.tolist(), strict=True))
    return {}


def _counted(found: Sequence[Candidate]) -> tuple[list[Candidate], tuple[Text, ...]]:
    losses = [one for one in found if one.role.metric is Metric.LOSS and one.size]
    held_out = [one for one in found if one.role.metric in _HELD_OUT and one.size]
    loss = max(losses, key=lambda one: one.size, default=None)
    if loss is None or not held_out or not _is_one_by_one(loss.raw.steps):
        return list(found), ()
    epochs = held_out[0].raw.steps
    if any(not np.array_equal(one.raw.steps, epochs) for one in held_out):
        return list(found), ()
    first, count = int(epochs[0]), epochs.size
    counts = first in (0, 1) and np.array_equal(epochs, np.arange(first, first + count))
    length, rest = divmod(loss.size, count)
    if not counts or count < LEAST_EPOCHS or rest or length < 2:
        return list(found), ()
    start = int(loss.raw.steps[0])
    ends = {first + i: start - 1 + (i + 1) * length for i in range(count)}
    moved = [_moved(one, ends) if one in held_out else one for one in found]
    return moved, (MOVED.fill({"tags": _listed(held_out), "length": length}),)


def _is_one_by_one(steps: IntArray) -> bool:
    return bool(steps[0] in (0, 1) and np.all(np.diff(steps) == 1))


def _moved(one: Candidate, ends: Mapping[int, int]) -> Candidate:
    steps = np.array([ends[int(step)] for step in one.raw.steps], dtype=np.int64)
    return replace(one, raw=replace(one.raw, steps=steps))


def _listed(found: Sequence[Candidate]) -> str:
    return ", ".join(one.raw.tag for one in found)
