from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("level", "zero", "vanishing", "moderate"),
    [(0.0, YES, NO, NO), (1e-6, NO, YES, NO), (0.3, NO, NO, YES), (1e6, NO, NO, NO)],
)
def test_levels(ask, steady, level, zero, vanishing, moderate) -> None:
    names = ("grad_is_zero", "grad_is_vanishing", "grad_is_moderate")
    kind = Kind.NON_CONVERGENCE
    found = [ask(n, kind, 1, 1, 1000, grad_norm=level * steady).verdict for n in names]
    assert found == [zero, vanishing, moderate]


def test_vanishing_against_the_start(ask, steady) -> None:
    fell = steady * np.where(np.arange(1000) < 20, 1.0, 5e-4)
    kind = Kind.NON_CONVERGENCE
    assert ask("grad_is_vanishing", kind, 1, 1, 1000, grad_norm=fell).verdict is YES


def test_few_points_or_another_kind_are_unknown(ask, steady) -> None:
    kind = Kind.NON_CONVERGENCE
    assert ask("grad_is_zero", kind, 1, 1, 5, grad_norm=steady).verdict is UNKNOWN
    assert ask("grad_is_zero", Kind.ISOLATED_SPIKE, 1, 1, 500, grad_norm=steady).verdict is UNKNOWN


def test_noise_follows_gradient(ask, steady) -> None:
    level = 1 + np.sin(np.arange(1000) / 60)
    loss = 3 + level * np.random.default_rng(2).normal(0, 0.2, 1000)
    kind = Kind.OSCILLATION
    together = {"loss": loss, "grad_norm": (0.1 + level) * steady}
    assert ask("grad_noise_follows_loss", kind, 1, 1, 1000, **together).verdict is YES
    apart = {"loss": loss, "grad_norm": steady}
    assert ask("grad_noise_follows_loss", kind, 1, 1, 1000, **apart).verdict is NO


@pytest.mark.parametrize(("power", "verdict"), [(1.0, YES), (0.0, NO)])
def test_gradient_scaled_with_the_loss_scale(ask, steady, power, verdict) -> None:
    scale = np.repeat([1024.0, 2048.0, 4096.0, 2048.0], 250)
    parts = {"grad_norm": steady * scale**power, "loss_scale": scale}
    found = ask("grad_follows_loss_scale", Kind.CLIP_SATURATED, 1, 1, 1000, **parts)
    assert found.verdict is verdict


def test_a_constant_scale_tells_nothing(ask, steady) -> None:
    parts = {"grad_norm": steady, "loss_scale": np.full(1000, 1024.0)}
    assert ask("grad_follows_loss_scale", Kind.CLIP_SATURATED, 1, **parts).verdict is UNKNOWN


def test_bias_only(ask, steady) -> None:
    name, kind = "grad_is_bias_only", Kind.NON_CONVERGENCE
    loss = np.full(1000, np.log(10))
    # sqrt(.9 / 32) = .1677
    bias = {"loss": loss, "grad_norm": 0.168 * steady}
    config = {"batch_size": 32}
    assert ask(name, kind, 1, 1, 1000, config=config, **bias).verdict is YES
    assert ask(name, kind, 1, 1, 1000, config={"batch_size": 8}, **bias).verdict is NO
    assert ask(name, kind, 1, 1, 1000, **bias).verdict is UNKNOWN
    alive = {"loss": loss, "grad_norm": 0.7 * steady}
    assert ask(name, kind, 1, 1, 1000, config=config, **alive).verdict is NO
    # Up to sqrt(2) all weights together weigh no more than the bias.
    little = {"loss": loss, "grad_norm": 0.168 * 1.35 * steady}
    more = {"loss": loss, "grad_norm": 0.168 * 1.6 * steady}
    assert ask(name, kind, 1, 1, 1000, config=config, **little).verdict is YES
    assert ask(name, kind, 1, 1, 1000, config=config, **more).verdict is NO
