"""The ranking: what may and what may never change a score, on rules and answers made up freely."""

from __future__ import annotations

import itertools
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Domain, Rule, Weight
from spikedoc.model.label import Form, Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.rules.engine import (
    MAX_CAUSES,
    MIN_SHARE,
    SHARE_ODDS,
    Ask,
    Ranked,
    candidates,
    likelihood,
    rank,
)
from spikedoc.text import Text

TEXT = Text("words", "文字")
PROBES = ("a", "b", "c", "d")
KINDS = (Kind.ISOLATED_SPIKE, Kind.NONFINITE)

# The answers about one anomaly: probe → verdict; what is not listed is unknown.
Answers = Mapping[str, Verdict]


def rule(code: str, weights: Sequence[Weight], priors: Mapping[str, int] | None = None,
         cause: str | None = None) -> Rule:  # fmt: skip
    return Rule(
        code, f"rule-{code.lower()}", cause or f"cause-{code.lower()}", Domain.DATA,
        priors if priors is not None else {Kind.ISOLATED_SPIKE: 5}, TEXT, TEXT, TEXT,
        tuple(weights), (), (),
    )  # fmt: skip


def anomaly(kind: Kind = Kind.ISOLATED_SPIKE, severity: Severity = Severity.WARNING,
            confidence: float = 0.9, step: int = 100, form: Form | None = None
            ) -> Anomaly:  # fmt: skip
    return Anomaly(kind, severity, confidence, "loss", step, step, step, form)


def asking(answers: Sequence[Answers], anomalies: Sequence[Anomaly]) -> Ask:
    """Return the function that gives these answers, one mapping per anomaly."""
    by_step = {a.start_step: found for a, found in zip(anomalies, answers, strict=True)}

    def ask(probe: str, about: Anomaly) -> Evidence:
        return Evidence(probe, by_step[about.start_step].get(probe, Verdict.UNKNOWN), TEXT)

    return ask


def scores(rules: Sequence[Rule], anomalies: Sequence[Anomaly], answers: Sequence[Answers]
           ) -> dict[str, float]:  # fmt: skip
    found = rank(rules, anomalies, asking(answers, anomalies))
    return {r.rule.code: r.share for r in found}


# ------------------------------------------------------------------------------- whole worlds


strengths = st.integers(0, 3)
verdicts = st.sampled_from(list(Verdict))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[Rule], list[Anomaly], list[dict[str, Verdict]]]:
    """Return rules, anomalies and an answer for each probe about each anomaly."""
    rules = []
    for number in range(draw(st.integers(1, 6))):
        probes = draw(st.lists(st.sampled_from(PROBES), min_size=1, unique=True))
        weights = [Weight(p, draw(strengths), draw(strengths), draw(st.booleans())) for p in probes]
        keys = draw(st.lists(st.sampled_from(KINDS), min_size=1, unique=True))
        rules.append(
            rule(f"SD10{number}", weights, {k.value: draw(st.integers(1, 9)) for k in keys})
        )
    anomalies = [
        anomaly(
            draw(st.sampled_from(KINDS)), draw(st.sampled_from(list(Severity))),
            draw(st.floats(0.0, 1.0)), 100 * (i + 1),
        )
        for i in range(draw(st.integers(1, 4)))
    ]  # fmt: skip
    answers = [{p: draw(verdicts) for p in PROBES} for _ in anomalies]
    return rules, anomalies, answers


World = tuple[list[Rule], list[Anomaly], list[dict[str, Verdict]]]
MANY = settings(max_examples=80, deadline=None)


@MANY
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(world: World, chance: random.Random) -> None:
    rules, anomalies, answers = world
    shuffled = rules.copy()
    chance.shuffle(shuffled)
    before, after = scores(rules, anomalies, answers), scores(shuffled, anomalies, answers)
    assert after == pytest.approx(before)


@MANY
@given(worlds(), st.randoms(use_true_random=False))
def test_the_order_of_anomalies_does_not_matter(world: World, chance: random.Random) -> None:
    rules, anomalies, answers = world
    pairs = list(zip(anomalies, answers, strict=True))
    chance.shuffle(pairs)
    before = scores(rules, anomalies, answers)
    after = scores(rules, [a for a, _ in pairs], [b for _, b in pairs])
    assert after == pytest.approx(before)


def speaking_for(weight: Weight) -> Verdict:
    return Verdict.REFUTES if weight.inverted else Verdict.SUPPORTS


def speaking_against(weight: Weight) -> Verdict:
    return Verdict.SUPPORTS if weight.inverted else Verdict.REFUTES


