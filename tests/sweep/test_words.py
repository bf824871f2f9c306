from __future__ import annotations

from dataclasses import replace

import pytest
from sweep_factory import compared, value

from spikedoc.sweep.proposal import NAMES
from spikedoc.sweep.result import Outcome
from spikedoc.sweep.words import (
    BADGES,
    count,
    is_chosen,
    legend,
    row,
    settings,
    statement,
    title,
    window_line,
)
from spikedoc.text import Language

EN, ZH = Language.EN, Language.ZH
(SWEEP,) = compared("lr").sweeps


def test_the_title_counts() -> None:
    assert title(SWEEP, EN) == "lr · 7 values, 14 runs · loss up to step 595"
    assert title(SWEEP, ZH) == "lr · 7 个取值，14 次训练 · loss，截至第 595 步"
    assert title(replace(SWEEP, fixed={"width": 8}), EN).endswith("· width = 8")
    assert count(1, "run") == "1 run"
    assert settings({"a": 1e-4, "b": "x\ny"}) == "a = 0.0001, b = x y"


def test_the_proposal_does_not_repeat_its_badge() -> None:
    assert statement(SWEEP, EN).startswith("Use 0.03: ")
    assert statement(SWEEP, ZH).startswith("用 0.03：")


def test_the_window() -> None:
    assert window_line(SWEEP, EN) == "Steady and not behind: 0.003 to 0.03"
    assert window_line(replace(SWEEP, window=(0.1, 0.1)), EN).endswith("0.1 alone")
    assert window_line(replace(SWEEP, window=None), EN) == ""


def test_a_row() -> None:
    assert row(SWEEP.values[0], EN) == ["0.0001", "too slow", "2.284", "2.22 - 2.35", "2", ""]
    assert row(SWEEP.values[-1], EN)[1:3] == ["diverging", "-"]
    assert row(SWEEP.values[-1], EN)[-1].startswith("Divergence, still finite, from step")
    members = (*SWEEP.values[0].members, *SWEEP.values[-1].members)
    mixed = replace(SWEEP.values[-1], members=members)
    assert row(mixed, EN)[1] == "diverging (2 of 4)"
    assert row(mixed, ZH)[1] == "发散（2/4）"


def test_the_chosen_value() -> None:
    assert [v.value for v in SWEEP.values if is_chosen(v, SWEEP)] == [0.03]


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_a_name_in_both_languages(outcome: Outcome) -> None:
    assert NAMES[outcome].en
    assert NAMES[outcome].zh
    assert legend({outcome}, EN) == [(outcome, NAMES[outcome].en)]
    assert row(value(1.0, outcome), ZH)[1] == NAMES[outcome].zh


def test_every_kind_has_a_badge() -> None:
    assert all(badge.en and badge.zh for badge in BADGES.values())
