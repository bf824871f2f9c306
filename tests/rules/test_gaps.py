"""What was not logged: named once, the most telling first, with the questions it would answer."""

from __future__ import annotations

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.knowledge import Domain, Rule, Weight
from spikedoc.model.metric import Metric
from spikedoc.rules.engine import Ranked
from spikedoc.rules.gaps import CAUSES, QUESTIONS, find_gaps
from spikedoc.text import Text

TEXT = Text("words", "文字")


def asked(probe: str, *missing: Metric, config: tuple[str, ...] = (),
          verdict: Verdict = Verdict.UNKNOWN) -> Evidence:  # fmt: skip
    return Evidence(probe, verdict, Text(f"{probe}?", f"{probe}？"), {}, missing, config)


def cause(*pairs: tuple[int, Evidence]) -> Ranked:
    """Return a cause whose probes have these strengths and answers."""
    weights = tuple(Weight(e.probe, strength, 0) for strength, e in pairs)
    rule = Rule("SD101", "slug", "cause", Domain.DATA, {}, TEXT, TEXT, TEXT, weights, (), ())
    return Ranked(rule, 0.5, (0,), tuple(e for _, e in pairs))


def test_a_missing_series_and_a_missing_setting_are_both_gaps() -> None:
    evidence = asked("ramp", Metric.GRAD_NORM, config=("clip",))
    found = find_gaps([cause((2, evidence))])
    assert {gap.signal for gap in found} == {"grad_norm", "clip"}
    assert {gap.would_tell for gap in found} == {Text("ramp?", "ramp？")}


def test_what_was_answered_is_no_gap() -> None:
    answered = [
        asked("ramp", Metric.GRAD_NORM, verdict=v) for v in (Verdict.SUPPORTS, Verdict.REFUTES)
    ]
    assert find_gaps([cause(*((3, e) for e in answered))]) == ()


def test_an_unknown_that_no_signal_would_have_answered_is_no_gap() -> None:
    assert find_gaps([cause((3, asked("ramp")))]) == ()


def test_the_signal_that_answers_most_comes_first() -> None:
    found = find_gaps(
        [
            cause((1, asked("weak", Metric.LR)), (3, asked("strong", Metric.UPDATE_NORM))),
            cause((1, asked("other", Metric.LR))),
        ]
    )
    assert [gap.signal for gap in found] == ["update_norm", "lr"]
    assert found[1].would_tell == Text("weak? other?", "weak？other？")


def test_refuting_counts_as_much_as_supporting() -> None:
    evidence = asked("strong", Metric.UPDATE_NORM)
    rule = Rule(
        "SD101", "slug", "cause", Domain.DATA, {}, TEXT, TEXT, TEXT,
        (Weight("weak", 1, 0), Weight("strong", 0, 3)), (), (),
    )  # fmt: skip
    found = find_gaps([Ranked(rule, 0.5, (0,), (asked("weak", Metric.LR), evidence))])
    assert [gap.signal for gap in found] == ["update_norm", "lr"]


def test_a_question_of_several_causes_is_put_once() -> None:
    evidence = asked("ramp", Metric.GRAD_NORM)
    (gap,) = find_gaps([cause((1, evidence)), cause((2, evidence))])
    assert gap.would_tell == Text("ramp?", "ramp？")


def test_what_several_causes_ask_weighs_more() -> None:
    often = asked("often", Metric.LR)
    found = find_gaps(
        [cause((1, often)), cause((1, often)), cause((1, often), (2, asked("x", Metric.MAX_LOGIT)))]
    )
    assert [gap.signal for gap in found] == ["lr", "max_logit"]


def test_only_the_strongest_questions_are_named() -> None:
    pairs = [(1 + i % 3, asked(f"q{i}", Metric.LR)) for i in range(9)]
    (gap,) = find_gaps([cause(*pairs)])
    assert gap.would_tell.en == "q2? q5? q8?"
    assert gap.would_tell.en.count("?") == QUESTIONS


def test_only_the_likeliest_causes_are_asked_about() -> None:
    metrics = list(Metric)
    found = find_gaps([cause((2, asked(f"q{i}", metrics[i]))) for i in range(9)])
    assert len(found) == CAUSES


def test_without_causes_there_are_no_gaps() -> None:
    assert find_gaps([]) == ()
