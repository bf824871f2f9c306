from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sweep_factory import course, finding, healthy, report_of, run_of

from spikedoc.model.label import Form, Kind, Severity, Status
from spikedoc.sweep.compare import compare
from spikedoc.sweep.members import Entry, judge, own_outcome
from spikedoc.sweep.result import Origin, Outcome, Setting

LR = Setting("lr", Origin.CONFIG, is_rate=True)
OTHER = Setting("dropout", Origin.CONFIG, is_rate=False)
RUN = run_of("run", course(1.0, np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("kind", "form", "severity", "step", "outcome"),
    [
        (Kind.DIVERGENCE, Form.FINITE, Severity.CRITICAL, 50, Outcome.DIVERGING),
        (Kind.NONFINITE, Form.PERSISTENT, Severity.CRITICAL, 50, Outcome.DIVERGING),
        (Kind.NONFINITE, Form.TRANSIENT, Severity.WARNING, 50, Outcome.UNSTABLE),
        (Kind.NON_CONVERGENCE, Form.FLAT, Severity.WARNING, 0, Outcome.STUCK),
        (Kind.ISOLATED_SPIKE, None, Severity.WARNING, 50, Outcome.UNSTABLE),
        (Kind.ISOLATED_SPIKE, None, Severity.WARNING, 300, Outcome.UNSTABLE_LATE),
        (Kind.ISOLATED_SPIKE, None, Severity.INFO, 300, Outcome.STEADY),
        (Kind.LEVEL_SHIFT, Form.UP, Severity.WARNING, 300, Outcome.UNSTABLE_LATE),
        (Kind.LEVEL_SHIFT, Form.DOWN, Severity.WARNING, 300, Outcome.STEADY),
        (Kind.OVERFITTING, None, Severity.WARNING, 300, Outcome.STEADY),
    ],
)
def test_the_report_says_how_a_run_ended(
    kind: Kind, form: Form | None, severity: Severity, step: int, outcome: Outcome
) -> None:
    report = report_of(RUN, finding(kind, step, severity, form), status=Status.WARNING)
    found = own_outcome(RUN, report)
    assert found.outcome is outcome
    assert found.since == (None if outcome is Outcome.STEADY else step)


def test_the_worst_finding_decides() -> None:
    report = report_of(
        RUN,
        finding(Kind.ISOLATED_SPIKE, 300),
        finding(Kind.DIVERGENCE, 350, Severity.CRITICAL, Form.FINITE),
        status=Status.CRITICAL,
    )
    found = own_outcome(RUN, report)
    assert (found.outcome, found.since) == (Outcome.DIVERGING, 350)
    assert found.remark is not None
    assert found.remark.en == "Trouble, from step 350"


def test_a_spike_shared_with_other_runs_is_no_sign_of_the_setting() -> None:
    report = report_of(RUN, finding(Kind.ISOLATED_SPIKE, 300), status=Status.WARNING)
    assert own_outcome(RUN, report, places=(300,)).outcome is Outcome.STEADY
    assert own_outcome(RUN, report, places=(299,)).outcome is Outcome.UNSTABLE_LATE


def test_what_cannot_be_judged_stays_unknown() -> None:
    found = own_outcome(RUN, report_of(RUN, status=Status.UNKNOWN))
    assert found.outcome is Outcome.UNKNOWN


def entries(*ends: tuple[float, float]) -> list[Entry]:
    return [Entry(run, report, run.config["lr"]) for run, report in healthy(ends)]


def test_behind_the_best_below_it_is_slow_and_above_it_worse() -> None:
    judged = judge(entries((0.1, 2.0), (0.2, 1.0), (0.4, 2.0)), LR, {})
    assert [v.outcome for v in judged.values] == [Outcome.TOO_SLOW, Outcome.STEADY, Outcome.WORSE]
    assert judged.best == 1


def test_a_setting_without_direction_is_only_worse() -> None:
    judged = judge(entries((0.1, 2.0), (0.2, 1.0), (0.4, 2.0)), OTHER, {})
    assert [v.outcome for v in judged.values] == [Outcome.WORSE, Outcome.STEADY, Outcome.WORSE]


def test_differences_within_noise_make_no_label() -> None:
    judged = judge(entries((0.1, 1.02), (0.2, 1.0), (0.4, 1.01)), LR, {})
    assert {value.outcome for value in judged.values} == {Outcome.STEADY}
    assert judged.tied() == [0, 1, 2]


def test_seeds_are_pooled_and_the_worst_of_them_named() -> None:
    rng = np.random.default_rng(3)
    made = [run_of(f"r{i}", course(1.0, rng)) for i in range(3)]
    reports = [report_of(run) for run in made[:2]]
    reports.append(report_of(made[2], finding(Kind.DIVERGENCE, 100), status=Status.CRITICAL))
    judged = judge(
        [Entry(r, p, 0.1, i) for i, (r, p) in enumerate(zip(made, reports, strict=True))], LR, {}
    )
    (value,) = judged.values
    assert (value.outcome, value.agreeing, len(value.members)) == (Outcome.DIVERGING, 1, 3)
    assert value.low is not None
    assert value.high is not None
    assert value.low <= (value.level or 0) <= value.high
    assert judged.noise.freedom == 1


def test_all_are_compared_at_the_step_that_the_shortest_reached() -> None:
    rng = np.random.default_rng(4)
    long, short = course(1.0, rng), course(1.0, rng)[:300]
    made = [run_of("long", long), run_of("short", short)]
    judged = judge([Entry(r, report_of(r), v) for r, v in zip(made, (1.0, 2.0), strict=True)],
                   LR, {})  # fmt: skip
    assert judged.step == 299


def test_a_run_that_broke_early_does_not_shorten_the_comparison() -> None:
    rng = np.random.default_rng(5)
    good, lost = run_of("good", course(1.0, rng)), run_of("lost", course(1.0, rng)[:50])
    broken = report_of(lost, finding(Kind.DIVERGENCE, 20), status=Status.CRITICAL)
    judged = judge([Entry(good, report_of(good), 1.0), Entry(lost, broken, 2.0)], LR, {})
    assert judged.step == 399
    assert judged.values[1].level is None


def test_a_run_that_ended_long_before_the_others_is_not_judged() -> None:
    rng = np.random.default_rng(6)
    made = [run_of(f"r{i}", course(1.0, rng)[:n]) for i, n in enumerate((400, 400, 100))]
    judged = judge([Entry(r, report_of(r), float(i)) for i, r in enumerate(made)], LR, {})
    assert judged.short == ("r2",)
    assert judged.values[2].outcome is Outcome.UNKNOWN
    assert judged.step == 399


def test_a_run_that_begins_where_the_others_ended_is_not_judged() -> None:
    rng = np.random.default_rng(7)
    made = [run_of(f"r{i}", course(1.0, rng), lr=0.1 * (i + 1)) for i in range(3)]
    loss = made[2].series[0]
    later = replace(loss, steps=loss.steps + 600)
    made[2] = replace(made[2], series=(later, *made[2].series[1:]))
    judged = judge([Entry(r, report_of(r), i + 1.0) for i, r in enumerate(made)], LR, {})
    assert judged.apart == ("r2",)
    assert [value.outcome for value in judged.values][2] is Outcome.UNKNOWN
    (sweep,) = compare([(one, report_of(one)) for one in made]).sweeps
    assert any("hardly a loss up to step 399" in note.en for note in sweep.notes)
