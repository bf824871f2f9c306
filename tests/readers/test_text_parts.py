"""Names of parts of one training beside names of runs."""

from __future__ import annotations

import numpy as np
import pytest

from spikedoc.readers._text_parts import are_devices, are_parts, put_together
from spikedoc.readers.base import RawSeries, Table


@pytest.mark.parametrize(
    ("names", "parts", "devices"),
    [
        (("generator", "discriminator"), True, False),
        (("D", "G"), True, False),
        (("ema", "resnet"), True, False),
        (("loss", "accuracy"), True, False),
        (("gpu0", "gpu1"), True, True),
        (("host-1", "host-2", "host-3"), True, True),
        (("actor", "resnet"), False, False),
        (("a", "b"), False, False),
        (("D", "E"), False, False),
        (("run 1", "run 2"), False, False),
        (("model_a", "model_b"), False, False),
        (("vit", "unet"), False, False),
        (("gpu", "tpu"), False, False),
    ],
)
def test_what_names_are(names: tuple[str, ...], parts: bool, devices: bool) -> None:
    assert (are_parts(names), are_devices(names)) == (parts, devices)


def table(tag: str, values: list[float]) -> Table:
    return Table((RawSeries(tag, np.arange(len(values)), np.array(values)),), {"lr": 0.1})


def test_tags_bear_the_part_once() -> None:
    whole = put_together(
        {"": table("fid", [9.0]), "G": table("loss", [1.0]), "D": table("d_loss", [2.0])}
    )
    found = {one.tag: one.values.tolist() for one in whole.series}
    assert found == {"fid": [9.0], "G_loss": [1.0], "d_loss": [2.0]}
    assert whole.config == {"lr": 0.1}
