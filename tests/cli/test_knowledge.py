from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from spikedoc.model.metric import Metric
from spikedoc.model.role import ROLES
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Language

Call = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize("id_", ["SD401", "sd401", "fp16-overflow", "SD401-fp16-overflow"])
def test_explain_a_rule(call: Call, id_: str) -> None:
    code, out, err = call("explain", id_)
    assert (code, err) == (0, "")
    rule = load_catalog().rule("SD401")
    assert rule is not None
    assert out.startswith(f"SD401  {rule.title.en}\n")
    for heading in ("Why it happens", "When it is not a fault", "How to check", "How to fix"):
        assert f"\n{heading}\n" in out
    assert "{" not in out


def test_explain_in_chinese(call: Call) -> None:
    rule = load_catalog().rule("SD401")
    assert rule is not None
    out = call("explain", "SD401", "--lang", "zh")[1]
    assert out.startswith(f"SD401  {rule.title.zh}\n")
    assert "成因" in out


def test_explain_asks_the_questions_of_the_probes(call: Call) -> None:
    out = call("explain", "SD401")[1]
    assert "loss_scale_chain" not in out
    assert "?" in out.split("What speaks for it")[1].split("How to check")[0]


@pytest.mark.parametrize("id_", ["nonfinite", "nonfinite/persistent"])
def test_explain_a_label_lists_its_rules_likeliest_first(call: Call, id_: str) -> None:
    code, out, _ = call("explain", id_)
    assert code == 0
    assert out.startswith(f"{id_}  ")
    listed = re.findall(r"^  (SD\d+)-", out.split("Rules that explain it\n")[1], re.MULTILINE)
    catalog = load_catalog()

    def prior(code_: str) -> int:
        rule = catalog.rule(code_)
        assert rule is not None
        own = rule.priors.get(id_, rule.priors.get("nonfinite", 0))
        return max([own, *(v for k, v in rule.priors.items() if k.startswith(f"{id_}/"))])

    assert len(listed) >= 4
    assert [prior(c) for c in listed] == sorted((prior(c) for c in listed), reverse=True)


def test_explain_a_cause_shows_its_rules(call: Call) -> None:
    rule = next(r for r in load_catalog().rules if r.cause != r.slug)
    assert rule.title.en in call("explain", rule.cause, "--width", 200)[1]


@pytest.mark.parametrize(("id_", "hint"), [("SD4O1", "SD401"), ("fp16-overflw", "fp16-overflow")])
def test_unknown_id_is_exit_2_with_a_hint(call: Call, id_: str, hint: str) -> None:
    code, out, err = call("explain", id_)
    assert (code, out) == (2, "")
    assert f"did you mean {hint}?" in err


def test_rules_lists_every_rule(call: Call) -> None:
    code, out, _ = call("rules", "--width", 200)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [r.name for r in load_catalog().rules]


def test_rules_as_json(call: Call) -> None:
    listed = json.loads(call("rules", "--format", "json")[1])
    for entry, rule in zip(listed, load_catalog().rules, strict=True):
        assert entry["code"] == rule.code
        assert entry["title"] == {"en": rule.title.en, "zh": rule.title.zh}
        assert entry["labels"] == dict(rule.priors)


def test_a_label_that_is_a_cause_as_well_is_explained_before_its_rules(call: Call) -> None:
    out = call("explain", "diversity-collapse")[1]
    assert out.startswith("diversity-collapse  Collapse of variety\n")
    assert "\nSD613  " in out


def test_explain_a_kind_lists_its_forms(call: Call) -> None:
    for lang, heading in (("en", "Its forms"), ("zh", "它的形式")):
        out = call("explain", "nonfinite", "--lang", lang)[1]
        assert heading in out
        assert "nonfinite/masked" in out


@pytest.mark.parametrize("role", list(Metric))
def test_explain_a_role(call: Call, role: Metric) -> None:
    for lang in ("en", "zh"):
        code, out, _ = call("explain", role.value, "--lang", lang, "--width", 200)
        assert code == 0
        assert f"{role.value}  {ROLES[role].get(Language(lang))}" in out


@pytest.mark.parametrize(
    "asked", ["grad_calm_before", "Was grad_norm calm right up to the onset?", "calm right up"]
)
def test_explain_a_question_of_the_evidence(call: Call, asked: str) -> None:
    code, out, _ = call("explain", asked, "--width", 200)
    assert code == 0
    assert "Has to be logged: grad_norm" in out
    assert "SD102  yes: for; no: against · A batch with corrupt" in out
    assert "需要记录：grad_norm" in call("explain", asked, "--lang", "zh")[1]


def test_the_no_of_an_inverted_question_is_what_supports(call: Call) -> None:
    out = call("explain", "loss_is_smooth", "--width", 200)[1]
    assert "SD101  yes: strongly against; no: says nothing" in out
    assert "SD202  yes: strongly for" in out


def test_words_that_many_questions_hold_explain_nothing(call: Call) -> None:
    assert call("explain", "the loss")[0] == 2
