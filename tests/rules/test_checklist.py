"""The order of the checks: the procedure's stages first, then the cheap ones; each check once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from spikedoc.model.knowledge import Action, Catalog, Cost, Domain, Rule, Stage
from spikedoc.model.label import Kind
from spikedoc.rules.checklist import CAUSES, order_checks
from spikedoc.rules.engine import Ranked
from spikedoc.text import Text

TEXT = Text("words", "文字")


def check(name: str, cost: Cost | None = Cost.MINUTES) -> Action:
    return Action(name, TEXT, cost=cost)


def cause(code: str, *checks: Action) -> Ranked:
    rule = Rule(code, "slug", "cause", Domain.DATA, {}, TEXT, TEXT, TEXT, (), checks, ())
    return Ranked(rule, 0.5, (0,), ())


def catalog(*stages: tuple[str, Sequence[str]]) -> Catalog:
    return Catalog(
        (), procedures={
            Kind.NONFINITE.value: tuple(Stage(n, Text(n, n), tuple(c)) for n, c in stages)
        },
    )  # fmt: skip


def listed(known: Catalog, *causes: Ranked) -> list[tuple[str, str, tuple[str, ...]]]:
    return [
        (stage.id if stage is not None else "", action.id, codes)
        for stage, action, codes in order_checks(known, Kind.NONFINITE, causes)
    ]


READ, DATA, RERUN = check("read-log"), check("look-at-data", Cost.HOURS), check("rerun", Cost.RERUN)


def test_the_stages_give_the_order_whatever_the_causes_say() -> None:
    known = catalog(("look", ["read-log"]), ("try", ["rerun"]))
    assert listed(known, cause("SD101", RERUN, READ)) == [
        ("look", "read-log", ("SD101",)),
        ("try", "rerun", ("SD101",)),
    ]


def test_a_check_of_several_causes_is_listed_once_with_all_of_them() -> None:
    known = catalog(("look", ["read-log"]))
    assert listed(known, cause("SD101", READ), cause("SD202", DATA, READ)) == [
        ("look", "read-log", ("SD101", "SD202")),
        ("", "look-at-data", ("SD202",)),
    ]


def test_a_check_named_in_two_stages_comes_at_the_first() -> None:
    known = catalog(("look", ["read-log"]), ("again", ["read-log"]))
    assert listed(known, cause("SD101", READ)) == [("look", "read-log", ("SD101",))]


def test_the_rest_follows_cheap_ones_first_then_by_likelihood() -> None:
    unpriced = check("whenever", None)
    second = check("read-config")
    found = listed(catalog(), cause("SD101", unpriced, RERUN, DATA), cause("SD202", READ, second))
    assert [name for _, name, _ in found] == [
        "read-log", "read-config", "look-at-data", "rerun", "whenever",
    ]  # fmt: skip


def test_checks_nobody_asked_for_are_left_out() -> None:
    known = catalog(("look", ["read-log", "look-at-data"]))
    assert listed(known, cause("SD101", DATA)) == [("look", "look-at-data", ("SD101",))]


def test_only_the_likeliest_causes_are_checked() -> None:
    causes = [cause(f"SD10{i}", check(f"check-{i}")) for i in range(9)]
    names = [name for _, name, _ in listed(catalog(), *causes)]
    assert names == [f"check-{i}" for i in range(CAUSES)]


def test_another_kind_has_another_procedure() -> None:
    known = catalog(("look", ["read-log"]))
    (entry,) = order_checks(known, Kind.DIVERGENCE, [cause("SD101", READ)])
    assert entry[0] is None


def test_without_causes_there_is_nothing_to_check() -> None:
    assert listed(catalog(("look", ["read-log"]))) == []


@pytest.mark.parametrize(("share", "listed_too"), [(0.1, True), (0.099, False)])
def test_a_cause_a_fifth_as_likely_sends_the_reader_off(share: float, listed_too: bool) -> None:
    second = replace(cause("SD202", DATA), share=share)
    names = [name for _, name, _ in listed(catalog(), cause("SD101", READ), second)]
    assert ("look-at-data" in names) is listed_too


def test_five_causes_are_checked() -> None:
    causes = [cause(f"SD10{i}", check(f"check-{i}")) for i in range(6)]
    assert len(listed(catalog(), *causes)) == 5
