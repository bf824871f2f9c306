"""What was assumed is said: another start of the count, interpolation, other lengths."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pairs import curve, run, series, with_config

from spikedoc.comparison.compare import Options, compare
from spikedoc.model.run import Run


def warned(a: Run, b: Run, options: Options | None = None) -> str:
    return " ".join(text.en for text in compare(a, b, options).warnings)


def test_an_offset_is_told() -> None:
    whole = curve(1)
    found = warned(run(whole), run(whole[200:300]))
    assert "value for value, those of A 200 steps later" in found
    assert "200 was added to the steps of B, as told" in warned(
        run(whole), run(curve(2)[:100]), Options(offset=200)
    )
    assert "added" not in warned(run(whole), run(whole))


def test_interpolation_is_told() -> None:
    odd, even = series(curve(1)[::2], every=2), series(curve(2)[1::2], first=2, every=2)
    a, b = (replace(run(curve(1)), series=(one,)) for one in (odd, even))
    assert "0 steps of `loss` in common" in warned(a, b)


def test_lengths_are_told() -> None:
    assert "A ends at step 600, B at step 400" in warned(run(curve(1)), run(curve(2)[:400]))


def test_settings_of_one_alone() -> None:
    b = replace(run(curve(2)), config={"lr": 0.001})
    assert "Recorded for A alone: batch_size, precision, seed, optimizer" in warned(
        run(curve(1)), b
    )
    without = replace(b, config={})
    found = warned(run(curve(1)), without)
    assert "No settings were found beside the log of B" in found
    assert "alone" not in found


@pytest.mark.parametrize("key", ["data_seed"])
def test_a_recorded_order_is_not_called_unrecorded(key: str) -> None:
    a, b = (with_config(run(curve(seed)), **{key: 3}) for seed in (1, 2))
    assert "order of the data" not in warned(a, b)
