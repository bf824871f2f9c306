from __future__ import annotations

import numpy as np
import pytest

from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Form, Kind
from spikedoc.model.report import Report
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
NAN = np.nan


def grows(ask, loss: list[float], start: int, kind: Kind = Kind.DIVERGENCE, **more) -> Evidence:
    return ask("grows_geometrically", kind, start, len(loss), loss=np.array(loss), **more)


class TestGrowsGeometrically:
    def test_a_loss_that_each_step_doubles(self, ask) -> None:
        said = grows(ask, [1.0, 1.0, *(2.0**k for k in range(1, 6))], 3)
        assert said.verdict is YES
        # From 1 to 32 in five rises of the factor 2, each a fifth of the way.
        assert said.values == {
            "first": 1.0,
            "last": 32.0,
            "records": 5,
            "factor": 2.0,
            "largest": 20.0,
        }

    @pytest.mark.parametrize(("last", "verdict"), [(9.9, UNKNOWN), (10.0, YES)])
    def test_tenfold_in_all(self, ask, last: float, verdict: Verdict) -> None:
        assert grows(ask, [1.0, 2.0, 4.0, last], 2).verdict is verdict

    @pytest.mark.parametrize("loss", [[1.0, 5.0, 30.0], [-1.0, 2.0, 4.0, 30.0]])
    def test_two_rises_or_a_value_below_zero_say_nothing(self, ask, loss: list[float]) -> None:
        assert grows(ask, loss, 2).verdict is UNKNOWN

    def test_one_jump_is_no_growth(self, ask) -> None:
        # ln 1.1 + ln 1.1 + ln 90 + ln 1.1: the jump makes up 94 % of the way to 120.
        said = grows(ask, [1.0, 1.1, 1.21, 108.9, 119.79], 2)
        assert said.verdict is NO
        assert said.values["largest"] == pytest.approx(94.0, abs=0.1)

    def test_a_fall_before_the_jump_makes_it_no_more_than_the_whole_way(self, ask) -> None:
        # From 1 down to 0.1 and up to 20 at once: ln 200 of ln 20, 177 % of the way.
        said = grows(ask, [1.0, 0.5, 0.1, 20.0], 2)
        assert (said.verdict, said.values["largest"]) == (NO, 100.0)

    def test_the_factor_leads_from_first_to_last(self, ask) -> None:
        # Rises of 1.1 and 3 by turns: six of them make 1.331 x 27, the sixth root of it is 1.817.
        loss = np.cumprod([1.0, 1.1, 3.0, 1.1, 3.0, 1.1, 3.0])
        assert grows(ask, list(loss), 2).values["factor"] == 1.82

    @pytest.mark.parametrize(("share", "verdict"), [(0.59, YES), (0.61, NO)])
    def test_three_fifths_of_the_way(self, ask, share: float, verdict: Verdict) -> None:
        rest = (1.0 - share) / 2
        logs = np.cumsum([0.0, rest, share, rest]) * np.log(1000.0)
        assert grows(ask, list(np.exp(logs)), 2).verdict is verdict

    def test_a_record_in_five_may_be_lower(self, ask) -> None:
        assert grows(ask, [1.0, 3.0, 2.5, 8.0, 20.0, 60.0], 2).verdict is YES
        # Two in five, and no rise is most of the way: neither growth nor one jump.
        assert grows(ask, [1.0, 3.0, 2.5, 12.0, 11.0, 60.0], 2).verdict is UNKNOWN

    def test_the_last_rise_before_a_break(self, ask) -> None:
        loss = [9.0, 0.5, 1.0, 2.0, 4.0, 8.0, NAN, NAN]
        said = grows(ask, loss, 7, Kind.NONFINITE, form=Form.PERSISTENT)
        assert (said.verdict, said.values["first"], said.values["last"]) == (YES, 0.5, 8.0)

    def test_other_kinds_are_not_asked(self, ask) -> None:
        assert grows(ask, [1.0, 4.0, 16.0, 64.0], 2, Kind.ISOLATED_SPIKE).verdict is UNKNOWN


