"""Whether the event of one run came again in another: at the same step, at another, or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from spikedoc.comparison.events import BREAKS, LATER, SUDDEN, described, event, step_told
from spikedoc.comparison.events import PEAKED as SPIKES
from spikedoc.comparison.experiments import NOTHING, UNTOUCHED, conclusions, remedy
from spikedoc.comparison.result import Change, ReplayVerdict, SignalDifference, Source, Verdict
from spikedoc.comparison.rise import FEWEST_BEFORE, SAME_SHARE, Rise, is_same, rise_at
from spikedoc.comparison.sentences import sentence
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.report import Finding, Report
from spikedoc.model.run import Run, Series
from spikedoc.signal.baseline import baseline
from spikedoc.signal.transform import transform
from spikedoc.text import FieldValue, Text

# The loss is what a replay is made for; other signals stand in where it shows nothing.
FIRST_SIGNALS: Final = (Metric.LOSS, Metric.VAL_LOSS, Metric.REWARD)
# A spike comes back at the very point; a drift or a shift has no sharp beginning.
SPIKE_TOLERANCE: Final = 1  # logged points of the coarser log
BREAK_TOLERANCE: Final = 10
# A spike that the diagnosis of B passed over: its logs may be short or noisy. Six scatters, as the
# highest of some hundred points of noise reaches four.
SCAN_UNITS: Final = 6.0
FEWEST_SCANNED: Final = 20
MOST_SCANNED: Final = 100
# Points that must lie before an event, and follow it.
AFTER_POINTS: Final = 5
# Where the noise of both goes together from here on, the same batches came in the same order.
SAME_BATCHES: Final = 0.7
OTHER_BATCHES: Final = 0.3


@dataclass(frozen=True, slots=True)
class Played:
    """A run with its report and the series that the event is in."""

    run: Run
    report: Report


def judge(
    a: Played,
    b: Played,
    signals: Sequence[SignalDifference],
    change: Change,
    *,
    source: Source,
) -> ReplayVerdict:
    """Return what became of the gravest event of A in B."""
    finding = gravest(a.report, a.run)
    if finding is None:
        return _open("no-event", sentence("no_event"), change, source=source)
    judged = _Judgement(a.run, b, finding, change, source=source)
    return judged.verdict(_sameness(finding, signals))


def gravest(report: Report, run: Run) -> Finding | None:
    """Return the finding at a step that matters most: of the loss, the worst, the first."""
    found = [one for one in report.findings if _order(one, run) is not None]
    return min(found, key=lambda one: _order(one, run) or (), default=None)


def _order(finding: Finding, run: Run) -> tuple[int, int, int] | None:
    anomaly = finding.anomaly
    series = run.named(anomaly.signal)
    if series is None or anomaly.kind not in SUDDEN or _falls(finding):
        return None
    first = 0 if series.metric in FIRST_SIGNALS and anomaly.kind not in LATER else 1
    return first, -anomaly.severity.rank, step_told(finding.anomaly)


def _falls(finding: Finding) -> bool:
    form = finding.anomaly.form
    return finding.anomaly.kind is Kind.LEVEL_SHIFT and form is not None and form.value == "down"


class _Judgement:
    """The questions in their order: is it there, is it elsewhere, could it have been seen?"""

    def __init__(
        self, a: Run, b: Played, finding: Finding, change: Change, *, source: Source
    ) -> None:
        self.b, self.finding, self.change, self.source = b, finding, change, source
        self.step = step_told(finding.anomaly)
        self.is_spike = finding.anomaly.kind in SPIKES
        one = a.named(finding.anomaly.signal)
        assert one is not None  # `gravest` asked for it
        self.one: Series = one
        self.two = _counterpart(one, b.run)
        strides = [one.stride, self.two.stride if self.two is not None else 1.0]
        points = SPIKE_TOLERANCE if self.is_spike else BREAK_TOLERANCE
        self.tolerance = int(np.ceil(points * max(strides)))
        self.values: dict[str, FieldValue] = {
            "what": "", "signal": one.name, "step": self.step, "tolerance": self.tolerance,
        }  # fmt: skip

    def verdict(self, sameness: Text | None) -> ReplayVerdict:
        """Return the verdict; `sameness` tells how alike both are before the event."""
        if self.two is None:
            return self._open("no-signal", sentence("no_signal"))
        if not self.two.steps[0] <= self.step <= self.two.steps[-1]:
            self.values |= {"first": int(self.two.steps[0]), "last": int(self.two.steps[-1])}
            return self._open("not-covered", sentence("not_covered"))
        wanted = rise_at(self.one, self.step, self.tolerance)
        there = rise_at(self.two, self.step, self.tolerance)
        was_broken = self._was_broken()
        if is_same(wanted, there) and not was_broken:
            return self._closed(Verdict.SAME_STEP, there.step, wanted, there, sameness)
        elsewhere = self._elsewhere(wanted)
        if elsewhere is not None:
            found = rise_at(self.two, elsewhere, 0)
            return self._closed(Verdict.OTHER_STEP, elsewhere, wanted, found, sameness)
        if self.is_spike and not self._logs_the_step():
            return self._open("not-logged", sentence("not_logged"))
        before, after = self._room()
        if was_broken or before < FEWEST_BEFORE or after < AFTER_POINTS:
            self.values |= {"before": before, "after": after}
            return self._open("too-short", sentence("too_short"))
        return self._closed(Verdict.NOT_REPRODUCED, None, wanted, there, sameness)

    def _was_broken(self) -> bool:
        """Return whether B was not finite before the step at which A was whole until then."""
        assert self.two is not None
        mine, theirs = (
            one.values[: one.index_at(self.step - self.tolerance)][-1:]
            for one in (self.one, self.two)
        )
        return bool(np.isfinite(mine).all() and not np.isfinite(theirs).all())

    def _elsewhere(self, wanted: Rise) -> int | None:
        """Return the step of such an event in B that is none of A's, or None."""
        assert self.two is not None
        for finding in self.b.report.findings:
            if (
                finding.anomaly.signal != self.two.name
                or finding.anomaly.kind not in (SPIKES | BREAKS)
                or _falls(finding)
            ):
                continue
            step = step_told(finding.anomaly)
            if abs(step - self.step) <= self.tolerance or not self._begins_whole(step):
                continue
            found = rise_at(self.two, step, int(np.ceil(self.two.stride)))
            if is_same(wanted, found) and not self._has_it_too(step, found):
                return step
        return self._unfound(wanted) if self.is_spike else None

    def _begins_whole(self, step: int) -> bool:
        """Return whether B had any loss before: what it began with is no event of the replay."""
        assert self.two is not None
        return bool(np.isfinite(self.two.values[: self.two.index_at(step)]).any())

    def _unfound(self, wanted: Rise) -> int | None:
        """Return the step of the highest such spike in B that its diagnosis did not single out."""
        assert self.two is not None
        steps, values = self.two.finite()
        if not np.isfinite(wanted.rise) or values.size < FEWEST_SCANNED:
            return None
        judged = transform(values).values
        base = baseline(judged)
        above = judged - base.hampel
        high = (above >= SAME_SHARE * wanted.rise) & (above >= SCAN_UNITS * base.noise)
        high &= np.abs(steps - self.step) > self.tolerance
        for index in sorted(np.flatnonzero(high)[:MOST_SCANNED], key=lambda i: -above[i]):
            step = int(steps[index])
            found = rise_at(self.two, step, 0)
            if is_same(wanted, found) and not self._has_it_too(step, found):
                return step
        return None

    def _has_it_too(self, step: int, found: Rise) -> bool:
        """Return whether A has the same there, and was whole before."""
        before = self.one.index_at(step - self.tolerance) - 1
        if before >= 0 and not np.isfinite(self.one.values[before]):
            return False
        return is_same(found, rise_at(self.one, step, self.tolerance))

    def _logs_the_step(self) -> bool:
        assert self.two is not None
        return bool(np.any(self.two.steps == self.step)) or self.two.stride <= self.one.stride

    def _room(self) -> tuple[int, int]:
        """Return the points that B logged before and after the step."""
        assert self.two is not None
        steps, _ = self.two.finite()
        return int((steps < self.step).sum()), int((steps > self.step).sum())

    def _closed(
        self, verdict: Verdict, step: int | None, wanted: Rise, found: Rise, sameness: Text | None
    ) -> ReplayVerdict:
        proves, proves_not, next_ = conclusions(self.change, verdict)
        self.values |= {
            "found": -1 if step is None else step,
            "reached": _reached(self.one, wanted),
        }
        self.values["again"] = _reached(self.two or self.one, found)
        seen = sentence(verdict.value).fill(self.values)
        reason = (
            seen
            if sameness is None
            else Text(f"{seen.en} {sameness.en}", f"{seen.zh}{sameness.zh}")
        )
        return ReplayVerdict(
            verdict, self.change, self.source, self._worded(reason), proves, proves_not, next_,
            event=event(self.finding), found_step=step, tolerance=self.tolerance,
            measures=_measures(wanted, found),
        )  # fmt: skip

    def _open(self, reason: str, text: Text) -> ReplayVerdict:
        opened = _open(
            reason, self._worded(text.fill(self.values)), self.change, source=self.source
        )
        return _with_event(opened, self.finding, self.tolerance)

    def _worded(self, text: Text) -> Text:
        what = described(self.finding)
        return Text(text.en.replace("{event}", what.en), text.zh.replace("{event}", what.zh))


