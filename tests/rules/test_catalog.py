"""The shipped catalogue: complete, consistent in both languages, and free of known bad advice."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterator
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import spikedoc.evidence
import spikedoc.figures
from spikedoc.model.knowledge import Action, Catalog, Rule
from spikedoc.model.label import FORMS, Kind
from spikedoc.plugins import discover
from spikedoc.rules.loader import load_catalog
from spikedoc.text import Text

CATALOG: Catalog = load_catalog()
RULES = {rule.name: rule for rule in CATALOG.rules}

# Causes that reports have named: an id once published stays. A rule may bring one of its own.
CAUSES = set(
    re.findall(
        r"[a-z0-9-]+",
        """
    bad-labels bad-input recurring-hard-sample batch-order distribution-change input-scale
    class-imbalance label-noise split-mismatch uneven-difficulty nonfinite-data labels-masked
    wrong-labels small-last-batch
    adam-second-moment adam-tiny-gradient gradient-explosion clip-too-loose clip-too-tight
    batch-too-small weight-decay eps-too-large precision-stagnation
    lr-too-high lr-too-low lr-batch-mismatch scheduler-bug warmup-missing lr-decayed-early cyclic-lr
    resume-scheduler resume-optimizer resume-data resume-weights
    fp16-overflow fp16-underflow clip-before-unscale illegal-operation norm-overflow
    eval-mode ema-swap stale-evaluation batchnorm-statistics frozen-parameters dead-units
    double-softmax loss-implementation auxiliary-loss hard-sample-weighting regularisation-change
    leakage attention-logit-growth init-scale reward-signal overfitting
    diversity-collapse
    dirty-rank rank-data-skew normalisation-changed nondeterminism
    hardware-fault framework-bug
    benign-noise benign-scale-effect benign-staircase benign-restart benign-expected-shift
    benign-scaler-search benign-bf16-grid logging-artefact
    """,
    )
)
# Of eleven letters one or two: more alike than this is meant to be the same word.
SLIP = 0.9
SOURCE = re.compile(r"^spikedoc (measurement|calculation): |arXiv:\d{4}\.\d{4,5}$|https://\S+$")
SOURCE_FORM = (
    "a source ends in arXiv:NUMBER or a https address, or begins with 'spikedoc measurement: ' "
    "or 'spikedoc calculation: '"
)
ALLOWED_BEYOND_ASCII = set("×–²")
CJK = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"`[^`]*`")
PLACEHOLDER = re.compile(r"\{(\w+)\}")
# Chinese beside a Latin letter, digit, code span or placeholder is set apart by a space.
UNSPACED = re.compile(r"[\u4e00-\u9fff][A-Za-z0-9`{]|[A-Za-z0-9`}%][\u4e00-\u9fff]")
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff`）”] ?[,;:?!]|[\u4e00-\u9fff]\.")


def actions() -> Iterator[tuple[str, Action]]:
    for name, group in (("check", CATALOG.checks), ("fix", CATALOG.fixes)):
        yield from ((f"{name}.{id_}", action) for id_, action in group.items())


def titles() -> Iterator[tuple[str, Text]]:
    yield from ((f"{name}.title", rule.title) for name, rule in RULES.items())
    for kind, stages in CATALOG.procedures.items():
        yield from ((f"{kind}.{stage.id}", stage.title) for stage in stages)


def sentences() -> Iterator[tuple[str, Text]]:
    for name, rule in RULES.items():
        yield f"{name}.why", rule.why
        yield f"{name}.benign_when", rule.benign_when
    for name, action in actions():
        yield name, action.text
        if action.unmeasured is not None:
            yield f"{name}.unmeasured", action.unmeasured


SENTENCES = dict(sentences())
TEXTS = dict(chain(SENTENCES.items(), titles()))
ACTIONS = dict(actions())


def wrong(texts: dict[str, Text], is_right: Callable[[Text], bool]) -> list[str]:
    """Return the names of the texts that are not right; looping keeps 600 texts quick."""
    return [name for name, text in texts.items() if not is_right(text)]


def test_both_languages_hold_the_same_code_in_the_same_order() -> None:
    assert wrong(TEXTS, lambda t: CODE.findall(t.en) == CODE.findall(t.zh)) == []
    assert wrong(TEXTS, lambda t: (t.en + t.zh).count("`") % 2 == 0) == []


def test_both_languages_hold_the_same_figures() -> None:
    def figures(text: str) -> list[str]:
        return sorted(PLACEHOLDER.findall(text))

    assert wrong(TEXTS, lambda t: figures(t.en) == figures(t.zh)) == []


def test_english_is_plain() -> None:
    def is_plain(text: Text) -> bool:
        return {c for c in text.en if not c.isascii()} <= ALLOWED_BEYOND_ASCII

    assert wrong(TEXTS, is_plain) == []
    assert wrong(TEXTS, lambda t: "  " not in t.en + t.zh) == []


def test_chinese_is_chinese_and_set_as_chinese() -> None:
    def prose(text: Text) -> str:
        return CODE.sub("``", text.zh)

    assert wrong(TEXTS, lambda t: bool(CJK.search(t.zh))) == []
    assert wrong(TEXTS, lambda t: not UNSPACED.search(prose(t))) == []
    assert wrong(TEXTS, lambda t: not HALF_WIDTH.search(prose(t))) == []
    assert wrong(TEXTS, lambda t: prose(t).count("（") == prose(t).count("）")) == []
    assert wrong(TEXTS, lambda t: prose(t).count("“") == prose(t).count("”")) == []


def test_sentences_end_with_a_full_stop() -> None:
    assert wrong(SENTENCES, lambda t: t.en.endswith((".", "?"))) == []
    assert wrong(SENTENCES, lambda t: t.zh.endswith(("。", "？"))) == []
    first_words = ("{", "eps ", "fp16 ", "bf16 ")
    assert wrong(SENTENCES, lambda t: t.en[0].isupper() or t.en.startswith(first_words)) == []


def test_titles_are_short_and_without_full_stop() -> None:
    for name, text in titles():
        assert not text.en.endswith("."), name
        assert not text.zh.endswith("。"), name
        assert len(text.en) <= 80, name


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_worth_its_place(name: str) -> None:
    rule = RULES[name]
    assert 3 <= len(rule.weights) <= 8
    assert sum(weight.supports for weight in rule.weights) >= 2
    assert any(weight.refutes for weight in rule.weights)
    assert 1 <= len(rule.checks) <= 5
    assert 1 <= len(rule.fixes) <= 4
    assert rule.sources
    assert [source for source in rule.sources if not SOURCE.search(source)] == [], SOURCE_FORM
    for word in ("why", "benign_when"):
        assert len(getattr(rule, word).en.split()) >= 8


def test_examples_are_sample_logs_whose_case_names_the_cause() -> None:
    folder = Path(__file__).parents[2] / "sample_logs"
    for rule in CATALOG.rules:
        if rule.example:
            case = tomllib.loads((folder / rule.example / "case.toml").read_text("utf-8"))
            assert rule.cause in {*case.get("first", ()), *case.get("within", ())}, rule.name


def test_every_cause_of_the_contract_has_a_rule() -> None:
    assert CAUSES - {rule.cause for rule in CATALOG.rules} == set()


def test_a_new_cause_is_no_slip_of_the_pen_for_a_known_one() -> None:
    new = {rule.cause for rule in CATALOG.rules} - CAUSES
    assert {cause: near for cause in new if (near := misspelt(cause))} == {}
    assert misspelt("lr-to-high") == ["lr-too-high"]


def misspelt(cause: str) -> list[str]:
    """Return the published cause that `cause` nearly spells."""
    return difflib.get_close_matches(cause, CAUSES, n=1, cutoff=SLIP)


def explains(rule: Rule, kind: Kind, form: str | None) -> bool:
    keys = {kind.value} | ({f"{kind.value}/{form}"} if form else set())
    return bool(keys & set(rule.priors))


@pytest.mark.parametrize(
    ("kind", "form"), [(kind, form) for kind in Kind for form in FORMS.get(kind, (None,))]
)
def test_every_label_has_competing_explanations(kind: Kind, form: str | None) -> None:
    found = [rule.name for rule in CATALOG.rules if explains(rule, kind, form)]
    assert len(found) >= 2


def test_every_kind_has_one_procedure_of_several_stages() -> None:
    assert set(CATALOG.procedures) == {kind.value for kind in Kind}
    for kind, stages in CATALOG.procedures.items():
        assert len(stages) >= 2, kind
        assert all(stage.checks for stage in stages), kind
        named = [check for stage in stages for check in stage.checks]
        assert len(named) == len(set(named)), kind


def test_the_procedures_keep_the_order_their_symptom_calls_for() -> None:
    def stages(kind: Kind) -> list[str]:
        return [stage.id for stage in CATALOG.procedures[kind.value]]

    assert stages(Kind.NON_CONVERGENCE) == ["data", "model-and-loss", "optimizer", "pipeline"]
    assert stages(Kind.OSCILLATION) == ["smooth", "source", "learning-rate", "batch", "metric"]
    spike = stages(Kind.ISOLATED_SPIKE)
    assert spike[0] == "scene"
    assert spike.index("reproduce") < spike.index("data") < spike.index("gradients")
    assert stages(Kind.NONFINITE)[:4] == [
        *("framework-checks", "start-or-midway", "forward-or-backward", "bisect")
    ]
    surge = stages(Kind.DIVERGENCE)
    assert surge[:3] == ["stop", "learning-rate", "state"]
    assert surge[-1] == "precision"


def test_every_check_and_fix_is_used_and_shared_only_when_needed() -> None:
    shared = (resources.files("spikedoc.rules") / "catalog" / "shared.toml").read_text("utf-8")
    in_procedures = {
        check
        for stages in CATALOG.procedures.values()
        for stage in stages
        for check in stage.checks
    }
    for kind, attribute in (("check", "checks"), ("fix", "fixes")):
        users: dict[str, int] = {}
        for rule in CATALOG.rules:
            for action in getattr(rule, attribute):
                users[action.id] = users.get(action.id, 0) + 1
        for id_ in getattr(CATALOG, attribute):
            assert id_ in users or id_ in in_procedures, id_
            if f"[{kind}.{id_}]" in shared:
                assert users.get(id_, 0) >= 2 or id_ in in_procedures, id_


def vocabulary(package: Any, constant: str) -> set[str]:
    return {item.name for items in discover(package, constant).values() for item in items}


def test_probes_exist_and_are_all_used() -> None:
    known = vocabulary(spikedoc.evidence, "PROBES")
    if not known:
        pytest.skip("no probes yet")
    used = {weight.probe for rule in CATALOG.rules for weight in rule.weights}
    assert used - known == set()
    assert known - used == set()


def test_figures_exist() -> None:
    known = vocabulary(spikedoc.figures, "FIGURES")
    if not known:
        pytest.skip("no figures yet")
    used = {name for action in ACTIONS.values() for name in action.figures}
    assert used - known == set()
    braced = {str(value) for action in ACTIONS.values() for value in action.settings.values()}
    assert {name.strip("{}") for name in braced if name.startswith("{")} - known == set()


# ----------------------------------------------------------------------------- known bad advice


def test_nothing_proposes_an_argument_gradscaler_does_not_have() -> None:
    for name, text in TEXTS.items():
        for span in CODE.findall(text.en):
            assert "max_scale" not in span, name


def test_advice_to_clip_names_the_unscaling() -> None:
    for id_, action in CATALOG.fixes.items():
        for text in (action.text, action.unmeasured):
            if text is not None and "clip_grad_norm_(model" in text.en:
                assert "`scaler.unscale_(optimizer)`" in text.en, id_


def test_advice_to_raise_eps_compares_it_with_the_gradient() -> None:
    for id_, action in CATALOG.fixes.items():
        for text in (action.text, action.unmeasured):
            if text is not None and re.search(r"[Rr]aise `eps`", text.en):
                assert "gradient RMS" in text.en, id_


def test_advice_to_lower_the_learning_rate_reaches_the_scheduler() -> None:
    text = CATALOG.fixes["lower-lr-rewarm"].text.en
    assert "`optimizer.param_groups`" in text
    assert "scheduler" in text


def test_the_floor_of_a_double_softmax_is_right() -> None:
    import math

    rule = CATALOG.rule("double-softmax")
    assert rule is not None
    for classes in (2, 10, 1000):
        assert f"{math.log(1 + (classes - 1) / math.e):.3f} for {classes}" in rule.why.en


def test_the_bound_of_an_adam_step_is_right() -> None:
    rule = CATALOG.rule("adam-second-moment")
    assert rule is not None
    bound = (1 - 0.9) / (1 - 0.999) ** 0.5
    usual = ((1 - 0.9) / (1 + 0.9)) ** 0.5
    assert f"{bound:.2f}" in rule.why.en
    assert f"{usual:.2f}" in rule.why.en
    assert "100 times" not in rule.why.en


def test_eval_mode_is_not_said_to_pollute_statistics() -> None:
    rule = CATALOG.rule("eval-mode")
    assert rule is not None
    assert "frozen" in rule.why.en
    assert "not polluted" in rule.why.en


def test_the_project_speaks_of_itself_alone() -> None:
    for file in (resources.files("spikedoc.rules") / "catalog").iterdir():
        text = file.read_text("utf-8").lower()
        for word in ("article a", "article b", "article c", "/work", "lab-open", "corpus-open"):
            assert word not in text, file.name


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        # A reward that was won had come of a usable signal.
        ("SD609-reward-signal", Kind.QUALITY_LOSS),
        # "It no longer holds when the average rises", and that is what a drift is.
        ("SD901-benign-noise", Kind.SUSTAINED_DRIFT),
    ],
)
def test_a_rule_does_not_explain_what_speaks_against_it(name: str, kind: Kind) -> None:
    assert kind.value not in RULES[name].priors
