"""The whole way from a run to a report, with the catalogue that is shipped."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import synth
from salts import SALTS, STEPS, salted_run

import spikedoc.pipeline as module
from spikedoc.errors import CatalogError, InputError
from spikedoc.evidence.base import Answer, Case, Probe
from spikedoc.model.codec import dumps, loads
from spikedoc.model.knowledge import Catalog, Domain, Rule, Weight
from spikedoc.model.label import Kind, Severity, Status
from spikedoc.model.report import Report
from spikedoc.model.run import Run
from spikedoc.pipeline import analyze_all, analyze_frame, detect, diagnose
from spikedoc.renderers import html
from spikedoc.renderers.base import RenderOptions
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Language, Text

TEXT = Text("words", "文字")


@cache
def shipped() -> Catalog:
    return load_catalog(None)


def report(run: Run) -> Report:
    return diagnose(run, shipped())


def check(found: Report) -> None:
    """Check what holds of any report: references exist, nothing is left to fill, JSON is strict."""
    ids = {f.id for f in found.findings}
    assert [f.id for f in found.findings] == [f"F{i + 1}" for i in range(len(found.findings))]
    ranks = [f.anomaly.severity.rank for f in found.findings]
    assert ranks == sorted(ranks, reverse=True)
    codes = {c.rule.code for c in found.causes}
    for place, cause in enumerate(found.causes, start=1):
        assert cause.rank == place
        assert set(cause.findings) <= ids
        assert cause.findings
        for advice in (*cause.checks, *cause.fixes):
            assert "{" not in advice.text.en + advice.text.zh, (cause.rule.code, advice)
    assert all(0.0 < c.score < 1.0 for c in found.causes)
    # Likeliest first; what explains harmless observations only comes after all else.
    severe = {f.id for f in found.findings if f.anomaly.severity is not Severity.INFO}
    order = [(not severe & set(c.findings), -c.score) for c in found.causes]
    assert order == sorted(order)
    checks = [item.check.id for item in found.checklist]
    assert len(checks) == len(set(checks))
    for item in found.checklist:
        assert set(item.causes) <= codes
        assert item.causes or not codes
    for text in (found.headline, *(f.summary for f in found.findings)):
        assert text.en
        assert text.zh
        assert "{" not in text.en + text.zh
    assert dumps(loads(dumps(found))) == dumps(found)


@pytest.mark.parametrize("name", synth.CASES)
def test_a_labelled_run_gets_a_whole_report(name: str) -> None:
    made = synth.CASES[name]()
    found = report(made.run)
    check(found)
    assert made.truth is not None
    assert made.truth.label in {f.anomaly.label for f in found.findings}
    worst = max(f.anomaly.severity.rank for f in found.findings)
    expected = (Status.HEALTHY, Status.WARNING, Status.CRITICAL)[worst]
    assert found.status is expected


@pytest.mark.parametrize("salt", SALTS)
def test_broken_series_get_a_report(salt: str) -> None:
    check(report(salted_run(salt)))


@pytest.mark.parametrize("salt", SALTS)
def test_broken_series_can_be_drawn(salt: str) -> None:
    """What a page draws must be strict JSON, which holds no number beyond the finite ones."""
    drawn = diagnose(salted_run(salt), shipped(), with_charts=True)
    assert html.RENDERER(drawn, RenderOptions(Language.EN)).rstrip().endswith("</html>")


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("salt", ["holes", "one-huge", "ends-nan", "rising"])
def test_odd_steps_get_a_report(salt: str, steps: str) -> None:
    check(report(salted_run(salt, steps)))


def test_a_healthy_run_is_called_healthy() -> None:
    found = report(synth.healthy().run)
    check(found)
    assert found.status is Status.HEALTHY
    assert (found.findings, found.causes, found.checklist, found.rollback) == ((), (), (), None)


@pytest.mark.parametrize("n", [0, 1, 7])
def test_too_little_is_unknown_never_healthy(n: int) -> None:
    found = report(synth.loss_run(np.ones(n)))
    check(found)
    assert found.status is Status.UNKNOWN
    assert report(Run("bare", "bare", ())).status is Status.UNKNOWN


def test_the_same_run_gives_the_same_report_twice() -> None:
    for make in (synth.spikes, synth.gradient_ramp, synth.comb, synth.metric_damage):
        assert dumps(report(make().run)) == dumps(report(make().run))


def test_the_order_of_the_series_does_not_matter() -> None:
    run = synth.metric_damage().run
    turned = synth.run(*reversed(run.series))
    one, other = report(run), report(turned)
    assert one.findings == other.findings
    assert [(c.rule.code, c.score) for c in one.causes] == [
        (c.rule.code, c.score) for c in other.causes
    ]


def test_what_every_detector_sees_comes_together() -> None:
    run = synth.metric_damage().run
    names = {d.detector for d in detect(run)}
    assert "excursions" in names
    assert detect(Run("bare", "bare", ())) == ()


# ------------------------------------------------------------------------------- probes and rules


def catalog(*weights: Weight) -> Catalog:
    rules = [
        Rule(f"ME10{i}", f"mine-{i}", f"cause-{i}", Domain.DATA, {Kind.ISOLATED_SPIKE: 5}, TEXT,
             TEXT, TEXT, (weight,), (), ())
        for i, weight in enumerate(weights)
    ]  # fmt: skip
    return Catalog(tuple(rules))


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Case], Answer]], list[Case]]:
    """Return a function that makes "mine" the only probe, and notes what it was asked."""

    def install(ask: Callable[[Case], Answer]) -> list[Case]:
        cases: list[Case] = []

        def noted(case: Case) -> Answer:
            cases.append(case)
            return ask(case)

        mine = Probe("mine", TEXT, Text("yes {n}", "是 {n}"), TEXT, noted)
        monkeypatch.setattr(module, "_probes", lambda: {"mine": mine})
        return cases

    return install


Install = Callable[[Callable[[Case], Answer]], list[Case]]


def test_each_question_is_asked_once_per_finding(probe: Install) -> None:
    cases = probe(lambda case: Answer(True, {"n": case.anomaly.start_step}))
    run = synth.spikes(4).run
    found = diagnose(run, catalog(Weight("mine", 3, 0), Weight("mine", 2, 0)))
    assert len(cases) == 4
    assert all(case.run is run for case in cases)
    assert all(case.anomalies == cases[0].anomalies for case in cases)
    assert [c.rule.code for c in found.causes] == ["ME100", "ME101"]
    assert found.causes[0].findings == ("F1", "F2", "F3", "F4")


def test_two_equal_findings_are_still_two_questions(probe: Install) -> None:
    seen = probe(lambda case: Answer(True, {"n": 1}))
    diagnose(synth.spikes(4).run, catalog(Weight("mine", 3, 0)))
    assert len({id(case.anomaly) for case in seen}) == 4


def test_the_statement_of_the_evidence_is_filled(probe: Install) -> None:
    probe(lambda case: Answer(True, {"n": 7.0}))
    found = diagnose(synth.spike().run, catalog(Weight("mine", 3, 0)))
    assert found.causes[0].evidence[0].statement == Text("yes 7", "是 7")


# ------------------------------------------------------------------------------- ways in


def table() -> dict[str, np.ndarray]:
    return {
        "step": np.arange(0, 4000, 2), "train/loss": synth.spike().run.series[0].values,
        "lr": np.full(2000, 1e-3),
    }  # fmt: skip


def test_a_table_gives_a_report() -> None:
    frame = pd.DataFrame(table())
    for given in (frame, frame.drop(index=7).set_index("step"), table()):
        found = analyze_frame(given)
        check(found)
        (finding,) = found.findings
        assert (finding.anomaly.label, finding.anomaly.start_step) == ("isolated-spike", 2400)
        assert finding.anomaly.severity is Severity.INFO
        assert set(found.run.signals) == {"loss", "lr"}


def test_a_table_may_name_its_loss() -> None:
    given = {"i": table()["train/loss"], "lr": table()["lr"]}
    found = analyze_frame(given, mapping={"loss": "i"})
    assert found.run.signals["loss"].tag == "i"
    assert found.findings


def test_a_table_with_nan_and_missing_values() -> None:
    given = table()
    given["train/loss"] = given["train/loss"].copy()
    given["train/loss"][1500:] = math.nan
    found = analyze_frame(pd.DataFrame(given))
    assert found.status is Status.CRITICAL
    assert found.findings[0].anomaly.label == "nonfinite/persistent"


@pytest.mark.parametrize("given", [{}, {"name": ["a", "b"]}, pd.DataFrame()])
def test_a_table_without_numbers_is_refused(given: object) -> None:
    with pytest.raises(InputError):
        analyze_frame(given)


def test_a_file_gives_one_report(tmp_path: Path) -> None:
    rows = zip(*table().values(), strict=True)
    lines = ["step,train/loss,lr", *(f"{s},{v:.6f},{r}" for s, v, r in rows)]
    file = tmp_path / "metrics.csv"
    file.write_text("\n".join(lines), encoding="utf-8")
    (found,) = analyze_all(file)
    check(found)
    assert [f.anomaly.start_step for f in found.findings] == [2400]


def test_progress_and_extra_rules_are_passed_on(tmp_path: Path) -> None:
    file = tmp_path / "metrics.jsonl"
    rows = [{"step": i, "loss": 1.0 / (i + 1)} for i in range(50)]
    file.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    heard: list[object] = []
    analyze_all(str(file), progress=lambda *news: heard.append(news))
    assert heard
    with pytest.raises(CatalogError):
        analyze_all(file, rules=tmp_path / "nowhere")


def test_a_path_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        analyze_all(tmp_path / "nowhere")


OWN_RULE = """
cause = "bad-labels"
domain = "data"
checks = ["own-check"]
fixes = ["own-fix"]
evidence = [{{ probe = "{probe}", supports = 2, refutes = 1 }}]
[prior]
"isolated-spike" = 3
[title]
en = "Own"
zh = "自定义"
[why]
en = "Own words."
zh = "自定义说明。"
[benign_when]
en = "Never."
zh = "从不。"
[check.own-check]
cost = "minutes"
en = "Look."
zh = "查看。"
[fix.own-fix]
figures = ["{figure}"]
en = "Go to {{{figure}}}."
zh = "到 {{{figure}}}。"
[fix.own-fix.unmeasured]
en = "Go."
zh = "前往。"
"""


@pytest.mark.parametrize(
    ("probe", "figure", "said"),
    [
        ("grad_barely_move", "onset_step", "no probe is called .*near: grad_barely_moves"),
        ("grad_barely_moves", "onset_stop", "no figure is called 'onset_stop'"),
    ],
)
def test_own_rules_that_ask_for_what_does_not_exist(
    tmp_path: Path, probe: str, figure: str, said: str
) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    text = OWN_RULE.format(probe=probe, figure=figure)
    (rules / "MY101-own.toml").write_text(text, encoding="utf-8")
    log = tmp_path / "log.csv"
    log.write_text("step,loss\n" + "\n".join(f"{i},{1 / (i + 1)}" for i in range(50)))
    with pytest.raises(CatalogError, match=said):
        analyze_all(log, rules=rules)
