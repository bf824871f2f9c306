"""What a probe answered about one anomaly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spikedoc.model.metric import Metric
from spikedoc.text import FieldValue, Text


class Verdict(StrEnum):
    """Whether the log speaks for the statement, against it, or cannot tell."""

    SUPPORTS = "supports"
    REFUTES = "refutes"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One probe's answer. For `unknown`, `missing` names what was not logged."""

    probe: str
    verdict: Verdict
    statement: Text
    values: Mapping[str, FieldValue] = field(default_factory=dict)
    missing: tuple[Metric, ...] = ()
    missing_config: tuple[str, ...] = ()
    # False where the question makes no sense for the anomaly: a report leaves it out.
    asked: bool = field(default=True, compare=False)

    @property
    def is_unlogged(self) -> bool:
        """Whether the question is open because something it needs was not logged."""
        return self.verdict is Verdict.UNKNOWN and bool(self.missing or self.missing_config)
