"""A bound on a number of a run: `val_loss.final = { max = 2.1 }`."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from spikedoc.errors import UsageError
from spikedoc.gate.verdict import Check, Outcome
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.text import Text

# The end of a series is the median of its last twentieth, of fifty points at most: one lucky batch
# is no result.
FINAL_SHARE: Final = 20
FINAL_POINTS: Final = 50
SPIKES_STEPS: Final = 10_000
# Of a key that is wrong.
SHOWN: Final = 100
SPIKES: Final = "spikes_per_10k_steps"
NAN_COUNT: Final = "nan.count"
STEPS: Final = "steps.last"
STATISTICS: Final = ("final", "first", "min", "max", "mean", "median", "count", "nonfinite")
QUANTILE: Final = re.compile(r"p(\d{1,2}(?:\.\d+)?)$")
BOUNDS: Final = ("min", "max", "level", "optional")
LEVELS: Final = {"error": True, "warn": False}
SPIKE_KINDS: Final = (Kind.ISOLATED_SPIKE, Kind.SLOW_RECOVERY)
IS: Final = Text("{key} is {value}", "{key} 为 {value}")
NOT_LOGGED: Final = Text("{key} was not logged", "没有记录 {key}")
TOO_SHORT: Final = Text(
    "{count} {count|spike|spikes} in {length} {length|step|steps}, too few steps to tell a rate "
    "per {steps}",
    "{length} 步内有 {count} 个尖峰，步数太少，无法判断每 {steps} 步的比率",
)
EXPECTED: Final = Text("; expected {wanted}", "；期望 {wanted}")


@dataclass(frozen=True, slots=True)
class Expectation:
    """A bound on one number; `fails` says whether a miss turns the gate red."""

    key: str
    least: float | None = None
    most: float | None = None
    fails: bool = True
    optional: bool = False  # nothing to say where the signal was not logged

    def check(self, run: Run, anomalies: Sequence[Anomaly]) -> Check | None:
        """Return the check on `run`; None for an optional one without its signal.

        A signal that was not logged, or a number that is not finite, misses every bound.
        """
        value = measure(self.key, run, anomalies)
        if value is None and self.optional:
            return None
        if value is not None and self._is_open(value, run):
            return self._said(Outcome.WARNED, self._too_short(value, run))
        good = value is not None and math.isfinite(value)
        good = good and (self.least is None or value >= self.least)  # type: ignore[operator]
        good = good and (self.most is None or value <= self.most)  # type: ignore[operator]
        missed = Outcome.FAILED if self.fails else Outcome.WARNED
        return self._said(Outcome.PASSED if good else missed, self._message(value))

    def _is_open(self, value: float, run: Run) -> bool:
        """Return whether a rate misses its bound only because the run is short.

        In a run of fewer steps than the rate speaks of, as many spikes as the bound allows in all
        of those steps are no miss yet: one spike in 200 steps is no "50 in 10,000".
        """
        length = _length(run)
        if self.key != SPIKES or length >= SPIKES_STEPS:
            return False
        count = round(value * length / SPIKES_STEPS)
        above = self.most is not None and value > self.most and count <= self.most
        return above or (self.least is not None and value < self.least)

    def _too_short(self, value: float, run: Run) -> Text:
        length = _length(run)
        count = round(value * length / SPIKES_STEPS)
        said = TOO_SHORT.fill({"count": count, "length": length, "steps": f"{SPIKES_STEPS:,}"})
        return _with_bounds(said, self._wanted())

    def _said(self, outcome: Outcome, message: Text) -> Check:
        return Check(
            id=f"expect:{self.key}",
            title=Text(f"Expected: {self.key}", f"期望：{self.key}"),
            outcome=outcome,
            severity=Severity.CRITICAL if self.fails else Severity.WARNING,
            message=message,
            signal=self.key.rpartition(".")[0],
            fingerprint=f"expect:{self.key}",
        )

    def _wanted(self) -> str:
        if self.least == self.most:
            return f"= {self.least:g}"
        bounds = [f">= {self.least:g}"] if self.least is not None else []
        bounds += [f"<= {self.most:g}"] if self.most is not None else []
        return " and ".join(bounds)

    def _message(self, value: float | None) -> Text:
        if value is None:
            return _with_bounds(NOT_LOGGED.fill({"key": self.key}), self._wanted())
        said = IS.fill({"key": self.key, "value": f"{value:.4g}"})
        return _with_bounds(said, self._wanted())


def _with_bounds(said: Text, wanted: str) -> Text:
    """Return the text with the bounds at its end, in the words of each language."""
    end = EXPECTED.fill({"wanted": wanted})
    return Text(said.en + end.en, said.zh + end.zh.replace(" and ", " 且 "))


def parse_expectation(key: str, bounds: Any, where: str) -> Expectation:
    """Return the expectation written as `key = bounds`; a plain number is the value itself."""
    name, _, statistic = key.rpartition(".")
    known = statistic in STATISTICS or QUANTILE.match(statistic) is not None
    if key not in (SPIKES, NAN_COUNT, STEPS) and not (name and known):
        near = difflib.get_close_matches(statistic, STATISTICS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(STATISTICS)}, p10 …"
        raise UsageError(f"{where}.{key[:SHOWN]}: expected SIGNAL.STATISTIC ({hint})")
    if isinstance(bounds, int | float) and not isinstance(bounds, bool):
        return Expectation(
            key,
            _number(bounds, f"{where}.{key[:SHOWN]}"),
            _number(bounds, f"{where}.{key[:SHOWN]}"),
        )
    return _from_table(key, bounds, f"{where}.{key[:SHOWN]}")


def _from_table(key: str, bounds: Any, where: str) -> Expectation:
    if not isinstance(bounds, dict) or not ({"min", "max"} & set(bounds)):
        raise UsageError(f"{where}: expected a number or a table with min or max")
    for word in bounds:
        if word not in BOUNDS:
            raise UsageError(f"{where}: {word!r} is none of {', '.join(BOUNDS)}")
    level = bounds.get("level", "error")
    if not isinstance(level, str) or level not in LEVELS:
        raise UsageError(f'{where}.level: expected "error" or "warn"')
    optional = bounds.get("optional", False)
    if not isinstance(optional, bool):
        raise UsageError(f"{where}.optional: expected true or false")
    least, most = (
        None if bounds.get(end) is None else _number(bounds[end], where) for end in ("min", "max")
    )
    if least is not None and most is not None and least > most:
        raise UsageError(f"{where}: min is above max")
    return Expectation(key, least, most, LEVELS[level], optional)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not math.isfinite(number):
        raise UsageError(f"{where}: expected a finite number")
    return number


def measure(key: str, run: Run, anomalies: Sequence[Anomaly]) -> float | None:
    """Return the number called `key` of a run; None when its signal was not logged."""
    if key == NAN_COUNT:
        return float(sum(int((~s.is_finite).sum()) for s in run.series if s.metric in JUDGED))
    if key == STEPS:
        return float(run.last_step)
    if key == SPIKES:
        spikes = sum(int(a.measures.get("count", 1)) for a in anomalies if a.kind in SPIKE_KINDS)
        return spikes * SPIKES_STEPS / _length(run)
    name, _, statistic = key.rpartition(".")
    series = _series(run, name)
    return None if series is None else _statistic(series, statistic)


def _length(run: Run) -> int:
    return max(1, run.last_step - run.first_step)


# Where a value that is not finite is damage; the scaler of fp16 makes gradients infinite in health.
JUDGED: Final = (Metric.LOSS, Metric.VAL_LOSS, Metric.LOSS_COMPONENT, Metric.VAL_LOSS_COMPONENT)


def _series(run: Run, name: str) -> Series | None:
    """Return the series of a role, a name of the report, or a tag of the log."""
    if name in {metric.value for metric in Metric}:
        found = run.get(Metric(name))
        if found is not None:
            return found
    return run.named(name) or next((s for s in run.series if s.tag == name), None)


def _statistic(series: Series, statistic: str) -> float | None:
    if statistic == "count":
        return float(len(series))
    if statistic == "nonfinite":
        return float((~series.is_finite).sum())
    values = series.values
    if statistic == "final":
        return _final(values)
    if statistic == "first":
        return float(values[0]) if values.size else None
    finite = series.finite()[1]
    if finite.size == 0:
        return None
    found = QUANTILE.match(statistic)
    if found:
        return float(np.percentile(finite, float(found.group(1))))
    return float(getattr(np, statistic)(finite))


def _final(values: FloatArray) -> float | None:
    """Return the level at the end; NaN when most of the end is not finite."""
    if values.size == 0:
        return None
    end = values[-max(1, min(FINAL_POINTS, values.size // FINAL_SHARE)) :]
    good = end[np.isfinite(end)]
    return float(np.median(good)) if good.size * 2 > end.size else float("nan")
