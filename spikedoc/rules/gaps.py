"""What was not logged and would have told the likely causes apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.report import Gap
from spikedoc.rules.engine import Ranked
from spikedoc.text import Text

# Causes whose unanswered questions are listed, and questions named per missing signal.
CAUSES: Final = 5
QUESTIONS: Final = 3


def find_gaps(causes: Sequence[Ranked]) -> tuple[Gap, ...]:
    """Return one gap per missing signal or setting, the one with most open questions first."""
    open_questions: dict[str, dict[str, tuple[int, Text]]] = {}
    for cause in causes[:CAUSES]:
        for weight, evidence in zip(cause.rule.weights, cause.evidence, strict=True):
            strength = max(weight.supports, weight.refutes)
            for name in _missing(evidence):
                known = open_questions.setdefault(name, {})
                before = known.get(evidence.probe, (0, evidence.statement))[0]
                known[evidence.probe] = (before + strength, evidence.statement)
    totals = {name: sum(n for n, _ in found.values()) for name, found in open_questions.items()}
    order = sorted(open_questions, key=lambda name: (-totals[name], name))
    return tuple(Gap(name, _joined(open_questions[name])) for name in order)


def _missing(evidence: Evidence) -> Iterator[str]:
    if evidence.verdict is Verdict.UNKNOWN:
        yield from (metric.value for metric in evidence.missing)
        yield from evidence.missing_config


def _joined(questions: dict[str, tuple[int, Text]]) -> Text:
    ranked = sorted(questions.values(), key=lambda pair: -pair[0])[:QUESTIONS]
    texts = [text for _, text in ranked]
    return Text(" ".join(t.en for t in texts), "".join(t.zh for t in texts))
