"""A quantity has one value in a report: in finding, evidence, check, fix and way back."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.report import Report
from spikedoc.pipeline import analyze_all
from spikedoc.text import Text

TOP = Path(__file__).parents[2]
ROOT = TOP / "sample_logs"
NAMES = sorted(path.parent.name for path in ROOT.glob("*/case.toml"))


def _agreement() -> ModuleType:
    """Return the program in `benchmarks`, which is no package."""
    folder = str(TOP / "benchmarks")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("agreement")
    finally:
        sys.path.remove(folder)


agreement = _agreement()


@cache
def report_on(name: str) -> Report:
    (report,) = analyze_all(ROOT / name / "run")
    return report


@pytest.mark.parametrize("check", agreement.CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_a_quantity_has_one_value(name: str, check: Callable[[Report], list[str]]) -> None:
    assert check(report_on(name)) == []


def test_the_table_is_met_by_the_samples() -> None:
    """A quantity that no sample tells twice is not tested at all."""
    met = set()
    for name in NAMES:
        report = report_on(name)
        said = {e.probe for e in agreement.evidence(report)}
        for what, kind, _, probes, _ in agreement.TOLD_TWICE:
            if agreement.findings(report, kind) and said & set(probes):
                met.add(what)
    assert met == {row[0] for row in agreement.TOLD_TWICE}


def changed(name: str, probe: str, **values: float | str) -> Report:
    """Return a report in which one probe supports its cause with other values."""
    report = report_on(name)
    cause = report.causes[0]
    said = Text("told", "说")
    told = Evidence(probe, Verdict.SUPPORTS, said, values)
    return replace(report, causes=(replace(cause, evidence=(*cause.evidence, told)),))


def test_contradictions_are_found() -> None:
    late = changed("fp16_overflow", "max_logit_near_fp16_limit", value="inf", step=600)
    assert agreement.earlier_signs(late) == ["max_logit_near_fp16_limit at 600"]
    calm = changed("dice_sqrt_nan", "grad_calm_before", ratio=1.0, step=1270)
    assert agreement.calm_while_broken(calm) == ["calm up to 1270, first sign at 1269"]
    back = report_on("fp16_overflow").rollback
    assert back is not None
    after = replace(report_on("fp16_overflow"), rollback=replace(back, step=720))
    assert "back to 720, first sign at 714" in agreement.signs_out_of_order(after)
    away = changed("nan_in_loss_log0", "loss_runs_away_to_nonfinite")
    assert len(agreement.opposed_answers(away)) == 1


def test_the_program_tells_of_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert agreement.main([str(ROOT / "replay")]) == 0
    assert "0 contradictions" in capsys.readouterr().out


def test_the_first_sign_is_the_earliest_of_any_signal() -> None:
    """The largest logit is infinite 366 steps before the validation loss is."""
    back = report_on("fp16_overflow").rollback
    assert back is not None
    assert (back.sign_signal, back.sign_step, back.step) == ("max_logit", 714, 650)
    assert back.sign_step - back.step == 64
    assert "The 64 steps between are a margin" in back.reason.en
    assert "两者之间留出 64 步余量" in back.reason.zh


def test_a_gradient_that_gave_out_is_calm_until_the_point_before() -> None:
    said = list(agreement.evidence(report_on("dice_sqrt_nan")))
    steps = {e.values["step"] for e in said if e.probe == "grad_calm_before"}
    assert steps == {1268}


def test_noise_of_its_usual_height_is_no_runaway() -> None:
    probes = {e.probe for e in agreement.evidence(report_on("nan_in_loss_log0"))}
    assert "loss_runs_away_to_nonfinite" not in probes


def test_a_resume_is_repeated_from_where_it_was() -> None:
    (cause, *_) = report_on("resume_lost_optimizer").causes
    (fix,) = [fix for fix in cause.fixes if fix.id == "resume-again"]
    assert fix.values == {"restart_step": 902}
