"""The report put together: status, facts, findings, causes, and where to go back to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.assembly.advice import Advisor
from spikedoc.assembly.report import agreeing_fixes, assemble, judge
from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Action, Catalog, Cost, Domain, Rule, Stage, Weight
from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import Checkpoint, Restart, Run, Source
from spikedoc.rules.engine import Ranked, likelihood
from spikedoc.text import FieldValue, Text
from spikedoc.version import VERSION
from tests.notes import english

TEXT = Text("words", "文字")


def anomaly(kind: Kind = Kind.ISOLATED_SPIKE, severity: Severity = Severity.WARNING,
            step: int = 500, form: Form | None = None) -> Anomaly:  # fmt: skip
    return Anomaly(kind, severity, 0.9, "loss", step, step + 1, step + 9, form)


CHECK = Action("read-log", Text("read {clip}", "看 {clip}"), None, Cost.MINUTES, ("clip",))
OTHER = Action("look", Text("look", "看"), None, Cost.HOURS)
RULE = Rule(
    "SD101", "bad-labels", "bad-labels", Domain.DATA, {"isolated-spike": 5}, TEXT, TEXT, TEXT,
    (Weight("a", 3, 0), Weight("b", 2, 1)), (OTHER, CHECK), (Action("fix", TEXT),),
)  # fmt: skip
EVIDENCE = (
    Evidence("a", Verdict.SUPPORTS, TEXT),
    Evidence("b", Verdict.UNKNOWN, Text("ramp?", "ramp？"), {}, (Metric.GRAD_NORM,)),
)
CATALOG = Catalog(
    (RULE,), procedures={"isolated-spike": (Stage("first", Text("First", "先"), ("read-log",)),)}
)


def advisor(run: Run, **values: FieldValue | None) -> Advisor:
    figures = {
        name: Figure(name, TEXT, lambda run, about, value=value: value)
        for name, value in values.items()
    }
    return Advisor(CATALOG, figures, run)


def built(run: Run, anomalies: Sequence[Anomaly] = (), ranked: Sequence[Ranked] = (),
          **values: FieldValue | None) -> Report:  # fmt: skip
    return assemble(run, anomalies, ranked, advisor(run, **values))


def test_what_a_likelier_cause_sets_is_not_set_otherwise() -> None:
    shorter = Action("shorter", TEXT, settings={"beta2": 0.95})
    longer = Action("longer", TEXT, settings={"beta2": 0.999, "eps": 1e-6})
    clip = Action("clip", TEXT, settings={"clip": "{clip_p99}"})
    ranked = [
        Ranked(replace(RULE, fixes=fixes), 0.5, (0,), EVIDENCE)
        for fixes in ((shorter, clip), (longer, clip), (shorter,))
    ]
    assert agreeing_fixes(ranked, {}) == [(shorter, clip), (clip,), (shorter,)]
    assert agreeing_fixes(ranked[1:], {}) == [(longer, clip), ()]


def test_what_is_set_already_is_not_advised() -> None:
    shuffle = Action("shuffle", TEXT, settings={"shuffle": True})
    figure = Action("clip", TEXT, settings={"clip": "{clip_p99}"})
    ranked = [Ranked(replace(RULE, fixes=(shuffle, figure)), 0.5, (0,), EVIDENCE)]
    assert agreeing_fixes(ranked, {"shuffle": True, "clip": 1.0}) == [(figure,)]
    assert agreeing_fixes(ranked, {"shuffle": False}) == [(shuffle, figure)]


class TestJudge:
    @pytest.mark.parametrize(
        ("severities", "status"),
        [
            ([], Status.HEALTHY),
            ([Severity.INFO], Status.HEALTHY),
            ([Severity.INFO, Severity.WARNING], Status.WARNING),
            ([Severity.WARNING, Severity.CRITICAL, Severity.INFO], Status.CRITICAL),
        ],
    )
    def test_the_worst_finding_decides(self, severities: list[Severity], status: Status) -> None:
        run = synth.healthy().run
        assert judge(run, [anomaly(severity=s) for s in severities]) is status

    @pytest.mark.parametrize("n", [0, 7])
    def test_too_little_data_is_unknown(self, n: int) -> None:
        assert judge(synth.loss_run(np.ones(n)), []) is Status.UNKNOWN
        assert judge(synth.loss_run(np.ones(n)), [anomaly(severity=Severity.INFO)]) is (
            Status.UNKNOWN
        )

    def test_but_an_alarm_is_an_alarm(self) -> None:
        run = synth.loss_run(np.full(3, np.nan))
        assert judge(run, [anomaly(severity=Severity.CRITICAL)]) is Status.CRITICAL
        assert judge(Run("bare", "bare", ()), [anomaly()]) is Status.WARNING

    def test_only_finite_points_are_data(self) -> None:
        values = np.full(500, np.nan)
        values[:7] = 1.0
        assert judge(synth.loss_run(values), []) is Status.UNKNOWN
        values[:8] = 1.0
        assert judge(synth.loss_run(values), []) is Status.HEALTHY


class TestFacts:
    def test_every_series_with_points_is_described(self) -> None:
        values = np.array([1.0, np.nan, np.inf, 2.0])
        run = synth.run(
            synth.series(values, stride=10, tag="train/loss"),
            synth.series(np.zeros(0), Metric.LR),
            config={"lr": 0.1},
        )
        facts = built(run).run
        assert set(facts.signals) == {"loss"}
        signal = facts.signals["loss"]
        assert (signal.tag, signal.points, signal.nonfinite) == ("train/loss", 4, 2)
        assert (signal.first_step, signal.last_step, signal.stride) == (1, 31, 10.0)
        assert facts.config == {"lr": 0.1}

    def test_without_a_restart_there_is_one_segment(self) -> None:
        assert built(synth.healthy(n=100).run).run.segments == ((1, 100),)
        assert built(Run("bare", "bare", ())).run.segments == ((0, 0),)

    def test_a_restart_begins_a_segment_and_may_rewrite_steps(self) -> None:
        run = synth.run(
            synth.series(np.ones(100)),
            restarts=(Restart(40, 45, "rewound"), Restart(71, 70, "new-file")),
        )
        assert built(run).run.segments == ((1, 45), (40, 70), (71, 100))

    def test_notes_of_run_and_sources_are_kept(self) -> None:
        skipped = Text("skipped a line", "跳过一行")
        run = Run(
            "n", "p", (), sources=(Source("a.csv", "csv", 9, (skipped,)),),
            checkpoints=(Checkpoint(5, "c"),), notes=(Text("two runs", "两个 run"),),
        )  # fmt: skip
        found = built(run)
        assert english(found.notes) == ("two runs", "skipped a line")
        assert found.run.checkpoints == (Checkpoint(5, "c"),)

    def test_the_version_is_that_of_the_package(self) -> None:
        assert built(synth.healthy(n=50).run).spikedoc_version == VERSION


class TestCauses:
    RUN = synth.spike().run

    def test_a_cause_names_its_findings_and_advice(self) -> None:
        found = [anomaly(step=10), anomaly(Kind.NONFINITE, step=20), anomaly(step=30)]
        ranked = [Ranked(RULE, 0.25, (0, 2), EVIDENCE)]
        (cause,) = built(self.RUN, found, ranked, clip=1.5).causes
        assert (cause.rank, cause.findings, cause.score) == (
            1,
            ("F1", "F3"),
            round(likelihood(0.25), 4),
        )
        assert [c.text.en for c in cause.checks] == ["look", "read 1.5"]
        assert [f.id for f in cause.fixes] == ["fix"]
        assert cause.evidence == EVIDENCE

    def test_the_checklist_follows_the_procedure_of_the_first_finding(self) -> None:
        ranked = [Ranked(RULE, 0.6, (0,), EVIDENCE)]
        report = built(self.RUN, [anomaly()], ranked, clip=1.5)
        assert [(i.stage.en, i.check.id, i.causes) for i in report.checklist] == [
            ("First", "read-log", ("SD101",)),
            ("Then", "look", ("SD101",)),
        ]

    def test_open_questions_become_gaps(self) -> None:
        report = built(self.RUN, [anomaly()], [Ranked(RULE, 0.6, (0,), EVIDENCE)], clip=1.5)
        assert [(g.signal, g.would_tell.en) for g in report.gaps] == [("grad_norm", "ramp?")]

    def test_without_causes_there_is_no_checklist(self) -> None:
        report = built(self.RUN, [anomaly()])
        assert (report.checklist, report.causes, report.gaps) == ((), (), ())
