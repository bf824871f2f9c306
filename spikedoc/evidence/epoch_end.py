"""Whether the events fall on the last batch of an epoch, and whether that batch is small."""

from __future__ import annotations

from typing import Final

import numpy as np

from spikedoc.evidence._answers import UNKNOWN, answer, has_onset, is_recurring, percent, setting
from spikedoc.evidence._events import event_steps
from spikedoc.evidence._facts import epoch_length, spacing
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.text import Text

# The last 3 % of an epoch; with steps counted from 1 its last batch has phase 0.
END_SHARE: Final = 0.03
# Seven events in ten, three at least: a single one lies there by chance too often.
ALIGNED_SHARE: Final = 0.70
EVENTS_FEWEST: Final = 3
# An epoch of fewer logged points has no end to tell from its middle.
POINTS_FEWEST: Final = 20
# A batch of less than half the usual size scatters half as much again.
SMALL_SHARE: Final = 0.50
# Names under which configs keep the size of the training set.
SIZES: Final = ("dataset_size", "train_size", "num_train", "num_samples", "n_train")


def _events(case: Case) -> list[int]:
    if is_recurring(case) or case.anomaly.kind is Kind.OSCILLATION:
        return list(event_steps(case))
    same = {a.peak_step for a in case.anomalies if a.kind is case.anomaly.kind}
    return sorted(same | {case.anomaly.peak_step})


def _at_end_of_epoch(case: Case) -> Answer:
    epoch, loss = epoch_length(case.run), case.run.get(Metric.LOSS)
    if epoch is None:
        return Answer(None, {}, (Metric.EPOCH,), ("steps_per_epoch",))
    if loss is None or not has_onset(case) or epoch < POINTS_FEWEST * spacing(loss):
        return UNKNOWN
    events = np.array(_events(case), dtype=np.float64)
    if events.size < EVENTS_FEWEST:
        return UNKNOWN
    # An averaged point carries the step after the batch, and a count from 0 the one before.
    phase = np.mod(events, epoch)
    there = (phase >= (1 - END_SHARE) * epoch) | (phase <= max(spacing(loss) - 1, 0))
    share = float(np.mean(there))
    return answer(share >= ALIGNED_SHARE, percent=percent(share), count=int(events.size))


def _last_batch_is_small(case: Case) -> Answer:
    size, dropped = setting(case, "batch_size"), case.run.config.get("drop_last")
    if dropped is True:
        return answer(False, batch=int(size or 0), last=int(size or 0))
    known = [value for key in SIZES if (value := setting(case, key)) is not None]
    if size is None or size < 1 or not known:
        return UNKNOWN
    last = int(known[0] % size)
    return answer(0 < last < SMALL_SHARE * size, batch=int(size), last=last or int(size))


PROBES: Final[tuple[Probe, ...]] = (
    Probe(
        "at_end_of_epoch",
        Text("Do the events fall on the last batch of the epoch?", "事件是否落在每轮的最后一批？"),
        Text(
            "{percent} % of {count} {count|event falls|events fall} on the last steps of an epoch",
            "{count} 次事件中有 {percent} % 落在一轮的最后几步",
        ),
        Text(
            "{percent} % of {count} {count|event falls|events fall} on the last steps of an epoch",
            "{count} 次事件中有 {percent} % 落在一轮的最后几步",
        ),
        _at_end_of_epoch,
        needs=(Metric.LOSS,),
    ),
    Probe(
        "last_batch_is_small",
        Text("Is the last batch of an epoch a small one?", "每轮的最后一批是否很小？"),
        Text(
            "The last batch of an epoch has {last} {last|sample|samples} instead of {batch}",
            "每轮最后一批只有 {last} 个样本，而不是 {batch} 个",
        ),
        Text(
            "The last batch of an epoch is not a small one ({last} of {batch} "
            "{batch|sample|samples})",
            "每轮最后一批并不小（{last}/{batch} 个样本）",
        ),
        _last_batch_is_small,
    ),
)
