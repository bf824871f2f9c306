from __future__ import annotations

import pytest
from sweep_factory import value

from spikedoc.sweep.levels import Level, noise_of
from spikedoc.sweep.members import Judged
from spikedoc.sweep.proposal import propose, shown_value, window
from spikedoc.sweep.result import Kind, Origin, Outcome, Setting, Value

LR = Setting("lr", Origin.CONFIG, is_rate=True)
OTHER = Setting("dropout", Origin.CONFIG, is_rate=False)
STEADY, SLOW, LOST = Outcome.STEADY, Outcome.TOO_SLOW, Outcome.DIVERGING
BROKEN = (LOST, Outcome.STUCK, Outcome.UNKNOWN)
Row = tuple[float | str, Outcome, float]


def judged(*rows: Row) -> Judged:
    values = tuple(value(v, o, None if o in BROKEN else level) for v, o, level in rows)
    levels = {at: [Level(level, 0.0)] for at, (_, o, level) in enumerate(rows) if o not in BROKEN}
    return Judged(values, levels, noise_of(levels.values()), 400, "loss")


def test_the_largest_steady_rate_with_a_margin_is_proposed() -> None:
    found = propose(judged((0.01, SLOW, 2), (0.1, STEADY, 1), (0.3, STEADY, 1), (1, LOST, 0)), LR)
    assert (found.kind, found.value) == (Kind.PROPOSED, 0.3)
    assert "3.3x above" in found.text.en


def test_a_rate_too_close_to_the_broken_one_is_passed_over() -> None:
    found = propose(judged((0.1, STEADY, 1), (0.2, STEADY, 1), (0.4, LOST, 0)), LR)
    assert (found.kind, found.value) == (Kind.PROPOSED, 0.1)


def test_where_none_keeps_the_margin_it_is_said() -> None:
    found = propose(judged((0.1, SLOW, 2), (0.2, STEADY, 1), (0.4, LOST, 0)), LR)
    assert found.value == 0.2
    assert "less than 3x away" in found.text.en


def test_a_larger_rate_that_is_worse_than_the_best_is_not_proposed() -> None:
    rows: list[Row] = [(0.1, STEADY, 1), (0.3, Outcome.WORSE, 1.5), (1, Outcome.WORSE, 2)]
    found = propose(judged(*rows), LR)
    assert (found.kind, found.value) == (Kind.PROPOSED, 0.1)
    assert "end higher" in found.text.en


def test_the_best_at_the_high_edge_asks_for_more() -> None:
    found = propose(judged((0.01, SLOW, 3), (0.1, SLOW, 2), (1, STEADY, 1)), LR)
    assert (found.kind, found.value) == (Kind.EXTEND_UP, 3)
    assert "extend the sweep to 3 and 10" in found.text.en


def test_only_the_lowest_is_steady() -> None:
    found = propose(judged((0.1, STEADY, 1), (0.3, LOST, 0), (1, LOST, 0)), LR)
    assert (found.kind, found.value) == (Kind.EXTEND_DOWN, 0.03)
    assert found.text.en.startswith("Only the lowest value, 0.1, is steady")


def test_everything_broke() -> None:
    found = propose(judged((0.1, LOST, 0), (0.3, LOST, 0), (1, LOST, 0)), LR)
    assert found.kind is Kind.EXTEND_DOWN
    assert found.text.en.startswith("No value was steady")


def test_noise_larger_than_the_differences() -> None:
    found = propose(judged((0.1, STEADY, 1.01), (0.3, STEADY, 1), (1, STEADY, 1.02)), LR)
    assert found.kind is Kind.UNTOLD
    assert "noise of single runs" in found.text.en
    assert "Nothing broke up to 1" in found.text.en


def test_the_lowest_loss_is_itself_unstable() -> None:
    found = propose(judged((0.1, SLOW, 2), (0.3, Outcome.UNSTABLE, 1), (1, LOST, 0)), LR)
    assert found.kind is Kind.UNTOLD
    assert "themselves unstable" in found.text.en


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([(0.1, STEADY, 1.0)], "same value"),
        ([(0.1, STEADY, 1.0), (0.3, STEADY, 1.01)], "chance explains"),
        ([(0.1, SLOW, 2.0), (0.3, STEADY, 1.0)], "0.3 ended lower"),
        ([(0.1, STEADY, 1.0), (0.3, LOST, 0.0)], "no window"),
        ([(0.1, Outcome.UNKNOWN, 0.0), (0.3, Outcome.UNKNOWN, 0.0)], "can be compared"),
    ],
)
def test_too_little_is_said_to_be_too_little(rows: list[Row], words: str) -> None:
    found = propose(judged(*rows), LR)
    assert found.kind is Kind.UNTOLD
    assert words in found.text.en
    assert found.value is None


def test_an_ablation_names_the_best() -> None:
    found = propose(judged(("a", Outcome.WORSE, 2), ("b", STEADY, 1), ("c", Outcome.WORSE, 3)),
                    OTHER)  # fmt: skip
    assert (found.kind, found.value) == (Kind.PROPOSED, "b")
    assert "beyond chance" in found.text.en


def test_an_ablation_with_a_tie_says_so() -> None:
    found = propose(judged(("a", STEADY, 1.01), ("b", STEADY, 1), ("c", Outcome.WORSE, 3)), OTHER)
    assert found.value == "b"
    assert "chance alone could order a, b" in found.text.en


def test_another_number_with_the_best_at_an_edge() -> None:
    rows: list[Row] = [(0.1, Outcome.WORSE, 2), (0.3, Outcome.WORSE, 1.5), (0.5, STEADY, 1)]
    found = propose(judged(*rows), OTHER)
    assert found.kind is Kind.EXTEND_UP
    assert "0.5, is at the high edge" in found.text.en


def test_the_window_is_what_stands_side_by_side() -> None:
    values: list[Value] = [
        value(0.1, STEADY, 3.0),
        value(0.2, SLOW, 2.0),
        value(0.3, STEADY, 1.0),
        value(0.4, STEADY, 1.1),
        value(0.5, LOST),
    ]
    assert window(values) == (0.3, 0.4)
    assert window([value("a", STEADY, 1.0)]) is None
    assert window([value(1.0, LOST)]) is None


def test_values_are_shown_safely() -> None:
    assert shown_value(3e-4) == "0.0003"
    assert shown_value(True) == "True"
    assert shown_value("a\x1b[31m\nb") == "a b"
