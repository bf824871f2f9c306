"""What a probe does by itself: ask only when it can, and say what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest
import synth

from spikedoc.evidence.base import Answer, AskedOf, Case, Probe
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind, Severity
from spikedoc.model.metric import Metric
from spikedoc.model.run import ConfigValue, Source
from spikedoc.text import Text

SPIKE = Anomaly(Kind.ISOLATED_SPIKE, Severity.INFO, 0.9, "loss", 10, 10, 10)
QUESTION = Text("did it jump?", "跳了吗？")
YES, NO = Text("jumped by {factor}", "跳了 {factor} 倍"), Text("stayed", "没有跳")


def case(**config: ConfigValue) -> Case:
    return Case(synth.loss_run(synth.curve(n=50), **config), SPIKE, (SPIKE,))


def probe(answer: Answer | None = None, *, needs: tuple[Metric, ...] = (),
          needs_config: tuple[str, ...] = ()) -> Probe:  # fmt: skip
    """Return a probe that gives this answer, and must not be asked without one."""

    def ask(asked: Case) -> Answer:
        assert answer is not None, "asked without what it needs"
        return answer

    return Probe("jumped", QUESTION, YES, NO, ask, needs, needs_config)


@pytest.mark.parametrize(
    ("holds", "verdict", "statement"),
    [
        (True, Verdict.SUPPORTS, Text("jumped by 2.5", "跳了 2.5 倍")),
        (False, Verdict.REFUTES, NO),
        (None, Verdict.UNKNOWN, QUESTION),
    ],
)
def test_three_answers(holds: bool | None, verdict: Verdict, statement: Text) -> None:
    found = probe(Answer(holds, {"factor": 2.5})).answer(case())
    assert (found.probe, found.verdict, found.statement) == ("jumped", verdict, statement)
    assert found.values == {"factor": 2.5}


def test_without_a_series_it_is_unknown_and_says_so() -> None:
    found = probe(needs=(Metric.LOSS, Metric.LR, Metric.GRAD_NORM)).answer(case())
    assert (found.verdict, found.statement) == (Verdict.UNKNOWN, QUESTION)
    assert found.missing == (Metric.LR, Metric.GRAD_NORM)
    assert found.missing_config == ()


def test_without_a_setting_too() -> None:
    found = probe(needs_config=("clip", "lr")).answer(case(lr=0.1))
    assert found.verdict is Verdict.UNKNOWN
    assert (found.missing, found.missing_config) == ((), ("clip",))


def test_with_all_it_needs_it_is_asked() -> None:
    ready = probe(Answer(False), needs=(Metric.LOSS,), needs_config=("lr",))
    assert ready.answer(case(lr=0.1)).verdict is Verdict.REFUTES


def test_what_it_found_missing_itself_is_passed_on() -> None:
    answer = Answer(None, missing=(Metric.UPDATE_NORM,), missing_config=("beta2",))
    found = probe(answer).answer(case())
    assert (found.missing, found.missing_config) == ((Metric.UPDATE_NORM,), ("beta2",))


def test_what_is_logged_is_not_missing_if_too_short_to_answer_by() -> None:
    answer = Answer(None, missing=(Metric.LOSS, Metric.LR, Metric.EPOCH), missing_config=("clip",))
    assert probe(answer).answer(case()).missing == (Metric.LR, Metric.EPOCH)


def test_where_steps_are_epochs_none_is_missing() -> None:
    asked = Answer(None, missing=(Metric.EPOCH,), missing_config=("steps_per_epoch",))
    of_steps = probe(asked).answer(case())
    assert (of_steps.missing, of_steps.missing_config) == ((Metric.EPOCH,), ("steps_per_epoch",))
    run = replace(case().run, sources=(Source("log.csv", "csv", 1, counts_epochs=True),))
    found = probe(asked).answer(Case(run, SPIKE, (SPIKE,)))
    assert (found.missing, found.missing_config) == ((), ())


def test_a_question_of_another_kind_is_not_asked() -> None:
    own = case().anomaly.kind
    other = Kind.NONFINITE if own is not Kind.NONFINITE else Kind.DIVERGENCE

    def ask(asked: Case) -> Answer:
        raise AssertionError(asked)

    limited = Probe("jumped", QUESTION, YES, NO, AskedOf(frozenset({other}), ask))
    found = limited.answer(case())
    assert (found.verdict, found.asked) == (Verdict.UNKNOWN, False)
    assert probe(Answer(None)).answer(case()).asked
