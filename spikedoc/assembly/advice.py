"""Checks and fixes with this run's numbers filled in, and in the words of the framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from spikedoc.figures.base import Figure
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.knowledge import Action, Catalog
from spikedoc.model.report import Advice
from spikedoc.model.run import Run
from spikedoc.rules.frameworks import Words, recognise
from spikedoc.text import FieldValue

# Checks and fixes of several causes may name a learning rate or a threshold: the same one in all.
ONE_IN_A_REPORT: Final = frozenset(
    {
        *("lr_reduced", "rewarm_start"),
        *("clip_p99", "clip_points", "clip_first_step", "clip_last_step", "grad_median"),
    }
)
# ... and where to go back to is where the report says.
WAY_BACK: Final = frozenset({"rollback_step", "rollback_checkpoint"})
# ... counted from the sign that it gives as the first one.
FIRST: Final = frozenset({"first_signal", "first_signal_step", "first_signal_lead"})


def set_by_figure(action: Action) -> dict[str, str]:
    """Return setting → figure for the settings of `action` that a figure gives."""
    return {
        name: value[1:-1]
        for name, value in action.settings.items()
        if isinstance(value, str) and value.startswith("{")
    }


@dataclass(frozen=True, slots=True)
class Advisor:
    """What advice is made from: the catalogue, the figures, the run.

    `main` is the finding that the report is about, from which the figures come that all of its
    advice shares; `lost` the one by which the run was lost, else the earliest that has a cause:
    from it the way back is counted.
    """

    catalog: Catalog
    figures: Mapping[str, Figure]
    run: Run
    main: Anomaly | None = None
    lost: Anomaly | None = None

    def advice(self, action: Action, anomaly: Anomaly) -> Advice:
        """Return `action` with this run's numbers, or its wording without numbers."""
        values: dict[str, FieldValue] = {}
        for name in action.figures:
            value = self.number(name, anomaly)
            if value is None and action.unmeasured is not None:
                return Advice(action.id, action.unmeasured, {}, action.cost)
            if value is not None:
                values[name] = value
        settings: tuple[str, ...] = ()
        if action.settings:
            optimizer = str(self.run.config.get("optimizer", ""))
            settings = self.words.lines(self._settings(action, anomaly), optimizer)
        return Advice(action.id, action.text.fill(values), values, action.cost, settings)

    def _settings(self, action: Action, anomaly: Anomaly) -> dict[str, FieldValue]:
        """Return setting → value, without those whose figure the log cannot give."""
        figures = set_by_figure(action)
        given = {name: self.number(figure, anomaly) for name, figure in figures.items()}
        found = {name: value for name, value in action.settings.items() if name not in figures}
        return found | {name: value for name, value in given.items() if value is not None}

    def number(self, name: str, anomaly: Anomaly) -> FieldValue | None:
        """Return one figure, None when it is unknown."""
        figure = self.figures.get(name)
        shared = self.main if name in ONE_IN_A_REPORT else None
        if name in WAY_BACK or name in FIRST:
            shared = self.lost or (self.main if name in FIRST else None)
        return None if figure is None else figure.compute(self.run, shared or anomaly)

    @property
    def words(self) -> Words:
        """The words of the framework that wrote the log."""
        return recognise(self.run)[0]