@st.composite
def one_open_question(draw: st.DrawFn) -> tuple[World, Weight, int]:
    """Return a world, a weight of one of its rules whose probe is unknown, and where."""
    world = draw(worlds())
    rules, anomalies, answers = world
    weight = draw(st.sampled_from(draw(st.sampled_from(rules)).weights))
    index = draw(st.integers(0, len(anomalies) - 1))
    answers[index][weight.probe] = Verdict.UNKNOWN
    return world, weight, index


def answered(world: World, weight: Weight, index: int, verdict: Verdict) -> World:
    rules, anomalies, answers = world
    return rules, anomalies, [
        {**found, weight.probe: verdict} if i == index else found
        for i, found in enumerate(answers)
    ]  # fmt: skip


def alone(world: World, weight: Weight) -> World:
    """Return the world in which only one rule asks this probe: others keep their weights."""
    rules, anomalies, answers = world
    owner = next(r for r in rules if weight in r.weights)
    kept = [
        r if r is owner else replace(r, weights=tuple(w for w in r.weights
                                                      if w.probe != weight.probe))
        for r in rules
    ]  # fmt: skip
    return kept, anomalies, answers


@MANY
@given(one_open_question())
def test_an_answer_in_favour_never_lowers_the_score(case: tuple[World, Weight, int]) -> None:
    world, weight, index = case
    world = alone(world, weight)
    code = next(r.code for r in world[0] if weight in r.weights)
    before = scores(*world).get(code, 0.0)
    after = scores(*answered(world, weight, index, speaking_for(weight))).get(code, 0.0)
    assert after >= before - 1e-12


@MANY
@given(one_open_question())
def test_an_answer_against_never_raises_the_score(case: tuple[World, Weight, int]) -> None:
    world, weight, index = case
    world = alone(world, weight)
    code = next(r.code for r in world[0] if weight in r.weights)
    before = scores(*world).get(code, 0.0)
    after = scores(*answered(world, weight, index, speaking_against(weight))).get(code, 0.0)
    assert after <= before + 1e-12


@MANY
@given(worlds())
def test_shares_never_sum_to_more_than_one(world: World) -> None:
    found = scores(*world)
    assert sum(found.values()) <= 1.0 + 1e-12
    assert all(MIN_SHARE <= score <= 1.0 for score in found.values())


@MANY
@given(worlds())
def test_a_rule_without_support_is_never_named(world: World) -> None:
    rules, anomalies, answers = world
    for ranked in rank(rules, anomalies, asking(answers, anomalies)):
        assert ranked.anomalies
        for index in ranked.anomalies:
            explained = anomalies[index]
            assert explained.kind.value in ranked.rule.priors
            speaking = [
                w for w in ranked.rule.weights if answers[index][w.probe] is speaking_for(w)
            ]
            assert sum(w.supports for w in speaking) >= 2


@MANY
@given(worlds())
def test_the_likeliest_comes_first_and_once(world: World) -> None:
    rules, anomalies, answers = world
    found = rank(rules, anomalies, asking(answers, anomalies))
    order = [(not r.is_of_info, not r.is_unproved, r.share) for r in found]
    assert order == sorted(order, reverse=True)
    assert len({r.rule.code for r in found}) == len(found) <= MAX_CAUSES


# ------------------------------------------------------------------------------- single cases


YES, NO = Verdict.SUPPORTS, Verdict.REFUTES
STRONG, WEAK = Weight("a", 3, 3), Weight("b", 1, 1)


def only(found: tuple[Ranked, ...]) -> Ranked:
    (one,) = found
    return one


def test_nothing_found_names_nothing() -> None:
    assert rank([rule("SD101", [STRONG])], [], asking([], [])) == ()
    one = [anomaly()]
    assert rank([], one, asking([{}], one)) == ()


def test_a_rule_that_explains_other_kinds_is_not_asked() -> None:
    other = rule("SD101", [STRONG], {Kind.DIVERGENCE: 9})

    def ask(probe: str, about: Anomaly) -> Evidence:
        raise AssertionError(probe)

    assert rank([other], [anomaly()], ask) == ()


@pytest.mark.parametrize(
    ("answers", "named"),
    [({}, False), ({"b": YES}, False), ({"b": YES, "c": YES}, True), ({"a": YES}, True),
     ({"a": NO, "b": YES, "c": YES}, True), ({"a": NO}, False)],
)  # fmt: skip
def test_one_weak_sign_carries_no_name(answers: Answers, named: bool) -> None:
    one = [anomaly()]
    rules = [rule("SD101", [STRONG, WEAK, Weight("c", 1, 0)], {Kind.ISOLATED_SPIKE: 9})]
    assert bool(rank(rules, one, asking([answers], one))) is named


