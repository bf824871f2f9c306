"""What a comparison assumed, and what the two logs do not tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from spikedoc.comparison.replay import SAME_BATCHES
from spikedoc.comparison.result import Alignment, SettingDifference, SignalDifference
from spikedoc.comparison.sentences import sentence
from spikedoc.comparison.settings import only_recorded
from spikedoc.model.run import Run
from spikedoc.text import Text, listed

# Steps that count the same thing are never so far apart by epoch alone.
LEAST_UNIT: Final = 1.5
# A setting that is the ratio, but for a cut last batch.
NEAR: Final = 0.02
COUNTS: Final = ("batch_size", "accumulation", "world_size")


def warnings(
    a: Run,
    b: Run,
    signals: Sequence[SignalDifference],
    settings: Sequence[SettingDifference],
    *,
    offset: int,
    offset_found: bool,
    doubtful: bool,
) -> tuple[Text, ...]:
    """Return what was assumed and what is not known."""
    found: list[Text] = []
    if doubtful:
        found.append(sentence("units"))
        found += _unit_ratio(a, b)
    if offset:
        found.append(
            (sentence("offset_found") if offset_found else sentence("offset")).fill({"n": offset})
        )
    found += [
        sentence("interpolated").fill({"signal": s.name, "n": s.common})
        for s in signals[:1]
        if s.alignment is Alignment.INTERPOLATED
    ]
    found += _lengths(a, b)
    if len({kind for kind in map(_kind, settings) if kind}) > 1:
        found.append(sentence("several"))
    found += _unrecorded(a, b, signals)
    return tuple(found)


def _kind(setting: SettingDifference) -> str | None:
    """Return a setting that is a change of its own; the seed too: it alone moves the curve."""
    follows = ("steps_per_epoch", "total_steps", "epochs", "framework")
    return setting.key if setting.telling and setting.key not in follows else None


def _lengths(a: Run, b: Run) -> Iterator[Text]:
    if a.last_step != b.last_step:
        yield sentence("lengths").fill({"a": a.last_step, "b": b.last_step})


def _unrecorded(a: Run, b: Run, signals: Sequence[SignalDifference]) -> Iterator[Text]:
    if any(s.is_identical for s in signals[:1]):
        # The same values prove the same seed and data, if they come from two trainings.
        if _has_same_times(a, b):
            yield sentence("copy")
        return
    for one, two, side in ((a, b, "A"), (b, a, "B")):
        alone = only_recorded(one.config, two.config)
        if alone and two.config:
            yield sentence("one_sided").fill({"side": side, "keys": listed(alone)})
    yield from _seeds(a, b, signals)


def _seeds(a: Run, b: Run, signals: Sequence[SignalDifference]) -> Iterator[Text]:
    missing = [side for run, side in ((a, "A"), (b, "B")) if not run.config]
    if missing:
        yield sentence("no_settings").fill({"sides": " + ".join(missing)})
    shared = next((s.shared_noise for s in signals[:1]), None)
    if shared is not None and shared >= SAME_BATCHES:
        return
    without = [side for run, side in ((a, "A"), (b, "B")) if "seed" not in run.config]
    if without:
        yield sentence("no_seed").fill({"sides": " + ".join(without)})
    elif a.config["seed"] != b.config["seed"]:
        yield sentence("other_seed").fill({"a": a.config["seed"], "b": b.config["seed"]})
    elif "data_seed" not in a.config or "data_seed" not in b.config:
        yield sentence("no_order")


def _has_same_times(a: Run, b: Run) -> bool:
    one, two = a.main_loss, b.main_loss
    if one is None or two is None or one.wall_times is None or two.wall_times is None:
        return False
    return np.array_equal(one.wall_times, two.wall_times)


def _unit_ratio(a: Run, b: Run) -> Iterator[Text]:
    """Tell how many steps of one are a step of the other, where epochs or totals say so."""
    totals = [run.config.get("total_steps") for run in (a, b)]
    known = {
        "units_epoch": (a.steps_per_epoch, b.steps_per_epoch),
        "units_total": (_positive(totals[0]), _positive(totals[1])),
    }
    for key, (one, two) in known.items():
        if one is None or two is None or max(one, two) < LEAST_UNIT * min(one, two):
            continue
        ratio = max(one, two) / min(one, two)
        fewer, more = ("A", "B") if one < two else ("B", "A")
        yield sentence(key).fill({"fewer": fewer, "more": more, "ratio": f"{ratio:.4g}"})
        yield from _named(a if fewer == "A" else b, fewer, ratio)
        return


def _named(run: Run, side: str, ratio: float) -> Iterator[Text]:
    """Tell the setting of the run that is the ratio: its steps count updates, the other samples."""
    for key in COUNTS:
        count = _positive(run.config.get(key))
        if count is not None and abs(ratio / count - 1.0) <= NEAR:
            yield sentence("units_explained").fill({"key": key, "side": side, "count": count})
            return


def _positive(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if value > 0 else None
