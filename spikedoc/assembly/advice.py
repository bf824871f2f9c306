"""Checks and fixes with this run's numbers filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.knowledge import Action, Catalog
from spikedoc.model.report import Advice
from spikedoc.model.run import Run
from spikedoc.text import FieldValue


@dataclass(frozen=True, slots=True)
class Advisor:
    """What advice is made from: the catalogue, the figures, the run."""

    catalog: Catalog
    figures: Mapping[str, Figure]
    run: Run

    def advice(self, action: Action, anomaly: Anomaly) -> Advice:
        """Return `action` with this run's numbers, or its wording without numbers."""
        values: dict[str, FieldValue] = {}
        for name in action.figures:
            value = self.figures[name].compute(self.run, anomaly)
            if value is None and action.unmeasured is not None:
                return Advice(action.id, action.unmeasured, {}, action.cost)
            if value is not None:
                values[name] = value
        return Advice(action.id, action.text.fill(values), values, action.cost)

    def number(self, name: str, anomaly: Anomaly) -> FieldValue | None:
        """Return one figure, None when it is unknown."""
        figure = self.figures.get(name)
        return None if figure is None else figure.compute(self.run, anomaly)