def test_a_prior_for_the_form_beats_that_for_the_kind() -> None:
    flat = [anomaly(Kind.NON_CONVERGENCE, form=Form.FLAT)]
    slow = [anomaly(Kind.NON_CONVERGENCE, form=Form.SLOW)]
    rules = [rule("SD101", [STRONG], {"non-convergence": 1, "non-convergence/flat": 9})]
    answers = [{"a": YES}]
    assert scores(rules, flat, answers)["SD101"] > scores(rules, slow, answers)["SD101"]


def test_a_cause_of_two_findings_beats_a_cause_of_one() -> None:
    both = {Kind.ISOLATED_SPIKE.value: 5, Kind.NONFINITE.value: 5}
    rules = [
        rule("SD101", [STRONG], {Kind.ISOLATED_SPIKE: 5}),
        rule("SD102", [Weight("c", 3, 0)], both),
    ]
    found = [anomaly(), anomaly(Kind.NONFINITE, step=200)]
    answers = [{"a": YES, "c": YES}] * 2
    first, second = rank(rules, found, asking(answers, found))
    assert (first.rule.code, first.anomalies) == ("SD102", (0, 1))
    assert (second.rule.code, second.anomalies) == ("SD101", (0,))


def test_the_severe_finding_counts_more() -> None:
    rules = [
        rule("SD101", [STRONG], {Kind.ISOLATED_SPIKE: 5}),
        rule("SD102", [Weight("c", 3, 0)], {Kind.NONFINITE: 5}),
    ]
    found = [
        anomaly(severity=Severity.WARNING),
        anomaly(Kind.NONFINITE, Severity.CRITICAL, step=200),
    ]
    assert [r.rule.code for r in rank(rules, found, asking([{"a": YES, "c": YES}] * 2, found))] == [
        "SD102", "SD101",
    ]  # fmt: skip


def test_the_evidence_shown_is_that_of_the_finding_it_explains_best() -> None:
    rules = [rule("SD101", [STRONG, WEAK])]
    found = [anomaly(severity=Severity.INFO), anomaly(severity=Severity.CRITICAL, step=200)]
    answers: list[Answers] = [{"a": YES, "b": NO}, {"a": YES, "b": YES}]
    ranked = only(rank(rules, found, asking(answers, found)))
    assert [e.verdict for e in ranked.evidence] == [YES, YES]
    assert [e.probe for e in ranked.evidence] == ["a", "b"]


def test_the_no_of_an_inverted_probe_is_shown_as_support() -> None:
    one = [anomaly()]
    rules = [rule("SD101", [Weight("a", 3, 3, inverted=True)])]
    ranked = only(rank(rules, one, asking([{"a": NO}], one)))
    assert [e.verdict for e in ranked.evidence] == [YES]
    assert rank(rules, one, asking([{"a": YES}], one)) == ()
    assert rank(rules, one, asking([{}], one)) == ()


def test_equals_are_ordered_by_code() -> None:
    rules = [rule(code, [STRONG]) for code in ("SD303", "SD101", "SD202")]
    one = [anomaly()]
    found = rank(rules, one, asking([{"a": YES}], one))
    assert [r.rule.code for r in found] == ["SD101", "SD202", "SD303"]


def test_rules_of_one_cause_take_one_place() -> None:
    """The likeliest of them, unless another explains a finding that it does not."""
    two = [anomaly(), anomaly(Kind.NONFINITE, Severity.CRITICAL, step=200)]
    spike, broken = {Kind.ISOLATED_SPIKE: 5}, {Kind.NONFINITE: 5}
    rules = [
        rule("SD101", [STRONG], spike | broken, "data"),
        rule("SD102", [STRONG], broken, "data"),
        rule("SD103", [STRONG], broken, "other"),
        rule("SD301", [STRONG], spike, "rate"),
        rule("SD302", [STRONG], broken, "rate"),
    ]
    found = rank(rules, two, asking([{"a": YES}, {"a": YES}], two))
    assert {r.rule.code for r in found} == {"SD101", "SD103", "SD301", "SD302"}


def test_only_so_many_causes_are_named() -> None:
    rules = [rule(f"SD1{i:02d}", [STRONG]) for i in range(30)]
    one = [anomaly()]
    assert len(rank(rules, one, asking([{"a": YES}], one))) == MAX_CAUSES


