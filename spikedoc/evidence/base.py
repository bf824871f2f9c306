"""What a probe is: one yes/no question about one anomaly, answered from the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Evidence, Verdict
from spikedoc.model.label import Kind
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text


@dataclass(frozen=True, slots=True)
class Case:
    """What a probe may look at: the run, the anomaly in question, and all anomalies of the run."""

    run: Run
    anomaly: Anomaly
    anomalies: tuple[Anomaly, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """A probe's answer: `holds` True, False, or None when the log cannot tell.

    `said` stands in for the probe's own sentence where one of its values is not there.
    """

    holds: bool | None
    values: Mapping[str, FieldValue] = field(default_factory=dict)
    missing: tuple[Metric, ...] = ()
    missing_config: tuple[str, ...] = ()
    said: Text | None = None


@dataclass(frozen=True, slots=True)
class AskedOf:
    """A question that makes sense for some kinds of anomaly only; of others it is unknown."""

    kinds: frozenset[Kind]
    ask: Callable[[Case], Answer]

    def __call__(self, case: Case) -> Answer:
        """Return the answer, unknown for an anomaly of another kind."""
        return self.ask(case) if self.applies(case) else Answer(None)

    def applies(self, case: Case) -> bool:
        """Return whether the question makes sense for the anomaly."""
        return case.anomaly.kind in self.kinds


@dataclass(frozen=True, slots=True)
class Probe:
    """A question. `needs` lists the series without which the answer is unknown.

    `yes` and `no` are the statements shown for each answer; `{name}` is filled from the values,
    `{onset}` with the first step of the anomaly.
    """

    name: str
    question: Text
    yes: Text
    no: Text
    ask: Callable[[Case], Answer]
    needs: tuple[Metric, ...] = ()
    needs_config: tuple[str, ...] = ()

    def answer(self, case: Case) -> Evidence:
        """Return the evidence, `unknown` by itself when a needed series or setting is missing."""
        if isinstance(self.ask, AskedOf) and not self.ask.applies(case):
            return Evidence(self.name, Verdict.UNKNOWN, self.question, asked=False)
        missing = tuple(m for m in self.needs if case.run.get(m) is None)
        missing_config = tuple(k for k in self.needs_config if k not in case.run.config)
        if missing or missing_config:
            shown = tuple(k for k in missing_config if not _is_logged(case.run, k))
            return Evidence(self.name, Verdict.UNKNOWN, self.question, {}, missing, shown)
        answer = self.ask(case)
        if answer.holds is None:
            return Evidence(
                self.name,
                Verdict.UNKNOWN,
                self.question,
                answer.values,
                tuple(m for m in answer.missing if not _is_there(case.run, m)),
                tuple(k for k in answer.missing_config if not _is_logged(case.run, k)),
            )
        verdict = Verdict.SUPPORTS if answer.holds else Verdict.REFUTES
        statement = answer.said or (self.yes if answer.holds else self.no)
        # One report tells of many anomalies: a sentence names the step at which its own begins.
        told = statement.fill({"onset": case.anomaly.start_step, **answer.values})
        return Evidence(self.name, verdict, told, answer.values)


def _is_there(run: Run, metric: Metric) -> bool:
    """Return whether a series is logged, if too short to answer by; steps may be the epochs."""
    return run.get(metric) is not None or (metric is Metric.EPOCH and run.counts_epochs)


def _is_logged(run: Run, key: str) -> bool:
    """Return whether a setting is there as a series: a reader takes the two for one.

    Where steps are epochs, an epoch has one of them.
    """
    if key == "steps_per_epoch" and run.counts_epochs:
        return True
    return any(series.metric.value == key for series in run.series)
