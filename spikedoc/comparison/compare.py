"""From two runs to their comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from spikedoc.assembly.plot import thin_curve
from spikedoc.comparison.beside import beside
from spikedoc.comparison.caveats import warnings
from spikedoc.comparison.difference import SCHEDULES, difference
from spikedoc.comparison.events import summary
from spikedoc.comparison.pairing import counts_otherwise, found_offset, matched, shifted
from spikedoc.comparison.parting import FEWEST_PAIRS
from spikedoc.comparison.replay import SAME_BATCHES, Played, judge
from spikedoc.comparison.result import (
    Change,
    Comparison,
    Outcome,
    ReplayVerdict,
    SettingDifference,
    Side,
    SignalDifference,
    Source,
    TimeToLoss,
)
from spikedoc.comparison.settings import change_of, setting_differences
from spikedoc.comparison.wording import headline, statements
from spikedoc.model.metric import Metric
from spikedoc.model.report import Report
from spikedoc.model.run import FloatArray, Run, Series
from spikedoc.pipeline import diagnose
from spikedoc.reference.band import Reference
from spikedoc.rules.loader import load_catalog
from spikedoc.signal.baseline import baseline, median, rolling_median
from spikedoc.signal.memo import remembering
from spikedoc.signal.transform import transform
from spikedoc.text import Text
from spikedoc.version import VERSION

# The dynamic loss scale searches its height anew in each run; norms follow from the loss.
NO_RESULT: Final = SCHEDULES | {Metric.LOSS_SCALE}
# The loss both reach: that of the worse run at its best, and this share of its noise above it.
TARGET_NOISE: Final = 0.5
FEWEST_TIMED: Final = 20
# A run that begins after this share of the other was started from a checkpoint.
LATE_SHARE: Final = 0.05
# Losses of the same batch that differ by more than this come from other weights, not from rounding.
OTHER_STATE: Final = 0.01


@dataclass(frozen=True, slots=True)
class Options:
    """What was told about the two runs."""

    offset: int | None = None  # added to the steps of B; None: found where it can be
    same_steps: bool = False  # steps count the same thing, whatever it looks like
    replay: bool = False
    changed: Change | None = None  # None: read from the settings
    reference: Reference | None = None  # bands of healthy runs to lay both beside
    # What tells of places at which several diagnosed runs spike.
    shared: Callable[[Sequence[tuple[Run, Report]]], Sequence[Text]] | None = None


def compare(a: Run, b: Run, options: Options | None = None) -> Comparison:
    """Return the comparison of run A with run B."""
    options = options or Options()
    found = found_offset(a, b) if options.offset is None else options.offset
    b = shifted(b, found)
    doubtful = not options.same_steps and not found and counts_otherwise(a, b)
    with remembering():
        signals = () if doubtful else _signals(a, b)
        outcome = _outcome(signals)
        first = _first(signals, outcome)
        settings = setting_differences(a.config, b.config)
        time = None if doubtful else _time_to_loss(a, b)
    catalog = load_catalog(None)
    reports = diagnose(a, catalog), diagnose(b, catalog)
    played = Played(a, reports[0]), Played(b, reports[1])
    return Comparison(
        spikedoc_version=VERSION,
        a=summary(a, reports[0], is_stretch=is_stretch(a, b)),
        b=summary(b, reports[1], is_stretch=is_stretch(b, a)),
        outcome=outcome,
        headline=headline(outcome, signals, first),
        signals=signals,
        first=first.name if first else None,
        settings=settings,
        time_to_loss=time,
        statements=(
            *statements(a, b, signals, settings, time, is_replay=options.replay),
            *_beyond((a, reports[0]), (b, reports[1]), options, doubtful=doubtful),
        ),
        warnings=warnings(
            a, b, signals, settings,
            offset=found, offset_found=options.offset is None, doubtful=doubtful,
        ),
        replay=_replay(played, signals, settings, options) if options.replay else None,
        offset=found,
        plots=(thin_curve(a, ()), thin_curve(b, ())),
    )  # fmt: skip


def _beyond(
    a: tuple[Run, Report], b: tuple[Run, Report], options: Options, *, doubtful: bool
) -> Iterator[Text]:
    """Yield what the two have in common with each other, and each with healthy runs."""
    if options.shared is not None and not doubtful and not options.replay:
        yield from options.shared((_called(a, "A"), _called(b, "B")))
    if options.reference is not None:
        yield beside(a[0], Side.A, options.reference)
        yield beside(b[0], Side.B, options.reference)


def _called(examined: tuple[Run, Report], name: str) -> tuple[Run, Report]:
    return replace(examined[0], name=name), examined[1]


def _signals(a: Run, b: Run) -> tuple[SignalDifference, ...]:
    pairs = [(one, two) for one, two in matched(a, b) if len(one) and len(two)]
    found = [difference(one, two) for one, two in pairs]
    return tuple(one for one in found if one.common or one.pairs)


def _outcome(signals: Sequence[SignalDifference]) -> Outcome:
    results = [one for one in signals if one.metric not in NO_RESULT]
    judged = [one for one in results if one.pairs >= FEWEST_PAIRS or one.parting]
    if any(one.parting for one in results):
        return Outcome.PARTED
    if results and all(one.is_identical and one.common > 1 for one in signals):
        return Outcome.IDENTICAL
    return Outcome.TOGETHER if judged else Outcome.UNDECIDED


def _first(signals: Sequence[SignalDifference], outcome: Outcome) -> SignalDifference | None:
    """Return the signal that parts first; a point of a norm alone does not lead."""
    if outcome not in (Outcome.PARTED, Outcome.TOGETHER):
        return None
    parted = [one for one in signals if one.parting and one.metric is not Metric.LOSS_SCALE]
    return min(parted, key=lambda one: one.parting.step if one.parting else 0, default=None)


def _replay(
    played: tuple[Played, Played],
    signals: Sequence[SignalDifference],
    settings: tuple[SettingDifference, ...],
    options: Options,
) -> ReplayVerdict:
    change, source = _experiment(played, signals, settings, options)
    return judge(*played, signals, change, source=source)


def _experiment(
    played: tuple[Played, Played],
    signals: Sequence[SignalDifference],
    settings: tuple[SettingDifference, ...],
    options: Options,
) -> tuple[Change, Source]:
    """Return what B changed, and how that is known."""
    if options.changed is not None:
        return options.changed, Source.TOLD
    read = change_of(settings)
    if read in (None, Change.REPEAT) and signals and _is_other_state(signals[0]):
        return Change.STATE, Source.LOGS
    known = all(run.run.config for run in played) and read is not None
    return read or Change.REPEAT, Source.SETTINGS if known else Source.ASSUMED


def _is_other_state(main: SignalDifference) -> bool:
    """Return whether the same batches gave other losses from the first common step on."""
    return (
        main.identical_until is None
        and (main.first_difference_size or 0.0) >= OTHER_STATE
        and (main.shared_noise or 0.0) >= SAME_BATCHES
    )


def is_stretch(run: Run, other: Run) -> bool:
    """Return whether a run begins well after the other: at a checkpoint of it."""
    length = other.last_step - other.first_step
    return run.first_step - other.first_step > LATE_SHARE * length


def _time_to_loss(a: Run, b: Run) -> TimeToLoss | None:
    """Return how long each took to the lowest loss that both reached, None without a loss."""
    one, two = a.main_loss, b.main_loss
    if one is None or two is None or one.metric is not two.metric:
        return None
    if is_stretch(a, b) or is_stretch(b, a):
        return None
    smooth_a, smooth_b = _smooth(one), _smooth(two)
    if smooth_a is None or smooth_b is None:
        return None
    target = max(_reached(*smooth_a), _reached(*smooth_b))
    steps = [
        int(series.finite()[0][np.argmax(course <= target)])
        for series, (course, _) in ((one, smooth_a), (two, smooth_b))
    ]
    seconds = [_seconds(series, step) for series, step in zip((one, two), steps, strict=True)]
    return TimeToLoss(one.name, float(target), (steps[0], steps[1]), (seconds[0], seconds[1]))


def _smooth(series: Series) -> tuple[FloatArray, float] | None:
    """Return the running median of the loss and the size of its noise, in its own units."""
    _, values = series.finite()
    if values.size < FEWEST_TIMED:
        return None
    base = baseline(transform(values).values)
    course = rolling_median(values, base.window)
    return course, median(np.abs(values - course))


def _reached(course: FloatArray, noise: float) -> float:
    return float(course.min()) + TARGET_NOISE * noise


def _seconds(series: Series, step: int) -> float | None:
    if series.wall_times is None:
        return None
    index = series.index_at(step)
    spent = float(series.wall_times[index] - series.wall_times[0])
    return spent if np.isfinite(spent) and spent > 0 else None