def test_something_is_set_aside_for_causes_nobody_wrote_down() -> None:
    one = [anomaly()]
    (ranked,) = rank([rule("SD101", [STRONG])], one, asking([{"a": YES}], one))
    assert 0.5 < ranked.share < ranked.score < 1.0


@pytest.mark.parametrize("share", [0.0, 0.02, 0.14, 0.3, 0.7, 1.0])
def test_a_likelihood_has_the_odds_of_its_share_scaled(share: float) -> None:
    found = likelihood(share)
    assert 0.0 <= share <= found <= 1.0
    assert found * (1.0 - share) == pytest.approx(SHARE_ODDS * share * (1.0 - found))


def test_a_likelihood_keeps_the_order_of_the_shares() -> None:
    found = [likelihood(share / 1000) for share in range(1001)]
    assert all(one < other for one, other in itertools.pairwise(found))


def test_where_something_is_wrong_a_harmless_observation_gets_no_fault() -> None:
    rules = [
        rule("SD101", [STRONG], {Kind.ISOLATED_SPIKE: 5}),
        rule("SD102", [Weight("c", 3, 0)], {Kind.NONFINITE: 5}),
        replace(rule("SD903", [STRONG], {Kind.ISOLATED_SPIKE: 9}), domain=Domain.BENIGN),
    ]
    remark, fault = anomaly(severity=Severity.INFO), anomaly(Kind.NONFINITE, step=200)
    answers: list[Answers] = [{"a": YES, "c": YES}] * 2
    both = rank(rules, [remark, fault], asking(answers, [remark, fault]))
    assert [r.rule.code for r in both] == ["SD102", "SD903"]  # what makes it harmless comes last
    alone = rank(rules, [remark], asking(answers[:1], [remark]))
    assert {r.rule.code for r in alone} == {"SD101", "SD903"}


@pytest.mark.parametrize(("weak", "is_named"), [(1, False), (2, True)])
def test_weak_signs_name_nothing_that_was_not_logged(weak: int, is_named: bool) -> None:
    asked = [Weight("a", 3, 1), Weight("b", weak, 0), Weight("c", weak, 0), Weight("d", 1, 0)]
    found = [anomaly()]

    def ask(probe: str, about: Anomaly) -> Evidence:
        if probe == "a":
            return Evidence(probe, Verdict.UNKNOWN, TEXT, {}, (Metric.LR,))
        return Evidence(probe, YES, TEXT)

    assert bool(rank([rule("SD302", asked)], found, ask)) is is_named
    # A question that makes no sense here is no hole in the log.
    open_one = asking([{"b": YES, "c": YES, "d": YES}], found)
    assert rank([rule("SD302", asked)], found, open_one)


# ------------------------------------------------------------------- shares worked out by hand


def share(prior: float, *answered: tuple[Weight, Verdict], others: float = 0.0) -> float:
    """Return the share of one rule for one finding, beside others of this weight in all."""
    one = [anomaly()]
    answers = {weight.probe: verdict for weight, verdict in answered}
    rules = [rule("SD101", [weight for weight, _ in answered], {Kind.ISOLATED_SPIKE: prior})]
    if others:
        rules.append(rule("SD102", [Weight("z", 1, 1)], {Kind.ISOLATED_SPIKE: others}))
    found = {r.rule.code: r.share for r in candidates(rules, one, asking([answers], one))}
    assert found["SD101"] <= 1.0
    return found["SD101"]


@pytest.mark.parametrize(
    ("strength", "verdict", "factor"),
    [
        (0, YES, 1.0), (1, YES, 1.6), (2, YES, 2.5), (3, YES, 4.5),
        (0, NO, 1.0), (1, NO, 0.65), (2, NO, 0.35), (3, NO, 0.1),
        (3, Verdict.UNKNOWN, 1.0),
    ],
)  # fmt: skip
def test_a_share_is_the_prior_times_the_factors_beside_four(strength, verdict, factor) -> None:
    weight = Weight("a", strength, strength)
    assert share(5, (weight, verdict)) == pytest.approx(5 * factor / (4 + 5 * factor))
    assert share(5, (weight, verdict), others=7) == pytest.approx(5 * factor / (11 + 5 * factor))
    turned = Weight("a", strength, strength, inverted=True)
    opposite = {YES: NO, NO: YES}.get(verdict, verdict)
    assert share(5, (turned, opposite)) == pytest.approx(5 * factor / (4 + 5 * factor))
    # Two answers multiply.
    twice = share(5, (weight, verdict), (Weight("b", 1, 1), YES))
    assert twice == pytest.approx(8 * factor / (4 + 8 * factor))


