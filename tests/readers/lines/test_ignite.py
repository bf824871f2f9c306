"""Ignite's bar, which is drawn anew for each batch and for each new value."""

from __future__ import annotations

import pytest

from spikedoc.readers.lines.ignite import PROFILE


def drawn(values: list[str]) -> list[tuple[int | None, str]]:
    """Return the batches and losses read of a bar that shows these in turn."""
    count = len(values)
    frames = [
        f"Epoch [1/3]: [{done}/{count}]  25%|██▌       , loss={values[batch - 1]} [00:00<00:00]"
        for batch in range(1, count + 1)
        for done in (max(1, batch - 1), batch)
    ]
    parser = PROFILE.start()
    records = [parser.take(frame) for frame in frames]
    records.append(parser.end())
    return [(r.batch, repr(r.values["loss"])) for r in records if r is not None and r.values]


@pytest.mark.parametrize("value", ["0.0", "nan", "2.3026"])
def test_a_loss_that_stays_the_same_counts_in_each_batch(value: str) -> None:
    assert drawn(["1.5", *[value] * 6]) == [(1, "1.5"), *((b, value) for b in range(2, 8))]


def test_other_values_count_once() -> None:
    values = ["2.5", "1.5", "1.25", "1.0"]
    assert drawn(values) == [(1, "2.5"), (2, "1.5"), (3, "1.25"), (4, "1.0")]
