"""Tables of losses per sample, as a training loop would write them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

EPOCHS, SAMPLES, BATCH = 4, 320, 16
BAD, ONCE, BROKEN = "img_0017.png", "img_0200.png", "img_0300.png"


def rows(*, bad: bool = True, seed: int = 3) -> list[tuple[int, int, str, float]]:
    """Return epoch, step, name and loss of each sighting.

    With `bad` one sample stays high, one is high once and one is once NaN.
    """
    rng = np.random.default_rng(seed)
    found = []
    for epoch in range(EPOCHS):
        order = rng.permutation(SAMPLES)
        for place, sample in enumerate(order):
            name, loss = f"img_{sample:04d}.png", float(0.5 * np.exp(0.3 * rng.normal()))
            if bad:
                loss = {BAD: 9.0, ONCE: 30.0 if epoch == 2 else loss}.get(name, loss)
                loss = math.nan if name == BROKEN and epoch == 1 else loss
            found.append((epoch, epoch * (SAMPLES // BATCH) + place // BATCH, name, round(loss, 6)))
    return found


def write_csv(path: Path, *, bad: bool = True, name: str = "sample_id") -> Path:
    lines = [f"epoch,step,{name},loss"] + [",".join(map(str, row)) for row in rows(bad=bad)]
    path.write_text("\n".join(lines) + "\n")
    return path
