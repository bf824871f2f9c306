"""What a guard in the training loop would have done, replayed over the logged values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from spikedoc.assembly.onset import find_first_sign
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import HARMING, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.report import GuardReplay
from spikedoc.model.run import IntArray, Run, Series
from spikedoc.signal.guard import band_firings, best_ratio_firings
from spikedoc.text import FieldValue, Text

# Points before and after the first sign that are replayed at most: enough for false alarms to show.
REPLAYED: Final = 50_000
# A guard that has seen fewer values than this has no band to judge by.
FEWEST: Final = 160

RATIO_TITLE: Final = Text(
    "The usual guard (loss above 3 times its best, 10 logged values in a row, or NaN)",
    "常见的监控（损失连续 10 个记录点高于最低值的 3 倍，或出现 NaN）",
)
BAND_TITLE: Final = Text(
    "A guard on running median and spread of the loss (6 deviations 3 times in a row, or NaN)",
    "按损失的滚动中位数和离散度监控（连续 3 个点偏离 6 倍，或出现 NaN）",
)
BOTH_TITLE: Final = Text(
    "A guard on running median and spread of loss and gradient norm (6 deviations 3 times in a "
    "row, or NaN)",
    "按损失和梯度范数的滚动中位数和离散度监控（连续 3 个点偏离 6 倍，或出现 NaN）",
)
FIRED: Final = Text(
    "would have fired at step {first}, {apart}, {left} {left|step|steps} before the log ends; "
    "false alarms before the first sign: {false}.",
    "会在第 {first} 步报警，{apart}，距日志结束还有 {left} 步；最早征兆之前的误报：{false} 次。",
)
EARLY: Final = Text("{n} {n|step|steps} before {finding}", "比 {finding} 早 {n} 步")
AT_ONCE: Final = Text("as {finding} began", "与 {finding} 开始同步")
LATE: Final = Text("{n} {n|step|steps} after {finding} began", "在 {finding} 开始之后 {n} 步")
SILENT: Final = Text(
    "would not have fired; false alarms before the first sign: {false}.",
    "不会报警；最早征兆之前的误报：{false} 次。",
)


@dataclass(frozen=True, slots=True)
class _Event:
    """The finding that guards are measured by, and where its first sign is."""

    finding: str
    anomaly: Anomaly
    sign: int


def replay_guards(
    run: Run, anomalies: Sequence[Anomaly], ids: Sequence[str]
) -> tuple[GuardReplay, ...]:
    """Return the replay of two guards; none when no finding is one that a guard could have met."""
    loss = run.get(Metric.LOSS)
    event = _event(run, anomalies, ids)
    if loss is None or event is None or loss.index_at(event.sign) < FEWEST:
        return ()
    sign = loss.index_at(event.sign)
    near = slice(max(0, sign - REPLAYED), sign + REPLAYED)
    steps, values = loss.steps[near], loss.values[near]
    grad = run.get(Metric.GRAD_NORM)
    ratio = steps[best_ratio_firings(values)]
    watched: tuple[Series, ...]
    found = [_replay("best-ratio", RATIO_TITLE, (loss,), ratio, run, event)]
    if grad is None or len(grad) < FEWEST:
        (band,) = band_firings(values)
        title, watched, fired = BAND_TITLE, (loss,), steps[band]
    else:
        beside = slice(grad.index_at(int(steps[0])), grad.index_at(int(steps[-1]) + 1))
        of_loss, of_grad = band_firings(values, (grad.values[beside],))
        title, watched = BOTH_TITLE, (loss, grad)
        fired = np.union1d(steps[of_loss], grad.steps[beside][of_grad])
    found.append(_replay("running-band", title, watched, fired, run, event))
    return tuple(found)


def _event(run: Run, anomalies: Sequence[Anomaly], ids: Sequence[str]) -> _Event | None:
    """Return the first critical finding of such a kind, else the first of severity warning."""
    met = [
        (anomaly, id_)
        for anomaly, id_ in zip(anomalies, ids, strict=True)
        if anomaly.kind in HARMING and anomaly.severity is not Severity.INFO
    ]
    if not met:
        return None
    worst = max(anomaly.severity.rank for anomaly, _ in met)
    first = [pair for pair in met if pair[0].severity.rank == worst]
    anomaly, id_ = min(first, key=lambda pair: pair[0].start_step)
    return _Event(id_, anomaly, find_first_sign(run, anomaly, anomalies).step)


def _replay(
    id_: str,
    title: Text,
    watched: tuple[Series, ...],
    fired: IntArray,
    run: Run,
    event: _Event,
) -> GuardReplay:
    onset = event.anomaly.start_step
    after = fired[fired >= event.sign]
    false = int(np.sum(fired < event.sign))
    first = int(after[0]) if after.size else None
    values: dict[str, FieldValue] = {"false": false}
    said = SILENT
    if first is not None:
        when = EARLY if first < onset else LATE if first > onset else AT_ONCE
        apart = when.fill({"n": abs(onset - first), "finding": event.finding})
        values |= {"first": first, "left": run.last_step - first}
        said = Text(FIRED.en.replace("{apart}", apart.en), FIRED.zh.replace("{apart}", apart.zh))
    return GuardReplay(
        id=id_,
        title=title,
        finding=event.finding,
        signals=tuple(series.name for series in watched),
        first_step=first,
        false_alarms=false,
        steps_before_finding=None if first is None else onset - first,
        steps_before_end=None if first is None else run.last_step - first,
        statement=said.fill(values),
    )