class TestLeavesFromStart:
    def ask(self, ask, loss, start: int, **more) -> Evidence:
        return ask("leaves_from_start", Kind.DIVERGENCE, start, loss=loss, **more)

    def test_no_step_had_helped(self, ask) -> None:
        said = self.ask(ask, np.array([2.3, 2.31, 8.0, 9.0]), 3)
        assert (said.verdict, dict(said.values)) == (
            YES,
            {"first": 2.3, "best": 2.3, "records": 2},
        )

    @pytest.mark.parametrize(("best", "verdict"), [(0.951, YES), (0.949, NO)])
    def test_a_fall_of_a_twentieth_is_learning(self, ask, best: float, verdict: Verdict) -> None:
        assert self.ask(ask, np.array([1.0, best, 8.0, 9.0]), 3).verdict is verdict

    @pytest.mark.parametrize(("records", "verdict"), [(20, YES), (21, UNKNOWN)])
    def test_long_after_the_start_it_is_another_question(
        self, ask, records: int, verdict: Verdict
    ) -> None:
        loss = np.concatenate([np.ones(records), [8.0, 9.0]])
        assert self.ask(ask, loss, records + 1).verdict is verdict

    @pytest.mark.parametrize(("first", "verdict"), [(100, YES), (101, UNKNOWN)])
    def test_an_excerpt_does_not_hold_the_start(self, ask, first: int, verdict: Verdict) -> None:
        steps = np.array([first, first + 1, first + 2])
        assert self.ask(ask, (steps, np.array([1.0, 8.0, 9.0])), first + 1).verdict is verdict

    @pytest.mark.parametrize("loss", [[0.0, 1.0, 8.0], [8.0, 9.0, 9.0]])
    def test_nothing_before_or_no_level(self, ask, loss: list[float]) -> None:
        start = 1 if loss[0] else 2
        assert self.ask(ask, np.array(loss), start).verdict is UNKNOWN

    def test_the_validation_loss_is_asked_when_it_is_the_one(self, ask) -> None:
        falls, leaves = np.array([2.0, 1.0, 0.5]), np.array([2.0, 8.0, 9.0])
        said = self.ask(ask, falls, 2, val_loss=leaves, signal="val_loss")
        assert said.verdict is YES


class TestRisesBeforeBreak:
    def ask(self, ask, loss: list[float]) -> Evidence:
        start = 1 + len(loss)
        values = np.array([*loss, NAN, NAN])
        return ask("rises_before_break", Kind.NONFINITE, start, loss=values, form=Form.PERSISTENT)

    @pytest.mark.parametrize(
        ("last", "verdict"), [(13.9, NO), (14.0, NO), (14.1, UNKNOWN), (20.9, UNKNOWN), (21.0, YES)]
    )
    def test_half_as_much_again_as_all_before(self, ask, last: float, verdict: Verdict) -> None:
        said = self.ask(ask, [13.0, 14.0, 9.0, last])
        assert said.verdict is verdict
        assert said.values.get("usual", 14.0) == 14.0

    @pytest.mark.parametrize("loss", [[9.0], [1.0] * 5 + [9.0], [-1.0, 9.0]])
    def test_one_record_or_enough_for_a_level(self, ask, loss: list[float]) -> None:
        assert self.ask(ask, loss).verdict is UNKNOWN

    def test_a_loss_that_stays_finite(self, ask) -> None:
        said = ask("rises_before_break", Kind.DIVERGENCE, 2, loss=np.array([1.0, 9.0]))
        assert said.verdict is UNKNOWN


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ([2.3] * 3 + [87.3] * 30, Verdict.REFUTES),  # one jump to a level that stays
        ([2.3] * 3 + [4.7] * 30, Verdict.REFUTES),  # twofold is a jump as well
        ([2.3] * 3 + [4.5] * 30, Verdict.UNKNOWN),
        ([2.3] * 3 + [87.3] * 3, Verdict.UNKNOWN),  # three records do not show that it stays
        ([2.3] * 3 + [87.3] + [20.0] * 30, Verdict.UNKNOWN),  # a peak, not a level
        ([2.3 * 1.5 ** min(i, 18) for i in range(30)], Verdict.SUPPORTS),
    ],
)
def test_a_jump_to_a_level_that_stays_is_no_growth(ask, values, verdict) -> None:
    loss = np.array(values)
    start = int(np.argmax(loss > 2.4)) + 1
    found = ask("grows_geometrically", Kind.DIVERGENCE, start, len(values), loss=loss)
    assert found.verdict is verdict


