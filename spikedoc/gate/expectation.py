"""A bound on a number of a run: `val_loss.final = { max = 2.1 }`."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from spikedoc.errors import BOOLEAN_EXPECTED, UsageError, did_you_mean
from spikedoc.gate.change import Change, parse_change
from spikedoc.gate.measure import OF_THE_RUN, SPIKES, SPIKES_STEPS, length, measure, spike_count
from spikedoc.gate.verdict import Check, Outcome
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.label import Severity
from spikedoc.model.run import Run
from spikedoc.reference.band import Reference
from spikedoc.signal.statistic import COUNTS, LEVELS, QUANTILES, is_statistic
from spikedoc.text import WHOLE_BELOW, Text, format_value, listed

# Of a key that is wrong.
SHOWN: Final = 100
ENDS: Final = ("min", "max")
CHANGES: Final = ("max_increase", "max_decrease")
BOUNDS: Final = (*ENDS, *CHANGES, "level", "optional")
# Statistics of a signal that a reference keeps of healthy runs.
KEPT: Final = (*LEVELS, *QUANTILES, *COUNTS)
SEVERITIES: Final = {"error": True, "warn": False}
IS: Final = Text("{key} is {value}", "{key} 为 {value}")
BESIDE: Final = Text(", {healthy} in healthy runs", "，健康训练为 {healthy}")
NOT_LOGGED: Final = Text("{key} was not logged", "没有记录 {key}")
TOO_SHORT: Final = Text(
    "{count} {count|spike|spikes} in {length} {length|step|steps}, too few steps to tell a rate "
    "per {steps}",
    "{length} 步内有 {count} 个尖峰，步数太少，无法判断每 {steps} 步的比率",
)
EXPECTED: Final = Text("; expected {wanted}", "；期望{wanted}")
AND: Final = Text(" and ", "且")
RISE: Final = Text("at most {change} more", "最多高 {change} ")
FALL: Final = Text("at most {change} less", "最多低 {change} ")

NEED_REFERENCE: Final = Text(
    f"{' and '.join(CHANGES)} need healthy runs to compare with (--reference)",
    f"{' 和 '.join(CHANGES)} 需要用来对比的健康训练（--reference）",
)
NOT_IN_REFERENCE: Final = Text(
    "the reference holds no {key}; build it again from runs that logged it, or say optional = true",
    "参考中没有 {key}；请用记录了它的训练重新生成，或写上 optional = true",
)
STATISTIC: Final = Text(
    "expected SIGNAL.STATISTIC ({hint})", "应写成 SIGNAL.STATISTIC，即信号.统计量（{hint}）"
)
KNOWN: Final = Text("known: {known} …", "可用：{known} …")
NUMBER_OR_TABLE: Final = Text(
    "expected a number or a table with {bounds}", "应为数字，或含 {bounds} 的表"
).fill({"bounds": listed(BOUNDS[:4])})
GO_WITH: Final = Text(
    f"{' and '.join(CHANGES)} go with {{signal}} of a signal, and with {{run}}",
    f"{' 和 '.join(CHANGES)} 只用于信号的 {{signal}}，以及 {{run}}",
).fill({"signal": listed(KEPT), "run": listed(OF_THE_RUN)})


@dataclass(frozen=True, slots=True)
class Expectation:
    """A bound on one number; `fails` says whether a miss turns the gate red."""

    key: str
    least: float | None = None
    most: float | None = None
    rise: Change | None = None  # above the number of healthy runs …
    fall: Change | None = None  # … and below it
    fails: bool = True
    optional: bool = False  # nothing to say where the signal was not logged

    @property
    def is_relative(self) -> bool:
        """Whether it needs a number of healthy runs."""
        return self.rise is not None or self.fall is not None

    def check(
        self, run: Run, anomalies: Sequence[Anomaly], reference: Reference | None = None
    ) -> Check | None:
        """Return the check on `run`; None for an optional one without its signal.

        A signal that was not logged, or a number that is not finite, misses every bound. Raises
        UsageError when a change is asked for and the reference does not hold the number.
        """
        healthy = self.healthy(reference)
        value = measure(self.key, run, anomalies)
        if value is None and self.optional:
            return None
        if self.key == SPIKES and self._is_open(spike_count(anomalies), run, healthy):
            said = TOO_SHORT.fill(
                {
                    "count": spike_count(anomalies),
                    "length": length(run),
                    "steps": f"{SPIKES_STEPS:,}",
                }
            )
            return self._said(Outcome.WARNED, said)
        missed = Outcome.FAILED if self.fails else Outcome.WARNED
        good = value is not None and math.isfinite(value) and self._holds(value, healthy)
        return self._said(Outcome.PASSED if good else missed, self._found(value, healthy))

    def healthy(self, reference: Reference | None) -> float | None:
        """Return the number of the healthy runs; None when none is needed, else UsageError."""
        if not self.is_relative:
            return None
        where = f"expect.{self.key}"
        if reference is None:
            raise UsageError(NEED_REFERENCE, at=where)
        found = _kept_of(self.key, reference)
        if found is None and not self.optional:
            raise UsageError(NOT_IN_REFERENCE.fill({"key": self.key}), at=where)
        return found

    def _ends(self, healthy: float | None) -> tuple[float, float]:
        """Return the bounds, those beside healthy runs included; infinite where there is none."""
        least = [-math.inf if self.least is None else self.least]
        most = [math.inf if self.most is None else self.most]
        if healthy is not None:
            most += [] if self.rise is None else [healthy + self.rise.of(healthy)]
            least += [] if self.fall is None else [healthy - self.fall.of(healthy)]
        return max(least), min(most)

    def _holds(self, value: float, healthy: float | None) -> bool:
        least, most = self._ends(healthy)
        return least <= value <= most

    def _is_open(self, count: int, run: Run, healthy: float | None) -> bool:
        """Return whether a rate misses its bound only because the run is short.

        In a run of fewer steps than the rate speaks of, as many spikes as the bound allows in all
        of those steps are no miss yet: one spike in 200 steps is no "50 in 10,000".
        """
        steps = length(run)
        if steps >= SPIKES_STEPS:
            return False
        rate = count * SPIKES_STEPS / steps
        least, most = self._ends(healthy)
        return count <= most < rate or rate < least

    def _said(self, outcome: Outcome, said: Text) -> Check:
        wanted = self._wanted()
        end = Text(EXPECTED.fill({"wanted": wanted.en}).en, EXPECTED.fill({"wanted": wanted.zh}).zh)
        return Check(
            id=f"expect:{self.key}",
            title=Text(f"Expected: {self.key}", f"期望：{self.key}"),
            outcome=outcome,
            severity=Severity.CRITICAL if self.fails else Severity.WARNING,
            message=Text(said.en + end.en, said.zh + end.zh),
            signal=self.key.rpartition(".")[0],
            fingerprint=f"expect:{self.key}",
        )

    def _found(self, value: float | None, healthy: float | None) -> Text:
        if value is None:
            return NOT_LOGGED.fill({"key": self.key})
        said = IS.fill({"key": self.key, "value": _apart(value, self._ends(healthy))})
        beside = Text("", "")
        if healthy is not None:
            beside = BESIDE.fill({"healthy": format_value(healthy)})
        return Text(said.en + beside.en, said.zh + beside.zh)

    def _wanted(self) -> Text:
        parts = []
        if self.least is not None and self.least == self.most:
            parts.append(_sign("=", self.least))
        else:
            ends = ((">=", self.least), ("<=", self.most))
            parts += [_sign(sign, number) for sign, number in ends if number is not None]
        changes = ((RISE, self.rise), (FALL, self.fall))
        parts += [text.fill({"change": str(one)}) for text, one in changes if one is not None]
        chinese = AND.zh.join(part.zh for part in parts).rstrip()
        return Text(AND.en.join(part.en for part in parts), chinese)


def _sign(sign: str, number: float) -> Text:
    """Return a comparison; Chinese has spaces around signs and none around its own words."""
    shown = f"{number:.15g}" if abs(number) < WHOLE_BELOW else f"{number:g}"
    return Text(f"{sign} {shown}", f" {sign} {shown} ")


def _apart(value: float, ends: tuple[float, float]) -> str:
    """Return a number to four digits, to more where it would read like a bound it misses."""
    if not math.isfinite(value):
        return format_value(value)
    near = [end for end in ends if math.isfinite(end) and end != value]
    shown = format_value(value)
    for digits in range(5, 18):
        if all((float(shown) > end) == (value > end) and float(shown) != end for end in near):
            break
        shown = f"{value:.{digits}g}"
    return shown


def _kept_of(key: str, reference: Reference) -> float | None:
    """Return the number that the reference keeps of its healthy runs; None without it."""
    if key in OF_THE_RUN:
        return reference.numbers.get(key)
    signal, _, wanted = key.rpartition(".")
    band = next((band for band in reference.bands if band.signal == signal), None)
    return None if band is None else band.numbers.get("median" if wanted == "p50" else wanted)


def parse_expectation(key: str, bounds: Any, where: str) -> Expectation:
    """Return the expectation written as `key = bounds`; a plain number is the value itself."""
    name, _, wanted = key.rpartition(".")
    place = f"{where}.{key[:SHOWN]}"
    if key not in OF_THE_RUN and not (name and is_statistic(wanted)):
        known = (*LEVELS, *COUNTS)
        near = difflib.get_close_matches(wanted, known, n=1)
        others = KNOWN.fill({"known": listed((*known, "p10"))})
        hint = did_you_mean(near[0]) if near else others
        raise UsageError(STATISTIC.fill({"hint": hint}), at=place)
    if isinstance(bounds, int | float) and not isinstance(bounds, bool):
        return Expectation(key, _number(bounds, place), _number(bounds, place))
    return _from_table(key, bounds, place)


def _from_table(key: str, bounds: Any, where: str) -> Expectation:
    if not isinstance(bounds, dict) or not {*ENDS, *CHANGES} & set(bounds):
        raise UsageError(NUMBER_OR_TABLE, at=where)
    for word in bounds:
        if word not in BOUNDS:
            told = Text("{word} is none of {known}", "{word} 不属于 {known}")
            raise UsageError(told.fill({"word": repr(word), "known": listed(BOUNDS)}), at=where)
    level = bounds.get("level", "error")
    if not isinstance(level, str) or level not in SEVERITIES:
        raise UsageError(
            Text('expected "error" or "warn"', '应为 "error" 或 "warn"'), at=f"{where}.level"
        )
    optional = bounds.get("optional", False)
    if not isinstance(optional, bool):
        raise UsageError(BOOLEAN_EXPECTED, at=f"{where}.optional")
    least, most = (None if bounds.get(end) is None else _number(bounds[end], where) for end in ENDS)
    if least is not None and most is not None and least > most:
        raise UsageError(Text("min is above max", "min 大于 max"), at=where)
    rise, fall = (
        parse_change(bounds[word], f"{where}.{word}") if word in bounds else None
        for word in CHANGES
    )
    if (rise or fall) and key not in OF_THE_RUN and key.rpartition(".")[2] not in (*KEPT, "p50"):
        raise UsageError(GO_WITH, at=where)
    return Expectation(key, least, most, rise, fall, SEVERITIES[level], optional)


def _number(value: Any, where: str) -> float:
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.inf
    if isinstance(value, bool) or not math.isfinite(number):
        raise UsageError(Text("expected a finite number", "应为有限的数字"), at=where)
    return number
