"""What a figure is: one number computed from a run for the advice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spikedoc.model.anomaly import Anomaly
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text

Compute = Callable[[Run, Anomaly], FieldValue | None]


@dataclass(frozen=True, slots=True)
class Figure:
    """A named number, e.g. `clip_p99`; `compute` returns None when the log cannot give it."""

    name: str
    meaning: Text
    compute: Compute
