"""What a comparison says in sentences: its headline, what follows from it, what it cannot know."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from spikedoc.comparison.difference import SCHEDULES
from spikedoc.comparison.parting import FEWEST_PAIRS
from spikedoc.comparison.replay import SAME_BATCHES
from spikedoc.comparison.result import (
    Outcome,
    Parting,
    PartingKind,
    SettingDifference,
    Side,
    SignalDifference,
    TimeToLoss,
)
from spikedoc.comparison.sentences import sentence
from spikedoc.comparison.settings import effective_batch
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run
from spikedoc.text import FieldValue, Text

# The noise fell clearly, and the way to a loss grew clearly: smoother but slower.
SMOOTHER: Final = 0.8
SLOWER: Final = 1.2
# A first difference of this size comes from the order of additions.
ROUNDING: Final = 1e-5
# A ratio this near to a setting, or to the ratio of two, is explained by it.
NEAR: Final = 0.01
# Printed numbers that differ by this factor in noise tell a running mean.
MUCH_NOISE: Final = 2.0
MEMORY: Final = 0.8
# From here on a factor reads better than a percentage, and a percentage needs no digits.
FACTOR_FROM: Final = 10.0
# Signals with too few common steps of which the values there are told.
FEW_TOLD: Final = 4
# What a run is judged by.
RESULTS: Final = (Metric.LOSS, Metric.VAL_LOSS, Metric.REWARD, Metric.VAL_METRIC)
COUNTS: Final = ("batch_size", "accumulation", "world_size")


def headline(
    outcome: Outcome, signals: Sequence[SignalDifference], first: SignalDifference | None
) -> Text:
    """Return the answer in one or two sentences."""
    if outcome is Outcome.UNDECIDED:
        return sentence("undecided")
    if outcome is Outcome.IDENTICAL:
        return sentence("identical").fill(
            {"n": max((s.common for s in signals), default=0), "count": len(signals)}
        )
    main = signals[0]
    values = _main_values(main)
    if first is None or first.parting is None:
        together = sentence("together") if math.isnan(main.units) else sentence("together_units")
        return together.fill(values)
    told = part(first, first.parting)
    if outcome is Outcome.TOGETHER:
        return _joined(told, sentence("results_together"))
    others = [s for s in signals if s.parting and s is not first and s.metric not in SCHEDULES]
    also = next((s for s in others if s.metric in RESULTS), others[0] if others else None)
    if also is None or also.parting is None or first.metric in RESULTS[:1]:
        return told
    return _joined(told, part(also, also.parting))


def part(signal: SignalDifference, parting: Parting) -> Text:
    """Return where and how far a signal parts."""
    values = _parting_values(signal, parting)
    if parting.kind is PartingKind.NONFINITE:
        return (
            sentence("breaks") if parting.until is None else sentence("breaks_for_a_while")
        ).fill(values)
    if parting.kind is PartingKind.POINT:
        return sentence("spikes").fill(values)
    if parting.kind is PartingKind.VALUE:
        return (sentence("value") if parting.until is None else sentence("value_until")).fill(
            values
        )
    if parting.until is not None:
        return sentence("episode").fill(values)
    known = signal.relative and math.isfinite(parting.ratio)
    return (sentence("level") if known else sentence("level_units")).fill(values)


def _parting_values(signal: SignalDifference, parting: Parting) -> dict[str, FieldValue]:
    higher = parting.higher.value.upper()
    other = "B" if parting.higher is Side.A else "A"
    ratio = parting.ratio if parting.higher is Side.B else 1.0 / parting.ratio
    return {
        "signal": signal.name, "step": parting.step, "until": parting.until or 0,
        "higher": higher, "other": other, "units": f"{parting.units:.2g}",
        "percent": _percent(ratio) if math.isfinite(ratio) else "?",
        "ratio": f"{parting.ratio:.4g}",
    }  # fmt: skip


def _percent(ratio: float) -> str:
    """Return how far above, as a percentage; as a factor where that reads better."""
    if ratio >= FACTOR_FROM:
        return f"{ratio:.3g}×"
    percent = 100 * (ratio - 1)
    return f"{percent:.0f} %" if percent >= FACTOR_FROM else f"{percent:.2g} %"


def _main_values(main: SignalDifference) -> dict[str, FieldValue]:
    visible = "?" if math.isnan(main.visible) else f"{100 * main.visible:.2g} %"
    return {
        "signal": main.name, "first": main.first_step, "last": main.last_step,
        "units": "?" if math.isnan(main.units) else f"{main.units:+.2f}", "visible": visible,
    }  # fmt: skip


def statements(
    a: Run,
    b: Run,
    signals: Sequence[SignalDifference],
    settings: Sequence[SettingDifference],
    time: TimeToLoss | None,
    *,
    is_replay: bool = False,
) -> tuple[Text, ...]:
    """Return what follows from the numbers, the most certain first.

    What a lower rate did in a replay is for the verdict of the replay to say.
    """
    found: list[Text] = []
    for few in signals[:FEW_TOLD]:
        found += _few(few)
    for main in signals[:1]:
        found += _sameness(main)
        found += _ratio(main, a, b)
        found += _noise(main)
        found += [part(main, episode) for episode in main.episodes]
    if not is_replay:
        found += _smoother(signals, time, settings)
    found += _batch(a, b)
    return tuple(found)


def _few(signal: SignalDifference) -> Iterator[Text]:
    """Tell of a signal with too few common steps what is exact: the values there."""
    if not 0 < signal.common < FEWEST_PAIRS or signal.pairs >= FEWEST_PAIRS:
        return
    values: dict[str, FieldValue] = {"signal": signal.name, "n": signal.common}
    if signal.is_identical:
        yield sentence("few_same").fill(values)
    else:
        size = signal.first_difference_size or 0.0
        values |= {"step": signal.first_difference or 0, "size": f"{100 * size:.3g} %"}
        yield sentence("few_differ").fill(values)


def _sameness(main: SignalDifference) -> Iterator[Text]:
    if main.is_identical or not main.common:
        return
    values: dict[str, FieldValue] = {
        "signal": main.name, "until": main.identical_until or 0,
        "step": main.first_difference or 0, "size": f"{main.first_difference_size or 0:.2g}",
    }  # fmt: skip
    if main.identical_until is not None:
        yield sentence("prefix").fill(values)
        if 0 < (main.first_difference_size or 0) <= ROUNDING:
            yield sentence("rounding").fill(values)
    if main.shared_noise is not None and main.shared_noise >= SAME_BATCHES:
        yield sentence("shared").fill({"r": f"{main.shared_noise:.2f}"})


def _ratio(main: SignalDifference, a: Run, b: Run) -> Iterator[Text]:
    ratio = main.constant_ratio
    if main.constant_difference is not None:
        told = f"{main.constant_difference:+.4g}"
        yield sentence("constant_difference").fill({"signal": main.name, "difference": told})
    if ratio is None:
        return
    values: dict[str, FieldValue] = {"signal": main.name, "ratio": f"{ratio:.4g}"}
    values["inverse"] = f"{1 / ratio:.4g}"
    yield sentence("constant").fill(values)
    for run, side in ((a, "A"), (b, "B")):
        for key in COUNTS:
            count = run.config.get(key)
            if not isinstance(count, int | float) or count <= 1:
                continue
            if min(abs(ratio / count - 1), abs(ratio * count - 1)) <= NEAR:
                yield sentence("explained").fill({"key": key, "side": side, "count": count})
                return


def _noise(main: SignalDifference) -> Iterator[Text]:
    a, b = main.a, main.b
    if not (a.noise > 0 and b.noise > 0):
        return
    ratio = b.noise / a.noise
    if 1 / MUCH_NOISE < ratio < MUCH_NOISE:
        return
    calm = b if ratio < 1 else a
    values: dict[str, FieldValue] = {
        "a": f"{100 * a.noise:.2g} %" if main.relative else f"{a.noise:.2g}",
        "b": f"{100 * b.noise:.2g} %" if main.relative else f"{b.noise:.2g}",
        "side": "B" if calm is b else "A", "signal": main.name,
    }  # fmt: skip
    yield (sentence("running_mean") if calm.memory >= MEMORY else sentence("noisier")).fill(values)


def _smoother(
    signals: Sequence[SignalDifference],
    time: TimeToLoss | None,
    settings: Sequence[SettingDifference],
) -> Iterator[Text]:
    """Tell when a lower learning rate only made the curve smoother and slower."""
    lr = lower_lr(signals, settings)
    if lr is None or not signals:
        return
    main = signals[0]
    low, high = (main.b, main.a) if lr is Side.B else (main.a, main.b)
    if not (high.noise > 0) or low.noise > SMOOTHER * high.noise:
        return
    side, other = lr.value.upper(), "A" if lr is Side.B else "B"
    slower = _slower(lr, time)
    values: dict[str, FieldValue] = {
        "side": side, "other": other, "noise": f"{100 * (1 - low.noise / high.noise):.0f} %",
        "slower": f"{slower:.2g}×",
    }  # fmt: skip
    if slower >= SLOWER:
        yield sentence("smoother_slower").fill(values)
    elif slower > 1 / SLOWER:  # far faster at a lower rate: the runs differ in more than that
        yield sentence("smoother_as_fast").fill(values)


def _slower(lr: Side, time: TimeToLoss | None) -> float:
    """Return how many times as many steps the run with the lower rate needs; 0.0 when unknown."""
    if time is None or not time.ratio > 0:
        return 0.0
    return time.ratio if lr is Side.B else 1.0 / time.ratio


def lower_lr(
    signals: Sequence[SignalDifference], settings: Sequence[SettingDifference]
) -> Side | None:
    """Return which run has the lower learning rate, by its log, else by its settings."""
    logged = next((s.parting for s in signals if s.metric is Metric.LR and s.parting), None)
    if logged is not None:
        return Side.A if logged.higher is Side.B else Side.B
    set_ = next((s for s in settings if s.key == "lr"), None)
    if set_ is None or not isinstance(set_.a, int | float) or not isinstance(set_.b, int | float):
        return None
    return Side.A if set_.a < set_.b else Side.B


def _batch(a: Run, b: Run) -> Iterator[Text]:
    """Tell when the effective batch changed and the learning rate did not."""
    one, two = effective_batch(a.config), effective_batch(b.config)
    if one is None or two is None or math.isclose(one, two):
        return
    lr_a, lr_b = a.config.get("lr"), b.config.get("lr")
    values: dict[str, FieldValue] = {"a": one, "b": two, "lr": lr_a if lr_a is not None else "?"}
    if isinstance(lr_a, int | float) and lr_a == lr_b:
        yield sentence("unplanned").fill(values)
    else:
        yield sentence("effective").fill(values)


def _joined(one: Text, two: Text) -> Text:
    return Text(f"{one.en} {two.en}", f"{one.zh}{two.zh}")
