"""Whether a report contradicts itself: a quantity has one value wherever it is told.

    python benchmarks/agreement.py [FOLDER …]

Reads every run under each FOLDER (the sample logs without one), prints what a report tells in two
ways, and ends with 1 if there is anything. Needs no labels.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from _labelled import SAMPLE_LOGS
from _prose import SLIPS, advice, evidence

from spikedoc.errors import InputError
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import LASTING, Kind
from spikedoc.model.report import Finding, Report
from spikedoc.pipeline import analyze_all
from spikedoc.text import FieldValue, format_value

# Evidence shows two digits below a hundred; half a unit of the second is 5 %.
ROUNDED: Final = 0.05

# (what, kind of finding, its signal, its measures, probes that tell the same, their values)
TOLD_TWICE: Final = [
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "factor", ("grad_jumps_far",), "factor"),
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "before", ("grad_jumps_far",), "before"),
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "peak", ("grad_jumps_far",), "after"),
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "factor", ("grad_exceeds_clip_habit",), "factor"),
    ("update jump", Kind.UPDATE_SPIKE, "factor", ("update_jumps_with_loss",), "factor"),
    ("ramp", Kind.GRADIENT_RAMP, "factor", ("grad_ramps_before",), "factor"),
    ("spike", Kind.ISOLATED_SPIKE, "before", ("returns_at_once", "stays_off"), "before"),
    ("spike", Kind.ISOLATED_SPIKE, "peak", ("returns_at_once", "stays_off"), "peak"),
    ("spike", Kind.SLOW_RECOVERY, "before", ("returns_at_once", "stays_off"), "before"),
    (
        "way back",
        Kind.SLOW_RECOVERY,
        "recovered_after_steps",
        ("returns_slowly", "outlasts_a_batch"),
        "steps",
    ),
    ("overfitting", Kind.OVERFITTING, "best", ("val_rises_while_train_falls",), "best"),
    ("overfitting", Kind.OVERFITTING, "best_step", ("val_rises_while_train_falls",), "step"),
    ("overfitting", Kind.OVERFITTING, "last", ("val_rises_while_train_falls",), "last"),
    ("noise", Kind.OSCILLATION, "noise", ("noise_exceeds_learning",), "noise"),
    ("noise", Kind.OSCILLATION, "learned", ("noise_exceeds_learning",), "fall"),
    ("rate", Kind.LR_DISCONTINUITY, "before", ("lr_jumped_up",), "before"),
    ("rate", Kind.LR_DISCONTINUITY, "after", ("lr_jumped_up",), "after"),
]
# Figures that every check and fix of a report fills in alike.
ONE_VALUE: Final = (
    *("lr_reduced", "rewarm_start", "clip_p99", "grad_median", "clip_first_step", "clip_last_step"),
    *("first_signal", "first_signal_step", "first_signal_lead", "best_val_step", "best_val_loss"),
    *("rollback_step", "rollback_checkpoint"),
)
# Answers that cannot both be given of one run: (probe, its verdict) twice.
OPPOSED: Final = (
    (("grad_is_bias_only", "supports"), ("grad_is_moderate", "supports")),
    (("grad_is_bias_only", "supports"), ("grad_is_vanishing", "refutes")),
    (("loss_runs_away_to_nonfinite", "supports"), ("calm_until_nonfinite", "supports")),
    (("loss_runs_away_to_nonfinite", "supports"), ("loss_nonfinite_first", "supports")),
    (("returns_at_once", "supports"), ("stays_off", "supports")),
    (("clip_is_off", "supports"), ("clip_is_loose", "supports")),
)
# Fixes that set one setting to different values.
OPPOSED_FIXES: Final = (("lower-beta2", "longer-beta2"), ("default-eps", "raise-eps-to-rms"))
# Where the loss and the gradient broke: a fact that can be cited only one way.
BREAKS: Final = ("grad", "loss")
# A level that lasts hides an event this many times as high.
HIDES: Final = 2.0


def figures(report: Report, name: str) -> set[FieldValue]:
    """Return the values that advice fills in for one figure."""
    return {found.values[name] for found in advice(report) if name in found.values}


def findings(report: Report, kind: Kind) -> list[Finding]:
    """Return the findings of one kind."""
    return [found for found in report.findings if found.anomaly.kind is kind]


def close(told: FieldValue, known: float) -> bool:
    """Return whether a value is another one, shown with two digits."""
    return isinstance(told, int | float) and math.isclose(told, known, rel_tol=ROUNDED)


def told_twice(report: Report) -> list[str]:
    """Return what findings and evidence tell differently.

    A cause that explains findings of other kinds as well may speak of one of these.
    """
    wrong = []
    kinds = {found.id: found.anomaly.kind for found in report.findings}
    for what, kind, measure, probes, value in TOLD_TWICE:
        known = [
            f.anomaly.measures[measure]
            for f in findings(report, kind)
            if measure in f.anomaly.measures
        ]
        for cause in report.causes:
            of_other_kinds = {kinds[name] for name in cause.findings} != {kind}
            if of_other_kinds and what in ("spike", "way back"):
                continue
            for said in cause.evidence:
                told = said.values.get(value)
                if known and said.probe in probes and told is not None:
                    agrees = any(close(told, one) for one in known)
                    wrong += [] if agrees else [f"{what}: {said.probe} {told}, not {known}"]
    return wrong


def several_values(report: Report) -> list[str]:
    """Return the figures that two pieces of advice fill in differently."""
    return [f"{name}: {found}" for name in ONE_VALUE if len(found := figures(report, name)) > 1]


def other_signs(report: Report) -> list[str]:
    """Return where a check, a fix and the way back differ about the first sign or the step."""
    if report.rollback is None:
        return []
    signs, steps = figures(report, "first_signal_step"), figures(report, "rollback_step")
    wrong = [f"first sign: {s}, not {report.rollback.sign_step}" for s in signs]
    wrong = [w for w, s in zip(wrong, signs, strict=True) if s != report.rollback.sign_step]
    return wrong + [
        f"way back: {s}, not {report.rollback.step}" for s in steps if s != report.rollback.step
    ]


def first_breaks(report: Report) -> list[str]:
    """Return the steps at which the loss broke first, where there are several."""
    told = {
        e.values["loss"]
        for e in evidence(report)
        if e.probe in ("loss_nonfinite_first", "grad_nonfinite_first") and "loss" in e.values
    }
    return [f"first break: {told}"] if len(told) > 1 else []


def other_percentiles(report: Report) -> list[str]:
    """Return percentiles of the gradient norm in evidence that are not those of the advice."""
    advised = figures(report, "clip_p99")
    return [
        f"P99: {e.values['usual']}, not {advised}"
        for e in evidence(report)
        if e.probe in ("grad_exceeds_clip_habit", "clip_is_loose")
        and advised
        and "usual" in e.values
        and e.values["usual"] not in advised
    ]


def signs_out_of_order(report: Report) -> list[str]:
    """Return what of the way back, the first sign and the loss does not come in this order."""
    back = report.rollback
    if back is None or back.sign_step is None or back.lost_step is None:
        return []
    wrong = []
    begins = report.run.segments[0][0]
    if not (back.step < back.sign_step or back.step == back.sign_step == begins):
        wrong.append(f"back to {back.step}, first sign at {back.sign_step}")
    if back.sign_step > back.lost_step:
        wrong.append(f"first sign at {back.sign_step}, lost at {back.lost_step}")
    if f"step {back.sign_step}" not in back.reason.en:
        wrong.append(f"the reason does not name step {back.sign_step}")
    stretch = figures(report, "clip_last_step")
    if report.findings[0].anomaly.kind not in LASTING:
        wrong += [f"ordinary gradients up to {s}" for s in stretch if int(s) >= back.sign_step]
    return wrong


def earlier_signs(report: Report) -> list[str]:
    """Return evidence of the breakdown that tells an earlier step than the first sign."""
    back = report.rollback
    if back is None or back.sign_step is None:
        return []
    told: list[tuple[str, FieldValue]] = []
    for e in evidence(report):
        if e.verdict is not Verdict.SUPPORTS:
            continue
        if e.probe == "max_logit_near_fp16_limit" and e.values["value"] == "inf":
            told.append((e.probe, e.values["step"]))
        if e.probe == "grad_ramps_before" and int(e.values["last"]) >= back.sign_step:
            told.append((e.probe, e.values["first"]))
        if e.probe in ("loss_nonfinite_first", "grad_nonfinite_first"):
            told += [(e.probe, e.values[name]) for name in ("loss", "grad") if name in e.values]
    return [f"{probe} at {step}" for probe, step in told if int(step) < back.sign_step]


def calm_while_broken(report: Report) -> list[str]:
    """Return a calm of the gradient norm that is told to last beyond its own first sign."""
    back = report.rollback
    own = back is not None and back.sign_signal == "grad_norm"
    broken = [
        int(e.values["grad"])
        for e in evidence(report)
        if e.probe in ("loss_nonfinite_first", "grad_nonfinite_first") and "grad" in e.values
    ]
    if back is not None and back.sign_step is not None and own:
        broken.append(back.sign_step)
    first = min(broken, default=None)
    return [
        f"calm up to {e.values['step']}, first sign at {first}"
        for e in evidence(report)
        if e.probe == "grad_calm_before" and e.verdict is Verdict.SUPPORTS
        if first is not None and first <= int(e.values["step"])
    ]


def opposed_answers(report: Report) -> list[str]:
    """Return pairs of answers that contradict each other."""
    given = {(e.probe, e.verdict.value) for e in evidence(report)}
    return [f"{one} and {two}" for one, two in OPPOSED if one in given and two in given]


def opposed_fixes(report: Report) -> list[str]:
    """Return pairs of fixes that undo each other."""
    told = {fix.id for cause in report.causes for fix in cause.fixes}
    return [f"{one} and {two}" for one, two in OPPOSED_FIXES if {one, two} <= told]


def jumps_of_one_step(report: Report) -> list[str]:
    """Return where one series jumps by different factors at one step."""
    told: dict[FieldValue, set[FieldValue]] = {}
    for e in evidence(report):
        if e.probe in ("grad_jumps_far", "grad_jumps_with_loss") and "step" in e.values:
            told.setdefault(e.values["step"], set()).add(e.values["factor"])
    return [f"at {step}: {sorted(map(str, f))}" for step, f in told.items() if len(f) > 1]


def onsets(report: Report) -> list[str]:
    """Return sentences that give a step as that of the onset: a report has several findings."""
    said = [e.statement.en for e in evidence(report)]
    return [text for text in said if "onset at step" in text]


def blanks(report: Report) -> list[str]:
    """Return sentences of evidence that show a value that is not there."""
    texts = [text for e in evidence(report) for text in (e.statement.en, e.statement.zh)]
    return [text for text in texts if "—" in text.replace("——", "") or "{" in text]


def hidden_peaks(report: Report) -> list[str]:
    """Return summaries of a lasting level that leave out how much higher it went."""
    wrong = []
    for finding in report.findings:
        told = finding.anomaly.measures
        lasts = finding.anomaly.label in ("level-shift/up", "divergence/finite")
        if lasts and told.get("peak", 0.0) >= HIDES * told.get("after", float("inf")):
            shown = format_value(told["peak"])
            wrong += [] if shown in finding.summary.en else [f"peak of {shown}"]
    return wrong


def asked_again(report: Report) -> list[str]:
    """Return signals that are listed as not logged although they were."""
    return [gap.signal for gap in report.gaps if gap.signal in report.run.signals]


def cited_both_ways(report: Report) -> list[str]:
    """Return what one cause has for it and against it: two answers with the same numbers."""
    wrong = []
    for cause in report.causes:
        told: dict[tuple[tuple[str, FieldValue], ...], Evidence] = {}
        for said in cause.evidence:
            numbers = tuple(sorted((k, v) for k, v in said.values.items() if k in BREAKS))
            if said.verdict is Verdict.UNKNOWN or len(numbers) < len(BREAKS):
                continue
            other = told.setdefault(numbers, said)
            if other.verdict is not said.verdict:
                wrong.append(f"{cause.rule.code}: {other.probe} and {said.probe}")
    return wrong


def other_cycles(report: Report) -> list[str]:
    """Return evidence and folded curves that count other cycles than their finding."""
    known = {f.id: f.anomaly.measures.get("cycles") for f in report.findings}
    wrong = []
    for cause in report.causes:
        counted = {known[name] for name in cause.findings} - {None}
        wrong += [
            f"{said.probe}: {said.values['cycles']}, not {counted}"
            for said in cause.evidence
            if "cycles" in said.values and counted and said.values["cycles"] not in counted
        ]
    folds = () if report.charts is None else report.charts.folds
    return wrong + [
        f"fold: {fold.cycles}, not {known[fold.finding]}"
        for fold in folds
        if known[fold.finding] is not None and fold.cycles != known[fold.finding]
    ]


def came_back_and_did_not(report: Report) -> list[str]:
    """Return evidence that says a metric came back whose damage a finding tells."""
    damaged = {found.anomaly.signal for found in findings(report, Kind.METRIC_DAMAGE)}
    said = [e.statement.en for e in evidence(report)]
    return [text for text in said for name in damaged if text.startswith(f"{name} came back")]


CHECKS: Final[tuple[Callable[[Report], list[str]], ...]] = (
    told_twice,
    several_values,
    other_signs,
    first_breaks,
    other_percentiles,
    signs_out_of_order,
    earlier_signs,
    calm_while_broken,
    opposed_answers,
    opposed_fixes,
    jumps_of_one_step,
    onsets,
    blanks,
    hidden_peaks,
    asked_again,
    *SLIPS,
    cited_both_ways,
    other_cycles,
    came_back_and_did_not,
)


def contradictions(report: Report) -> list[str]:
    """Return every contradiction of the report, each with the name of its check."""
    return [f"{check.__name__}: {said}" for check in CHECKS for said in check(report)]


def folders(path: Path) -> list[Path]:
    """Return the folders below `path` that are to be read one by one: those of one case each."""
    return sorted(p for p in path.iterdir() if p.is_dir() and p.name != "make")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the contradictions of all reports; return 1 when there is one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", nargs="*", type=Path, default=[SAMPLE_LOGS])
    reports = found = 0
    for path in [case for root in parser.parse_args(arguments).folder for case in folders(root)]:
        try:
            told = analyze_all(path)
        except InputError:
            continue
        for report in told:
            reports += 1
            for said in contradictions(report):
                found += 1
                print(f"{path.name}: {said}")
    print(f"{reports} reports, {found} contradictions")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
