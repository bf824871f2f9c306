"""Terms that hold the loss up, and divergences that went to nothing."""

from __future__ import annotations

import numpy as np
import pytest
import synth

from spikedoc.detectors.term_level import detect
from spikedoc.model.anomaly import Shape
from spikedoc.model.metric import Metric
from spikedoc.model.run import Run

STILL = 80.0 * np.exp(synth.noise("gauss", 240, 0.1, 1))
FALLS = np.linspace(2.3, 1.2, 240)
# The divergence of random weights, gone within the first block.
GONE = np.r_[np.full(5, 0.2), np.full(235, 0.002)]


def run(terms: dict[str, np.ndarray], factor: float = 1.0, **more: np.ndarray) -> Run:
    parts = [
        synth.series(values, Metric.LOSS_COMPONENT, tag=tag, name=f"loss_component:{tag}")
        for tag, values in terms.items()
    ]
    total = np.sum(list(terms.values()), axis=0) * factor
    extra = [synth.series(v, Metric.REWARD, tag=tag) for tag, v in more.items()]
    return synth.run(synth.series(total), *parts, *extra)


def test_one_term_stands_while_another_learns() -> None:
    (found,) = detect(run({"cls_loss": FALLS, "reg_loss": STILL}))
    assert (found.shape, found.signal) == (Shape.HOLDS, "loss_component:reg_loss")
    assert found.measures["held_percent"] > 95
    assert found.measures["held_first"] == pytest.approx(80.0, rel=0.1)


@pytest.mark.parametrize("tag", ["kl", "kl_loss", "loss/kld"])
def test_a_code_that_tells_nothing(tag: str) -> None:
    (found,) = detect(run({tag: GONE, "recon_loss": STILL}))
    assert found.signal == f"loss_component:{tag}"
    assert found.measures == {"gone_first": 0.2, "gone_last": 0.002}


@pytest.mark.parametrize(
    "one",
    [
        run({"cls_loss": FALLS, "reg_loss": STILL * np.linspace(1.0, 0.7, 240)}),  # learns too
        # learned by little, evenly or at first: near its floor
        run({"cls_loss": FALLS, "reg_loss": STILL * np.linspace(1.0, 0.93, 240)}),
        run({"cls_loss": FALLS, "reg_loss": 80 * (1 + 0.09 * np.exp(-np.arange(240) / 15))}),
        run({"cls_loss": np.full(240, 2.3), "reg_loss": STILL}),  # nothing learns
        run({"cls_loss": 20.0 * FALLS, "reg_loss": STILL}),  # not all of the sum
        run({"cls_loss": FALLS, "reg_loss": STILL}, factor=0.1),  # logged without its weight
        run({"cls_loss": FALLS[:40], "reg_loss": STILL[:40]}),
        run({"reg_loss": STILL}),
        run({"cls_loss": FALLS, "reg_loss": STILL}, reward=FALLS),  # no loss to be judged so
        run({"cls_loss": FALLS, "reg_loss": -STILL}),
        run({"kl_loss": np.full(240, 0.002), "recon_loss": STILL}),  # small from the first step on
        run({"kl_loss": GONE, "recon_loss": STILL * np.linspace(1.0, 0.7, 240)}),
        run({"aux": GONE * np.linspace(1.0, 0.9, 240) + 0.5, "recon_loss": STILL}),
    ],
)
def test_others(one: Run) -> None:
    assert detect(one) == ()
