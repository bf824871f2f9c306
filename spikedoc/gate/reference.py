"""Checks beside healthy runs: a signal that leaves its band, and which one left first."""

from __future__ import annotations

from typing import Final

from spikedoc.gate.verdict import Check, Outcome
from spikedoc.model.label import Severity
from spikedoc.model.run import Run
from spikedoc.reference.band import Reference
from spikedoc.reference.departure import Comparison, Departure, compare
from spikedoc.text import FieldValue, Text

FIRST: Final = "reference"
LENGTH: Final = "reference:length"
# Of the signals that left after the first one, so many are named.
NAMED: Final = 3

TITLE: Final = Text("Beside healthy runs", "与健康训练对比")
TITLE_OF: Final = Text("Beside healthy runs: {signal}", "与健康训练对比：{signal}")
STAYS: Final = Text("{signal} stays in the band of {runs}", "{signal} 保持在{runs}的区间之内")
ALL_STAY: Final = Text(
    "{count} {count|signal compared, it stays in|signals compared, none leaves} the band of {runs}",
    "对比了 {count} 个信号，全部保持在{runs}的区间之内",
)
LEAVES: Final = {
    True: Text(
        "{signal} rises above the band of {runs} at step {step}, its level reaching {level} "
        "(healthy: {low} to {high}), {beyond} beyond it",
        "{signal} 自第 {step} 步起高于{runs}的区间，分段中位数最高达到 {level}"
        "（健康范围 {low} 到 {high}），超出{beyond}",
    ),
    False: Text(
        "{signal} falls below the band of {runs} at step {step}, its level reaching {level} "
        "(healthy: {low} to {high}), {beyond} beyond it",
        "{signal} 自第 {step} 步起低于{runs}的区间，分段中位数最低降到 {level}"
        "（健康范围 {low} 到 {high}），超出{beyond}",
    ),
}
NOT_FINITE: Final = Text(
    "{signal} is not finite from step {step} on (healthy: {low} to {high})",
    "{signal} 从第 {step} 步起不是有限值（健康范围 {low} 到 {high}）",
)
LEFT_FIRST: Final = Text(
    "{signal} left its band first, at step {step}, by {beyond}",
    "{signal} 最先离开区间，在第 {step} 步，超出{beyond}",
)
LEFT_FIRST_NOT_FINITE: Final = Text(
    "{signal} left its band first, at step {step}: it is not finite",
    "{signal} 最先离开区间，在第 {step} 步：不是有限值",
)
THEN: Final = Text("; then {signal} at step {step}", "；随后是 {signal}（第 {step} 步）")
MISSING: Final = Text(
    "{signal} was not logged; {runs} logged it", "没有记录 {signal}，而{runs}记录了它"
)
NOTHING: Final = Text(
    "No signal of the reference could be compared: the run logged none of them, or too little",
    "没有一个参考信号可供对比：本次训练没有记录它们，或记录得太少",
)
SHORT: Final = Text(
    "The run ends at step {step}; the shortest of {runs} went to step {shortest}",
    "训练在第 {step} 步就结束了，而{runs}中最短的也到了第 {shortest} 步",
)


def reference_checks(run: Run, reference: Reference) -> list[Check]:
    """Return a check per signal of the reference, and one that names the first to leave.

    Trouble fails whatever the threshold of the gate: who gives a reference wants it kept. What left
    its band on the harmless side, or is not judged, is told. Nothing to compare is a failure.
    """
    found = compare(run, reference)
    runs = _runs(len(reference.runs))
    if not found.compared:
        return [_check(FIRST, TITLE, Outcome.FAILED, NOTHING)]
    checks = [_first(found, runs)]
    left: dict[str, Departure] = {}
    for one in found.departures:
        if one.signal not in left or (one.is_trouble and not left[one.signal].is_trouble):
            left[one.signal] = one
    checks += [_signal(signal, left.get(signal), runs) for signal in found.compared]
    judged = {band.signal for band in reference.bands if band.judged}
    for signal in found.missing:
        if signal in judged:
            said = _fill(MISSING, runs, signal=signal)
            checks.append(_of(signal, Outcome.WARNED, said, None))
    if found.is_short:
        said = _fill(SHORT, runs, step=found.last_step, shortest=reference.shortest)
        checks.append(_check(LENGTH, TITLE, Outcome.WARNED, said))
    return checks


def _first(found: Comparison, runs: Text) -> Check:
    first = found.first
    if first is None:
        said = _fill(ALL_STAY, runs, count=len(found.compared))
        return _check(FIRST, TITLE, Outcome.PASSED, said)
    said = _fill(LEFT_FIRST if first.is_finite else LEFT_FIRST_NOT_FINITE, runs, **_values(first))
    said = _with_beyond(said, first)
    others = [one for one in found.departures if one.is_trouble and one.signal != first.signal]
    for one in others[:NAMED]:
        then = THEN.fill({"signal": one.signal, "step": one.first_step})
        said = Text(said.en + then.en, said.zh + then.zh)
    return _check(FIRST, TITLE, Outcome.FAILED, said, first.signal, first.first_step)


def _signal(signal: str, left: Departure | None, runs: Text) -> Check:
    if left is None:
        return _of(signal, Outcome.PASSED, _fill(STAYS, runs, signal=signal), None)
    template = LEAVES[left.above] if left.is_finite else NOT_FINITE
    said = _with_beyond(_fill(template, runs, **_values(left)), left)
    outcome = Outcome.FAILED if left.is_trouble else Outcome.WARNED
    return _of(signal, outcome, said, left.first_step)


def _values(one: Departure) -> dict[str, FieldValue]:
    values: dict[str, FieldValue] = {"signal": one.signal, "step": one.first_step}
    return values | {"level": one.level, "low": one.low, "high": one.high}


def _with_beyond(said: Text, one: Departure) -> Text:
    number = f"{one.beyond:.2g}" if one.beyond < 100 else "> 100"
    widths = "band width" if number == "1" else "band widths"
    return Text(
        said.en.replace("{beyond}", f"{number} {widths}"),
        said.zh.replace("{beyond}", f" {number} 个区间宽度"),
    )


def _runs(count: int) -> Text:
    if count == 1:
        return Text("one healthy run", "一次健康训练")
    return Text(f"{count} healthy runs", f" {count} 次健康训练")


def _fill(template: Text, runs: Text, **values: FieldValue) -> Text:
    """Return the text with its values; the runs are counted in the words of each language."""
    return Text(
        template.fill(values | {"runs": runs.en}).en, template.fill(values | {"runs": runs.zh}).zh
    )


def _of(signal: str, outcome: Outcome, said: Text, step: int | None) -> Check:
    title = TITLE_OF.fill({"signal": signal})
    return _check(f"{FIRST}:{signal}", title, outcome, said, signal, step)


def _check(
    name: str, title: Text, outcome: Outcome, said: Text, signal: str = "", step: int | None = None
) -> Check:
    severity = {Outcome.FAILED: Severity.WARNING}.get(outcome, Severity.INFO)
    return Check(
        id=name,
        title=title,
        outcome=outcome,
        severity=severity,
        message=said,
        signal=signal,
        step=step,
        fingerprint=f"reference:{name}",
    )
