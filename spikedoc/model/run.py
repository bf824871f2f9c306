"""One training run as spikedoc sees it: series over steps, where it restarted, what lay beside it.

Steps are the numbers the log uses (optimizer steps, iterations, epochs …); indices are positions
in an array. Intervals of steps are closed, intervals of indices half-open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.metric import Metric, spoken
from spikedoc.signal.view import usual_distance
from spikedoc.text import Text

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ConfigValue = float | int | str | bool


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Values of one quantity at strictly increasing steps.

    `values` keeps NaN and infinities as logged; a step that was not logged is absent.
    `name` is unique within the run: the metric, or metric and tag or rank where there are many.
    """

    metric: Metric
    name: str
    tag: str
    steps: IntArray
    values: FloatArray
    wall_times: FloatArray | None = None  # seconds since 1970
    rank: int | None = None
    source: str = ""

    def __post_init__(self) -> None:
        """Check the shape contract and make the arrays read-only."""
        if self.steps.ndim != 1 or self.steps.shape != self.values.shape:
            raise ValueError(f"{self.tag}: steps and values must be 1-d and of equal length")
        if not bool((self.steps[1:] > self.steps[:-1]).all()):
            raise ValueError(f"{self.tag}: steps must be strictly increasing")
        for array in (self.steps, self.values, self.wall_times):
            if array is not None:
                array.setflags(write=False)

    @property
    def spoken(self) -> str:
        """The name as a sentence says it; one series goes by one name in a whole report."""
        return spoken(self.name)

    def __len__(self) -> int:
        """Return the number of logged points."""
        return int(self.steps.size)

    @property
    def is_finite(self) -> NDArray[np.bool_]:
        """Mask of the finite points."""
        return np.isfinite(self.values)

    def finite(self) -> tuple[IntArray, FloatArray]:
        """Return steps and values of the finite points."""
        mask = self.is_finite
        return self.steps[mask], self.values[mask]

    @property
    def stride(self) -> float:
        """Median distance between logged steps; 1.0 when there are fewer than two points."""
        return usual_distance(self.steps)

    def index_at(self, step: float) -> int:
        """Return the index of the first point at or after `step` (`len(self)` without one)."""
        return int(np.searchsorted(self.steps, step, side="left"))

    def window(self, first: float, last: float) -> FloatArray:
        """Return the values logged in the closed step interval [first, last]."""
        lo, hi = (
            np.searchsorted(self.steps, first, "left"),
            np.searchsorted(self.steps, last, "right"),
        )
        return self.values[lo:hi]


@dataclass(frozen=True, slots=True)
class Piece:
    """What goes on at a restart, and what of the log before it was written again."""

    source: str  # name of the file that goes on
    before: str  # name of the file before; the same where one file holds both
    rewritten: int = 0  # points of the loss that were replaced …
    changed: int = 0  # … and how many of them have another value now
    bad_step: int | None = None  # where the loss had gone bad in the replaced stretch
    bad_value: float | None = None
    ratio: float | None = None  # old over new values, where it is one number at all steps


@dataclass(frozen=True, slots=True)
class Restart:
    """Where the log was continued: by a new file, a rewound step counter, or after a pause."""

    step: int  # first step written after the restart
    last_step: int  # last step written before it (may be larger: rewritten steps)
    reason: str  # "rewound" | "new-file" | "pause" | "resumed"
    piece: Piece | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Thinned:
    """A series of which not every point was kept."""

    name: str
    points: int  # in the log
    kept: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A saved state found in the run folder; `step` is None when its name holds none."""

    step: int | None
    path: str


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read, and what its reader skipped or guessed."""

    path: str
    reader: str
    size: int  # bytes
    notes: tuple[Text, ...] = ()
    counts_epochs: bool = False  # its steps are the numbers of epochs


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Everything known about one training run; the only thing detectors, probes and figures see."""

    name: str
    path: str
    series: tuple[Series, ...]
    restarts: tuple[Restart, ...] = ()
    config: Mapping[str, ConfigValue] = field(default_factory=dict)
    checkpoints: tuple[Checkpoint, ...] = ()
    sources: tuple[Source, ...] = ()
    events: tuple[tuple[int | None, str], ...] = ()  # (step, line) messages kept from a text log
    notes: tuple[Text, ...] = ()
    thinned: tuple[Thinned, ...] = ()

    def get(self, metric: Metric) -> Series | None:
        """Return the run's main series of `metric` (not one of a single rank), or None."""
        return next((s for s in self.series if s.metric is metric and s.rank is None), None)

    @property
    def main_loss(self) -> Series | None:
        """The series the run is judged by: the training loss, else the validation loss."""
        return self.get(Metric.LOSS) or self.get(Metric.VAL_LOSS)

    def named(self, name: str) -> Series | None:
        """Return the series called `name` in the report, or None."""
        return next((s for s in self.series if s.name == name), None)

    def all(self, metric: Metric) -> tuple[Series, ...]:
        """Return every run-wide series of `metric`."""
        return tuple(s for s in self.series if s.metric is metric and s.rank is None)

    def ranks(self, metric: Metric) -> tuple[Series, ...]:
        """Return the per-rank series of `metric`, ordered by rank."""
        found = [s for s in self.series if s.metric is metric and s.rank is not None]
        return tuple(sorted(found, key=lambda s: s.rank if s.rank is not None else -1))

    @property
    def first_step(self) -> int:
        """Lowest logged step of any series; 0 for a run without points."""
        return min((int(s.steps[0]) for s in self.series if len(s)), default=0)

    @property
    def last_step(self) -> int:
        """Highest logged step of any series; 0 for a run without points."""
        return max((int(s.steps[-1]) for s in self.series if len(s)), default=0)

    @property
    def eval_steps(self) -> IntArray:
        """Steps at which something was evaluated (validation loss or metric), ascending, unique."""
        kinds = (Metric.VAL_LOSS, Metric.VAL_METRIC, Metric.VAL_LOSS_COMPONENT)
        steps = [s.steps for s in self.series if s.metric in kinds and s.rank is None]
        return np.unique(np.concatenate(steps)) if steps else np.zeros(0, dtype=np.int64)

    @property
    def counts_epochs(self) -> bool:
        """Whether its steps are the numbers of epochs, as a reader said."""
        return any(source.counts_epochs for source in self.sources)

    @property
    def steps_per_epoch(self) -> float | None:
        """Steps in one epoch, from the config or from the epoch series; None when neither tells.

        The epoch series may be fractional (HF) or a staircase (Lightning); both have the slope.
        """
        known = self.config.get("steps_per_epoch")
        if isinstance(known, int | float) and known > 0:
            return float(known)
        epoch = self.get(Metric.EPOCH)
        if epoch is None or len(epoch) < 3:
            return None
        return _steps_per_epoch(epoch)


def _steps_per_epoch(epoch: Series) -> float | None:
    steps, values = epoch.finite()
    if values.size < 3 or values[-1] - values[0] < 1.0:
        return None
    borders = np.flatnonzero(np.diff(np.floor(values + 1e-9)) >= 1) + 1
    if np.allclose(values, np.round(values)):
        # A staircase: the way from one border to another, free of the cut ends. With one border
        # only the first epoch is whole, and that only when the log begins with it.
        from_start = borders.size == 1 and values[0] <= 1.0 and steps[0] <= epoch.stride
        first = 0 if from_start else int(borders[0])
        epochs = values[borders[-1]] - values[first]
        return float((steps[borders[-1]] - steps[first]) / epochs) if epochs > 0 else None
    slope = (steps[-1] - steps[0]) / (values[-1] - values[0])
    return float(slope) if slope > 0 else None