def _open(reason: str, text: Text, change: Change, *, source: Source) -> ReplayVerdict:
    return ReplayVerdict(
        Verdict.CANNOT_TELL, change, source, text, NOTHING, UNTOUCHED, remedy(reason)
    )


def _with_event(opened: ReplayVerdict, finding: Finding, tolerance: int) -> ReplayVerdict:
    return replace(opened, event=event(finding), tolerance=tolerance)


def _counterpart(one: Series, run: Run) -> Series | None:
    return run.named(one.name) or run.get(one.metric)


def _reached(series: Series, rise: Rise) -> FieldValue:
    """Return the value at the top of a rise: levels before it depend on how much was logged."""
    index = series.index_at(rise.step)
    return float(series.values[index]) if index < len(series) else float("nan")


def _measures(wanted: Rise, found: Rise) -> Mapping[str, float]:
    return {
        "rise": wanted.rise, "units": wanted.units,
        "found_rise": found.rise, "found_units": found.units,
    }  # fmt: skip


def _sameness(finding: Finding, signals: Sequence[SignalDifference]) -> Text | None:
    """Return how exact the replay was: the same values, the same batches, or others."""
    one = next((s for s in signals if s.name == finding.anomaly.signal), None)
    if one is None or not one.common:
        return None
    values: dict[str, FieldValue] = {"step": step_told(finding.anomaly), "first": one.first_step}
    if one.first_difference is None or one.first_difference > step_told(finding.anomaly):
        return sentence("exact").fill(values)
    if one.identical_until is not None:
        return sentence("exact_until").fill(values | {"until": one.identical_until})
    if one.shared_noise is None:
        return None
    if one.shared_noise >= SAME_BATCHES:
        return sentence("same_batches").fill({"r": round(one.shared_noise, 2)})
    return (
        sentence("others").fill({"r": round(one.shared_noise, 2)})
        if one.shared_noise < OTHER_BATCHES
        else None
    )
