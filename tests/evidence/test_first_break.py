"""How the first non-finite value came about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth
from levels import alike

from spikedoc.evidence.base import Case
from spikedoc.evidence.first_break import PROBES
from spikedoc.ingest import load_frame
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.run import Source
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Text

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAN = float("nan")


def found(ask, probe: str, loss: list[float], **parts: object):
    return ask(probe, Kind.NONFINITE, 1, loss=loss, form=Form.PERSISTENT, **parts)


@pytest.mark.parametrize(
    ("finite", "said"), [(0, NO), (1, YES), (8, YES), (10, YES), (11, NO), (500, NO)]
)
def test_the_first_updates(ask, finite: int, said: Verdict) -> None:
    assert found(ask, "breaks_in_first_updates", [1.0] * finite + [NAN] * 3).verdict is said


def test_a_log_that_begins_later_or_skips_steps_cannot_tell(ask) -> None:
    steps = np.array([500, 501, 502])
    later = found(ask, "breaks_in_first_updates", (steps, [1.0, 1.0, NAN]))
    coarse = found(ask, "breaks_in_first_updates", (np.array([1, 101, 201]), [1.0, 1.0, NAN]))
    assert (later.verdict, coarse.verdict) == (UNKNOWN, UNKNOWN)


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ([3.5, 3.0, 3.6, 2.8, NAN], YES),
        ([3.0, 3.0, 3.0, 5.9, NAN], YES),
        ([3.0, 3.0, 3.0, 6.0, NAN], NO),
        ([3.0, 14.0, 12.0, 3e10, NAN], NO),
        ([3.0, 3.0, 3.0, NAN], UNKNOWN),  # three points are no level
        ([-3.0] * 5 + [NAN], UNKNOWN),
        ([3.0] * 5, UNKNOWN),
    ],
)
def test_calm_or_not(ask, loss: list[float], said: Verdict) -> None:
    assert found(ask, "calm_until_nonfinite", loss).verdict is said


@pytest.mark.parametrize(("at_break", "said"), [(0.6, YES), (348000.0, UNKNOWN), (NAN, YES)])
def test_a_sum_is_not_calm_whose_term_ran_away(ask, at_break: float, said: Verdict) -> None:
    terms = {"cls": [0.9, 0.8, 0.8, 0.7, at_break]}
    calm = found(ask, "calm_until_nonfinite", [1.9, 1.8, 1.9, 1.8, NAN], components=terms)
    assert calm.verdict is said


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ([5.6, 5.3, 153318.95, 5.7, NAN], YES),
        ([5.6, 5.3, 65504.0, 5.7, NAN], NO),
        ([7e4, 6e4, 7e4, 8e4, NAN], UNKNOWN),  # such is its level
        ([5.6, 5.3, 4.29e9, 5.7, NAN], YES),  # 65504 squared is 4.2908e9
        ([5.6, 5.3, 4.30e9, 5.7, NAN], UNKNOWN),  # nothing of half precision has such a square
        ([153318.95, NAN], UNKNOWN),
    ],
)
def test_beyond_the_range_of_half_precision(ask, loss: list[float], said: Verdict) -> None:
    assert found(ask, "loss_beyond_half", loss).verdict is said


class TestTerms:
    def verdict(self, ask, **terms: list[float]):
        return found(ask, "some_terms_finite", [1.0, 1.0, NAN], components=terms)

    def test_one_term_breaks_the_other_goes_on(self, ask) -> None:
        said = self.verdict(ask, box=[0.2, 0.2, NAN], cls=[0.5, 0.4, 0.3])
        assert said.verdict is YES
        assert said.values == {"term": "box", "step": 3, "count": 1, "names": "cls"}

    def test_a_term_that_explodes_has_not_gone_on(self, ask) -> None:
        assert self.verdict(ask, box=[0.8, 0.6, NAN], cls=[1.5, 1.5, 13794.6]).verdict is NO

    def test_all_break(self, ask) -> None:
        assert self.verdict(ask, box=[0.2, 0.2, NAN], cls=[0.5, 0.4, NAN]).verdict is NO

    def test_what_cannot_be_told(self, ask) -> None:
        assert self.verdict(ask, box=[0.2, 0.2, NAN]).verdict is UNKNOWN
        assert self.verdict(ask, box=[0.2, 0.2, 0.2], cls=[0.5, 0.4, 0.3]).verdict is UNKNOWN
        assert found(ask, "some_terms_finite", [1.0, NAN]).verdict is UNKNOWN


CALM = (1.0 + 0.1 * np.sin(np.arange(60))).tolist()


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        ([*CALM, NAN], YES),
        ([*CALM, 1.5, NAN], NO),  # it rose first
        ([*CALM[:20], NAN], UNKNOWN),  # too early to speak of calm
        ([-x for x in CALM] + [NAN], UNKNOWN),
    ],
)
def test_out_of_a_long_calm(ask, loss: list[float], said: Verdict) -> None:
    assert found(ask, "breaks_out_of_long_calm", loss).verdict is said


@pytest.mark.parametrize(
    ("first", "count", "said"), [(999, 6, UNKNOWN), (1000, 6, YES), (1000, 5, UNKNOWN)]
)
def test_an_excerpt_from_late_in_a_run_was_calm_for_long(ask, first, count, said) -> None:
    loss = (first + np.arange(count + 1), np.array([1.0] * count + [NAN]))
    assert found(ask, "breaks_out_of_long_calm", loss).verdict is said


@pytest.mark.parametrize(
    "probe",
    [
        *("breaks_in_first_updates", "calm_until_nonfinite", "loss_beyond_half"),
        "breaks_out_of_long_calm",
    ],
)
def test_of_other_findings_it_makes_no_sense(ask, probe: str) -> None:
    said = ask(probe, Kind.ISOLATED_SPIKE, 3, loss=[1.0] * 5 + [NAN])
    assert said.verdict is UNKNOWN


def test_an_epoch_holds_many_updates(ask) -> None:
    loss = [0.62, NAN, NAN]
    by_epoch = found(ask, "breaks_in_first_updates", loss, epoch=[1.0, 2.0, 3.0])
    by_step = found(ask, "breaks_in_first_updates", loss, epoch=[0.0, 0.0, 0.0])
    assert (by_epoch.verdict, by_step.verdict) == (UNKNOWN, YES)


def test_a_term_of_zero_says_nothing(ask) -> None:
    terms = {"cls": [1.0, NAN], "box": [0.5, 0.0]}
    assert found(ask, "some_terms_finite", [1.5, NAN], components=terms).verdict is NO
    sound = terms | {"box": [0.5, 0.4]}
    assert found(ask, "some_terms_finite", [1.5, NAN], components=sound).verdict is YES


def test_steps_that_are_epochs_hold_many_updates() -> None:
    loss = synth.loss_run(np.array([24.5, 20.5, NAN]))
    note = Text("steps are epochs", "")
    source = Source("log.txt", "text", 1, (note,))
    at = int(loss.series[0].steps[-1])
    anomaly = Anomaly(Kind.NONFINITE, Severity.CRITICAL, 1.0, "loss", at, at, at, Form.PERSISTENT)
    probe = next(p for p in PROBES if p.name == "breaks_in_first_updates")
    said = [
        probe.answer(Case(run, anomaly, (anomaly,))).verdict
        for run in (loss, replace(loss, sources=(source,)))
    ]
    assert said == [YES, UNKNOWN]


@pytest.mark.parametrize(
    ("first", "stride", "said"), [(10, 1, YES), (11, 1, UNKNOWN), (1, 10, YES), (1, 11, UNKNOWN)]
)
def test_the_log_has_to_hold_the_first_updates(ask, first: int, stride: int, said) -> None:
    steps = first + stride * np.arange(5)
    found_there = found(ask, "breaks_in_first_updates", (steps, [1.0, 1.0, 1.0, NAN, NAN]))
    assert found_there.verdict is said
    if said is YES:
        assert found_there.values == {"count": 3, "step": first + 3 * stride}


@pytest.mark.parametrize(
    ("epochs", "said"),
    [
        *(([1.0, 2.0, 3.0], UNKNOWN), ([0.0, 0.9, 1.8], YES), ([0.0, 1.0, 1.5], YES)),
        *(([1.0, NAN, 3.0], YES), ([1.0, 2.0], YES)),
    ],
)
def test_each_record_an_epoch_later_than_the_last(ask, epochs: list[float], said) -> None:
    loss = [0.62, 0.6, NAN]
    assert found(ask, "breaks_in_first_updates", loss, epoch=epochs).verdict is said


@pytest.mark.parametrize(("steps", "said"), [(1, UNKNOWN), (2, YES)])
def test_an_epoch_of_one_step_is_a_record_of_many_updates(ask, steps: int, said) -> None:
    config = {"steps_per_epoch": steps}
    assert found(ask, "breaks_in_first_updates", [0.6, NAN], config=config).verdict is said


@pytest.mark.parametrize(
    ("loss", "level", "highest", "said"),
    [
        ([9.0, 3.0, 3.0, 3.0, 3.0, NAN], 3.0, 3.0, YES),
        ([3.0, 3.0, 9.0, 3.0, 3.0, NAN], 3.0, 9.0, NO),  # the third from the end
        ([3.0, 9.0, 3.0, 3.0, 3.0, NAN], 3.0, 3.0, YES),
    ],
)
def test_the_last_three_values_are_to_be_calm(ask, loss, level, highest, said) -> None:
    calm = found(ask, "calm_until_nonfinite", loss)
    assert calm.verdict is said
    assert calm.values == {"level": level, "highest": highest}


def test_a_level_of_zero_is_none(ask) -> None:
    assert found(ask, "calm_until_nonfinite", [0.0] * 5 + [NAN]).verdict is UNKNOWN
    assert found(ask, "breaks_out_of_long_calm", [0.0] * 40 + [NAN]).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("before", "at_break", "said"),
    [(1.0, 10.0, YES), (1.0, 10.1, UNKNOWN), (0.0, 1e-12, YES), (0.0, 1e-10, UNKNOWN)],
)
def test_a_term_that_left_its_level(ask, before: float, at_break: float, said) -> None:
    # Ten times what it was; of a term of zero, ten times the smallest number that counts.
    terms = {"cls": [before] * 4 + [at_break]}
    calm = found(ask, "calm_until_nonfinite", [1.9] * 4 + [NAN], components=terms)
    assert calm.verdict is said


def long_calm(ask, n: int, **at: float):
    """Ask about n values of 1, but those at so many records before the break."""
    loss = np.ones(n)
    for place, value in at.items():
        loss[n - int(place[1:])] = value
    parts = {"loss": [*loss.tolist(), NAN], "form": Form.PERSISTENT}
    return alike(ask, ("loss",), "breaks_out_of_long_calm", Kind.NONFINITE, 1, **parts)


def test_thirty_records_are_a_long_calm(ask) -> None:
    assert long_calm(ask, 29).verdict is UNKNOWN
    calm = long_calm(ask, 30)
    assert calm.verdict is YES
    assert calm.values == {"count": 30, "highest": 1.0, "usual": 1.0, "step": 31}


@pytest.mark.parametrize(
    ("at", "usual", "highest", "said"),
    [
        *(({"b1": 1.1}, 1.0, 1.1, YES), ({"b1": 1.2}, 1.0, 1.2, NO)),
        # The last three against the twenty before them.
        *(({"b3": 5.0}, 1.0, 5.0, NO), ({"b4": 5.0}, 5.0, 1.0, YES)),
        *(({"b23": 5.0, "b2": 5.0}, 5.0, 5.0, YES), ({"b24": 5.0, "b2": 5.0}, 1.0, 5.0, NO)),
    ],
)
def test_no_higher_than_the_twenty_before(ask, at, usual, highest, said) -> None:
    calm = long_calm(ask, 40, **at)
    assert calm.verdict is said
    assert calm.values == {"count": 40, "highest": highest, "usual": usual, "step": 41}


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        *(([655.0] * 3 + [7e4, NAN], YES), ([656.0] * 3 + [7e4, NAN], UNKNOWN)),
        *(([1.0] * 2 + [7e4, NAN], UNKNOWN), ([1.0] * 3 + [-7e4, NAN], YES)),
        ([1.0] * 3 + [65504.1, NAN], YES),
    ],
)
def test_far_beyond_a_level_that_half_precision_holds(ask, loss: list[float], said) -> None:
    # The level is below a hundredth of 65504.
    assert found(ask, "loss_beyond_half", loss).verdict is said


@pytest.mark.parametrize(
    ("cls", "said"),
    [
        *(([1.0, 1.0, 10.0, 1.0], YES), ([1.0, 1.0, 1.0, 10.1], NO), ([1.0, 1.0, 10.1, 1.0], NO)),
        *(([0.0, 0.0, 1e-11, 0.0], YES), ([0.0, 0.0, 2e-11, 0.0], NO)),
        *(([NAN, NAN, 9999.0, 1e9], NO), ([1.0, 1.0, 0.0, 0.5], YES)),
    ],
)
def test_a_term_goes_on_within_ten_times_its_level(ask, cls: list[float], said) -> None:
    terms = {"box": [0.2, 0.2, NAN, NAN], "cls": cls}
    assert found(ask, "some_terms_finite", [1.0] * 4, components=terms).verdict is said


@pytest.mark.parametrize(("first", "said"), [(9999.0, YES), (10000.0, NO), (-10000.0, NO)])
def test_a_term_without_anything_before_it(ask, first: float, said: Verdict) -> None:
    terms = {"box": [NAN, NAN], "cls": [first, 0.1]}
    assert found(ask, "some_terms_finite", [1.0, 1.0], components=terms).verdict is said


def test_three_names_are_enough(ask) -> None:
    terms = {name: [0.5, 0.5, 0.5] for name in "bcde"} | {"a": [0.2, 0.2, NAN]}
    late_break = {"f": [0.5, 0.5, 0.5, NAN]}
    said = found(ask, "some_terms_finite", [1.0, 1.0, NAN], components=terms | late_break)
    told = {"term": "a", "step": 3, "count": 4, "names": "b / c / d / ..."}
    assert (said.verdict, said.values) == (YES, told)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ([1.0, 1.0, 1.0, 1.0, 1.1, 0.9, 1.0], Verdict.SUPPORTS),
        ([1.0, 1.0, 1.0, 1.0, 10.5, 100.0, 1000.0], Verdict.UNKNOWN),
        ([1.0, 1.0, 1.0, 1.0, 9.9, 100.0, 1000.0], Verdict.SUPPORTS),  # two records are no course
        ([10.5, 100.0, 1000.0], Verdict.SUPPORTS),  # no level to leave
    ],
)
def test_a_term_that_ran_away_says_nothing_of_the_weights(ask, before, said: Verdict) -> None:
    terms = {"value": [*before, np.inf, np.inf], "policy": [0.1] * (len(before) + 2)}
    loss = [1.0] * len(before) + [NAN, NAN]
    assert found(ask, "some_terms_finite", loss, components=terms).verdict is said


@pytest.mark.parametrize(
    ("val", "said"),
    [
        ([2.1, 1.9, NAN, NAN], "the weights were sound then, or it was made before"),
        ([2.1, 1.9, 1.8, NAN], "Validation is finite 2 times after training broke at step 2"),
        ([2.1, NAN, NAN, NAN], None),
    ],
)
def test_validation_after_training_broke(ask, val: list[float], said: str | None) -> None:
    answer = found(ask, "some_terms_finite", [2.3, NAN, NAN, NAN], val_loss=np.array(val))
    assert (answer.verdict is Verdict.SUPPORTS) is (said is not None)
    assert said is None or said in answer.statement.en


def test_validation_of_a_loss_that_ran_away_says_nothing(ask) -> None:
    loss = [1.0, 1.0, 20.0, 200.0, 2000.0, NAN]
    val = np.full(6, 1.5)
    assert found(ask, "some_terms_finite", loss, val_loss=val).verdict is Verdict.UNKNOWN
    calm = [1.0, 1.0, 1.0, 1.0, 1.0, NAN]
    assert found(ask, "some_terms_finite", calm, val_loss=val).verdict is Verdict.SUPPORTS


def test_a_table_of_epochs_with_sound_validation_has_a_cause() -> None:
    frame = {"loss": np.r_[2.31, np.full(9, NAN)], "val_loss": np.linspace(2.1, 1.6, 10)}
    report = diagnose(load_frame(frame), load_catalog(None))
    codes = [cause.rule.code for cause in report.causes]
    assert codes[0] in ("SD111", "SD404")
    assert not set(codes) & {"SD203", "SD301", "SD313"}
