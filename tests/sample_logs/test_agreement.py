"""A quantity has one value in a report: in finding, evidence, check, fix and way back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from spikedoc.model.evidence import Evidence
from spikedoc.model.label import Kind
from spikedoc.model.report import Advice, Finding, Report
from spikedoc.pipeline import analyze_all
from spikedoc.text import FieldValue

ROOT = Path(__file__).parents[2] / "sample_logs"
NAMES = sorted(path.parent.name for path in ROOT.glob("*/case.toml"))
# Evidence shows two digits below a hundred; half a unit of the second is 5 %.
ROUNDED = 0.05

# (what, kind of finding, its signal, its measures, probes that tell the same, their values)
TOLD_TWICE = [
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "factor", ("grad_jumps_far",), "factor"),
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "before", ("grad_jumps_far",), "before"),
    ("gradient jump", Kind.GRADIENT_EXPLOSION, "peak", ("grad_jumps_far",), "after"),
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
ONE_VALUE = ("lr_reduced", "rewarm_start", "clip_p99", "best_val_step", "best_val_loss")


@cache
def report_on(name: str) -> Report:
    (report,) = analyze_all(ROOT / name / "run")
    return report


def evidence(report: Report) -> Iterator[Evidence]:
    for cause in report.causes:
        yield from cause.evidence


def advice(report: Report) -> Iterator[Advice]:
    for item in report.checklist:
        yield item.check
    for cause in report.causes:
        yield from (*cause.checks, *cause.fixes)


def figures(report: Report, name: str) -> set[FieldValue]:
    return {found.values[name] for found in advice(report) if name in found.values}


def findings(report: Report, kind: Kind) -> list[Finding]:
    return [found for found in report.findings if found.anomaly.kind is kind]


def close(told: FieldValue, known: float) -> bool:
    return isinstance(told, int | float) and told == pytest.approx(known, rel=ROUNDED)


def told_twice(report: Report) -> list[str]:
    """Return what findings and evidence tell differently."""
    wrong = []
    for what, kind, measure, probes, value in TOLD_TWICE:
        known = [
            f.anomaly.measures[measure]
            for f in findings(report, kind)
            if measure in f.anomaly.measures
        ]
        for said in evidence(report):
            told = said.values.get(value)
            if known and said.probe in probes and told is not None and told != "—":
                agrees = any(close(told, one) for one in known)
                wrong += [] if agrees else [f"{what}: {said.probe} {value} {told}, not {known}"]
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
        if not any(close(e.values["usual"], float(one)) for one in advised)
    ]


CHECKS: tuple[Callable[[Report], list[str]], ...] = (
    told_twice,
    several_values,
    other_signs,
    first_breaks,
    other_percentiles,
)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", NAMES)
def test_a_quantity_has_one_value(name: str, check: Callable[[Report], list[str]]) -> None:
    assert check(report_on(name)) == []


def test_the_table_is_met_by_the_samples() -> None:
    """A quantity that no sample tells twice is not tested at all."""
    met = set()
    for name in NAMES:
        report = report_on(name)
        said = {e.probe for e in evidence(report)}
        for what, kind, _, probes, _ in TOLD_TWICE:
            if findings(report, kind) and said & set(probes):
                met.add(what)
    assert met == {row[0] for row in TOLD_TWICE}
