from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from spikedoc.rules.loader import load_catalog

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
    listed = [line.split()[0][:5] for line in out.split("Rules that explain it\n")[1].splitlines()]
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