def test_of_a_few_records_before_nan_none_is_called_a_jump(ask) -> None:
    loss = np.array([2.1, 1.7, 1.9, 3.5, 40.0, np.nan, np.nan])
    few = ask("grows_geometrically", Kind.NONFINITE, 6, 7, loss=loss)
    assert few.verdict is Verdict.UNKNOWN
    more = np.concatenate([[2.4, 2.2], loss])
    found = ask("grows_geometrically", Kind.NONFINITE, 8, 9, loss=more)
    assert found.verdict is Verdict.REFUTES


class TestTermsOfALoss:
    """A run of reinforcement learning logs the terms of its loss, and no sum of them."""

    def report(self, value_loss: np.ndarray) -> Report:
        rng = np.random.default_rng(3)
        frame = {
            "value_loss": value_loss,
            "policy_loss": -0.005 + 0.001 * rng.normal(size=value_loss.size),
            "entropy": 1.2 - 0.001 * np.arange(value_loss.size),
        }
        return diagnose(load_frame(frame), load_catalog(None))

    def test_a_term_that_grows_until_it_is_infinite_is_no_illegal_operation(self) -> None:
        rng = np.random.default_rng(2)
        grown = 0.02 * 3.0 ** np.r_[np.zeros(40), np.arange(1, 13)]
        values = np.r_[grown * (1 + 0.1 * rng.normal(size=52)), np.full(8, np.inf)]
        causes = self.report(values).causes
        assert [cause.rule.code for cause in causes] == ["SD313"]
        (said,) = (e for e in causes[0].evidence if e.verdict is YES)
        assert said.probe == "grows_geometrically"
        assert said.statement.en.startswith("value_loss goes from 0.0")

    def test_a_term_that_breaks_out_of_a_calm_is(self) -> None:
        values = np.r_[0.02 + 0.001 * np.sin(np.arange(52)), np.full(8, np.inf)]
        codes = [cause.rule.code for cause in self.report(values).causes]
        assert codes[0] == "SD404"
        assert "SD313" not in codes


@pytest.mark.parametrize(
    ("loss", "verdict"),
    [
        ([9.0, 4.0, 1.0, 1.5, 2.0, 3.0], Verdict.SUPPORTS),
        ([9.0, 4.0, 1.0, 1.5, 2.0, 2.9], Verdict.UNKNOWN),  # not three times as much
        ([9.0, 4.0, 1.0, 2.0, 4.0], Verdict.UNKNOWN),  # two rises
        ([9.0, 4.0, 1.0, 5.0, 3.0, 6.0], Verdict.UNKNOWN),  # up and down
        ([9.0, 4.0, 1.0, *np.linspace(1.1, 9.0, 57)], Verdict.UNKNOWN),  # noise can be measured
    ],
)
def test_a_finite_loss_that_turns_and_climbs(ask, loss: list[float], verdict: Verdict) -> None:
    parts = {"loss": np.array(loss), "form": Form.FINITE}
    said = ask("rises_before_break", Kind.DIVERGENCE, 4, **parts)
    assert said.verdict is verdict
    if verdict is Verdict.SUPPORTS:
        assert dict(said.values) == {"best": 1.0, "last": 3.0, "count": 3}
