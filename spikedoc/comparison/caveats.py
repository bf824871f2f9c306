"""What a comparison assumed, and what the two logs do not tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from spikedoc.comparison.replay import SAME_BATCHES
from spikedoc.comparison.result import Alignment, SettingDifference, SignalDifference
from spikedoc.comparison.sentences import sentence
from spikedoc.comparison.settings import only_recorded
from spikedoc.model.run import Run
from spikedoc.text import Text


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
            yield sentence("one_sided").fill({"side": side, "keys": ", ".join(alone)})
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
