"""The loss over the whole run: where it began, its best level, its end, and its noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from spikedoc.model.run import Series
from spikedoc.signal.around import detrended, finite, lag_one, part_medians
from spikedoc.signal.baseline import scatter
from spikedoc.signal.memo import remembered_up_to
from spikedoc.signal.roughness import roughness
from spikedoc.signal.transform import Scale, transform

# Fewest finite points on which a whole run is judged (detection proposal, section 20).
PROFILE_FEWEST: Final = 60
# Points of the level at the start.
START_POINTS: Final = 5
# Blocks of 1/40 of the run, at least 5 points: short enough for a brief best level.
BLOCKS: Final = 40
BLOCK_POINTS: Final = 5
# The end level is the median of the last tenth, the noise that of the last three quarters.
TAIL_SHARE: Final = 0.10
SETTLED_SHARE: Final = 0.25
# Of forty medians of noise the lowest lies 2.2 standard errors down, the first may lie two up.
FALL_ERRORS: Final = 4.0
# Standard error of a median over that of a mean, for normal noise.
MEDIAN_ERROR: Final = 1.2533
# Width in points of the trend the noise is measured from.
NOISE_TREND: Final = 15
# Residuals beyond so many standard deviations are cut before neighbours are compared: the way back
# from one giant spike is no memory of the noise.
LAG_SIGMAS: Final = 3.0
# Quantiles that tell the upper from the lower tail of the noise.
TAIL_QUANTILE: Final = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """Levels of a series and scatter about its trend; log figures are NaN with values <= 0."""

    points: int
    start: float
    best: float
    tail: float
    tail_error: float  # standard error of the tail level
    noise: float  # standard deviation about the trend, spikes cut off, linear, settled part
    log_noise: float
    lag_one: float  # correlation of neighbouring residuals
    upper: float  # 98 % quantile of the residual over its median
    lower: float  # median over the 2 % quantile
    levels: NDArray[np.float64]  # block medians

    @property
    def fall(self) -> float:
        """Return how far the series fell from its start to its best level."""
        return self.start - self.best

    @property
    def has_fallen(self) -> bool:
        """Whether the fall is larger than noise makes it among so many levels."""
        error = MEDIAN_ERROR * self.noise / float(np.sqrt(self.points // self.levels.size))
        return self.fall > FALL_ERRORS * error


def profile(series: Series | None) -> Profile | None:
    """Return the profile of a series, or None when it has fewer than 60 finite points."""
    return _profile(series) if series is not None and len(series) >= PROFILE_FEWEST else None


@remembered_up_to(4)
def _profile(series: Series) -> Profile | None:
    _, values = finite(series.steps, series.values)
    if values.size < PROFILE_FEWEST:
        return None
    blocks = min(BLOCKS, values.size // BLOCK_POINTS)
    levels = part_medians(values, blocks)
    settled = values[int(values.size * SETTLED_SHARE) :]
    positive = float(settled.min()) > 0
    linear = detrended(settled, NOISE_TREND)
    judged = detrended(np.log(settled), NOISE_TREND) if positive else linear
    spread = scatter(judged)
    tail = values[-max(START_POINTS, int(values.size * TAIL_SHARE)) :]
    low, middle, high = np.quantile(judged, (TAIL_QUANTILE, 0.5, 1 - TAIL_QUANTILE))
    return Profile(
        points=int(values.size),
        start=float(np.median(values[:START_POINTS])),
        best=float(levels.min()),
        tail=float(np.median(tail)),
        tail_error=scatter(tail) / float(np.sqrt(tail.size)),
        noise=roughness(values).noise,
        log_noise=_log_noise(values),
        lag_one=lag_one(np.clip(judged - middle, -LAG_SIGMAS * spread, LAG_SIGMAS * spread)),
        upper=float(high - middle),
        lower=float(middle - low),
        levels=levels,
    )


def _log_noise(values: NDArray[np.float64]) -> float:
    mapped = transform(values)
    return roughness(mapped.values).noise if mapped.scale is Scale.LOG else float("nan")