@pytest.mark.parametrize(("others", "named"), [(118.5, True), (118.7, False)])
def test_a_fiftieth_of_the_whole_is_named(others: float, named: bool) -> None:
    # 2.5 of 4 + 2.5 + 118.5 is .02.
    one = [anomaly()]
    rules = [
        rule("SD101", [Weight("a", 2, 1)], {Kind.ISOLATED_SPIKE: 1}),
        rule("SD102", [Weight("b", 2, 1)], {Kind.ISOLATED_SPIKE: others}),
    ]
    assert ("SD101" in scores(rules, one, [{"a": YES}])) is named


@pytest.mark.parametrize(
    ("severity", "confidence", "weight"),
    [
        (Severity.INFO, 1.0, 0.25), (Severity.WARNING, 1.0, 1.0), (Severity.CRITICAL, 1.0, 3.0),
        (Severity.WARNING, 0.5, 0.5), (Severity.WARNING, 0.1, 0.1), (Severity.WARNING, 0.01, 0.1),
    ],
)  # fmt: skip
def test_findings_weigh_by_severity_and_confidence(severity, confidence, weight) -> None:
    # A rule for the first of two findings, the second of weight 1: 10 of 14 for its own.
    first = anomaly(severity=severity, confidence=confidence)
    second = anomaly(Kind.NONFINITE, confidence=1.0, step=200)
    rules = [rule("SD101", [Weight("a", 2, 1)], {Kind.ISOLATED_SPIKE: 10})]
    (found,) = candidates(rules, [first, second], asking([{}, {}], [first, second]))
    assert found.share == pytest.approx(10 / 14 * weight / (weight + 1))


@pytest.mark.parametrize(("count", "weight"), [(1, 1.0), (2, 1.5), (3, 1 + 1 / 2 + 1 / 3)])
def test_findings_of_one_label_share_a_harmonic_sum(count: int, weight: float) -> None:
    alike = [anomaly(confidence=1.0, step=100 * i) for i in range(1, count + 1)]
    other = anomaly(Kind.NONFINITE, confidence=1.0, step=9000)
    rules = [rule("SD101", [Weight("a", 2, 1)], {Kind.ISOLATED_SPIKE: 10})]
    found = candidates(rules, [*alike, other], asking([{}] * (count + 1), [*alike, other]))
    assert found[0].share == pytest.approx(10 / 14 * weight / (weight + 1))


def test_the_odds_of_a_share_are_six_times_as_high() -> None:
    # 1 : 1 becomes 6 : 1, 1 : 6 becomes 1 : 1.
    assert likelihood(1 / 2) == pytest.approx(6 / 7)
    assert likelihood(1 / 7) == pytest.approx(1 / 2)


def test_eight_causes_are_named() -> None:
    rules = [rule(f"SD1{i:02d}", [STRONG]) for i in range(9)]
    one = [anomaly()]
    assert len(rank(rules, one, asking([{"a": YES}], one))) == 8


# ------------------------------------------------------------------------------- numbers that break

BREAK = anomaly(Kind.NONFINITE, Severity.CRITICAL, form=Form.PERSISTENT)


def breaking(code: str, prior: int, *weights: Weight) -> Rule:
    return rule(code, weights or [STRONG], {"nonfinite": prior})


def test_a_break_that_nothing_tells_of_has_no_cause() -> None:
    rules = [breaking(f"SD10{n}", prior) for n, prior in enumerate((4, 9))]
    assert rank(rules, [BREAK], asking([{}], [BREAK])) == ()


@pytest.mark.parametrize(
    ("supports", "missing", "is_scaled"),
    [
        (3, (Metric.GRAD_NORM,), True),
        (2, (Metric.GRAD_NORM,), False),
        (2, (Metric.LOSS_SCALE,), True),
        (2, (), True),
    ],
)
def test_without_gradients_a_break_needs_a_sign_that_decides(
    supports: int, missing: tuple[Metric, ...], is_scaled: bool
) -> None:
    weights = [Weight("a", supports, 1), Weight("b", 3, 1)]

    def ask(probe: str, _: Anomaly) -> Evidence:
        if probe == "a":
            return Evidence(probe, YES, TEXT)
        return Evidence(probe, Verdict.UNKNOWN, TEXT, {}, missing)

    one = only(rank([breaking("SD101", 5, *weights)], [BREAK], ask))
    assert one.score == (likelihood(one.share) if is_scaled else one.share)
