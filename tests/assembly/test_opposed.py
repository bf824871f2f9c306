"""Fixes of one report that would pull the learning rate both ways."""

from __future__ import annotations

from spikedoc.assembly.opposed import with_conditions
from spikedoc.model.knowledge import Action, Domain, Rule, Turn, Weight
from spikedoc.model.report import Advice, Cause
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Text

TEXT = Text("words", "文字")


def action(name: str, turn: Turn | None = None) -> Action:
    return Action(name, Text(f"do {name}", f"做 {name}"), turns_lr=turn)


def cause(rank: int, *fixes: Action) -> tuple[Cause, tuple[Action, ...]]:
    title = Text(f"Cause {rank}", f"原因 {rank}")
    rule = Rule(
        f"SD{rank}01", "x", "x", Domain.DATA, {"nonfinite": 5}, title, TEXT, TEXT,
        (Weight("a", 3, 0),), (), fixes,
    )  # fmt: skip
    advice = tuple(Advice(fix.id, fix.text) for fix in fixes)
    return Cause(rank, rule, 0.5, ("F1",), (), (), advice), fixes


def texts(*parts: tuple[Cause, tuple[Action, ...]]) -> list[list[str]]:
    found = with_conditions(tuple(c for c, _ in parts), [fixes for _, fixes in parts])
    return [[fix.text.en for fix in one.fixes] for one in found]


def test_the_less_likely_one_says_when() -> None:
    down, up = action("lower", Turn.DOWN), action("raise", Turn.UP)
    first, second = texts(cause(1, down), cause(2, action("look"), up))
    assert first == ["do lower"]
    assert second[0] == "do look"
    assert second[1] == (
        "Only once the checks speak against SD101 (Cause 1), which asks for the opposite: do raise"
    )


def test_it_is_the_first_that_moves_the_rate_that_counts() -> None:
    down, up = action("lower", Turn.DOWN), action("raise", Turn.UP)
    found = texts(cause(1, action("look")), cause(2, up), cause(3, down), cause(4, up))
    assert [one[0].startswith("Only once") for one in found] == [False, False, True, False]
    assert "SD201" in found[2][0]


def test_those_that_agree_are_left_as_they_are() -> None:
    down = action("lower", Turn.DOWN)
    assert texts(cause(1, down), cause(2, down)) == [["do lower"], ["do lower"]]
    assert texts() == []


def test_the_catalogue_declares_both_directions() -> None:
    turns = {f.id: f.turns_lr for rule in load_catalog().rules for f in rule.fixes if f.turns_lr}
    assert turns == {
        "raise-lr": Turn.UP, "sgd-lr": Turn.UP, "lower-lr-rewarm": Turn.DOWN,
        "lr-third": Turn.DOWN, "lr-tenth": Turn.DOWN,
    }  # fmt: skip
