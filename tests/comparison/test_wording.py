"""Sentences hold the numbers they speak of, and no open field."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from pairs import curve, run, series, spiked

from spikedoc.comparison.compare import Options, compare
from spikedoc.comparison.difference import difference
from spikedoc.comparison.result import Side
from spikedoc.comparison.wording import lower_lr, part
from spikedoc.model.metric import Metric


def test_a_level_is_told_in_per_cent_and_units() -> None:
    b = curve(2)
    b[300:] *= 1.5
    found = difference(series(curve(1)), series(b))
    assert found.parting is not None
    text = part(found, found.parting)
    assert re.fullmatch(
        r"`loss` parts at step \d+: B stays [45]\d % above A, [34](\.\d)? units of their noise\.",
        text.en,
    )
    turned = difference(series(b), series(curve(1)))
    assert turned.parting is not None
    assert ": A stays" in part(turned, turned.parting).en


def test_a_large_ratio_is_told_as_a_factor() -> None:
    found = difference(series(curve(1)), series(20 * curve(2)))
    assert found.parting is not None
    assert re.search(r"B stays (19\.\d|20(\.\d)?)× above A", part(found, found.parting).en)


def test_which_has_the_lower_rate() -> None:
    high, low = np.full(600, 1e-3), np.full(600, 1e-4)
    found = difference(series(high, Metric.LR), series(low, Metric.LR))
    assert lower_lr([found], ()) is Side.B
    assert lower_lr([difference(series(low, Metric.LR), series(high, Metric.LR))], ()) is Side.A
    assert lower_lr([], ()) is None


SHAPES = {
    "healthy": curve(2),
    "spike": spiked(curve(3), 400),
    "nan": np.where(np.arange(600) > 500, np.nan, curve(4)),
    "hump": np.where((np.arange(600) > 200) & (np.arange(600) < 350), 3.0, 1.0) * curve(5),
    "high": 1.8 * curve(6),
    "zero": np.zeros(600),
    "short": curve(7)[:4],
    "negative": curve(8) - 1.0,
}


@pytest.mark.parametrize(
    ("one", "two"), [*product(("healthy", "nan"), SHAPES), *((name, name) for name in SHAPES)]
)
def test_no_field_stays_open(one: str, two: str) -> None:
    found = compare(run(SHAPES[one]), run(SHAPES[two]), Options(replay=True))
    texts = [found.headline, *found.statements, *found.warnings]
    assert found.replay is not None
    texts += [found.replay.reason, found.replay.proves, found.replay.next]
    for text in texts:
        assert not re.search(r"[{}]|\bnan\b", text.en), text.en
        assert not re.search(r"[{}]|\bnan\b", text.zh), text.zh
