from __future__ import annotations

import numpy as np
import pytest
from levels import pieces

from spikedoc.ingest import load_frame
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog

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


STUCK = Kind.NON_CONVERGENCE


def level(ask, name: str, norm, **parts):
    return ask(name, STUCK, 1, 1, len(norm), grad_norm=norm, **parts)


@pytest.mark.parametrize(
    ("start", "norm", "verdict"),
    [
        *((1e-4, 1e-4, NO), (9.9e-5, 9.9e-5, YES), (1e-12, 1e-12, YES), (9e-13, 9e-13, NO)),
        *((1.0, 1e-3, NO), (1.0, 9.9e-4, YES)),  # a thousandth of the first five
    ],
)
def test_a_vanishing_norm(ask, start: float, norm: float, verdict: Verdict) -> None:
    found = level(ask, "grad_is_vanishing", pieces((3, start), (2, 9.0), (95, norm)))
    assert found.verdict is verdict
    assert found.values == {"level": norm, "start": start}


@pytest.mark.parametrize(("norm", "verdict"), [(9.9e-5, NO), (1e-4, YES), (1e4, YES), (1.01e4, NO)])
def test_a_moderate_norm(ask, norm: float, verdict: Verdict) -> None:
    found = level(ask, "grad_is_moderate", np.full(10, norm))
    assert (found.verdict, found.values) == (verdict, {"level": norm})


@pytest.mark.parametrize(
    ("zeros", "value", "percent", "verdict"),
    [(9, 0.0, 90.0, YES), (8, 0.0, 80.0, NO), (9, -9e-13, 90.0, YES), (9, 1e-12, 0.0, NO)],
)
def test_nine_zeros_in_ten(ask, zeros: int, value: float, percent: float, verdict) -> None:
    found = level(ask, "grad_is_zero", pieces((zeros, value), (10 - zeros, 1.0)))
    assert (found.verdict, found.values["percent"]) == (verdict, percent)


@pytest.mark.parametrize("name", ["grad_is_zero", "grad_is_vanishing", "grad_is_moderate"])
def test_ten_norms_make_a_level(ask, name: str) -> None:
    assert level(ask, name, np.full(9, 1e-6)).verdict is UNKNOWN
    assert level(ask, name, np.full(10, 1e-6)).verdict is not UNKNOWN


TWO = {"loss": np.full(100, np.log(2.0))}


@pytest.mark.parametrize(
    ("norm", "verdict"), [(0.42, NO), (0.43, YES), (0.5, YES), (0.709, YES), (0.711, NO)]
)
@pytest.mark.parametrize(
    "config",
    [
        *({"batch_size": 2}, {"batch_size": 1, "accumulation": 2}),
        *({"batch_size": 2, "accumulation": 0.5}, {"batch_size": 2, "num_classes": 2}),
    ],
)
def test_the_norm_of_an_output_bias(ask, norm: float, config, verdict: Verdict) -> None:
    # Two classes and a batch of two: sqrt((1 - 1/2) / 2) = .5; from .85 to 1.42 times that.
    found = level(ask, "grad_is_bias_only", np.full(100, norm), config=config, **TWO)
    assert found.verdict is verdict
    assert found.values == {"level": norm, "expected": 0.5, "batch": 2.0}


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        *(({"batch_size": 0.5}, UNKNOWN), ({"batch_size": 1}, NO)),
        *(({"batch_size": 2, "num_classes": 1}, UNKNOWN), ({"batch_size": 2}, YES)),
    ],
)
def test_a_bias_needs_a_batch_and_classes(ask, config, verdict: Verdict) -> None:
    # A batch of one makes sqrt(1/2) = .707 of it: .5 is .71 of that.
    found = level(ask, "grad_is_bias_only", np.full(100, 0.5), config=config, **TWO)
    assert found.verdict is verdict


def test_no_number_is_too_large_for_the_classes_of_a_loss(ask) -> None:
    parts = {"loss": np.full(100, 1e9), "config": {"batch_size": 4}}
    found = level(ask, "grad_is_bias_only", np.full(100, 0.5), **parts)
    assert (found.verdict, found.values["expected"]) == (YES, 0.5)


@pytest.mark.parametrize(
    ("kind", "vanishing", "moderate"), [(STUCK, UNKNOWN, NO), (Kind.DIVERGENCE, UNKNOWN, YES)]
)
def test_what_a_bias_alone_would_have_teaches_nothing(ask, kind, vanishing, moderate) -> None:
    parts = {"grad_norm": np.full(100, 0.5), "config": {"batch_size": 2}} | TWO
    names = ("grad_is_vanishing", "grad_is_moderate")
    found = [ask(name, kind, 1, 1, 100, **parts).verdict for name in names]
    assert found == [vanishing, moderate]


@pytest.mark.parametrize(("points", "verdict"), [(199, UNKNOWN), (200, NO)])
def test_forty_blocks_of_five_points(ask, points: int, verdict: Verdict) -> None:
    parts = {"loss": np.ones(points), "grad_norm": np.ones(points)}
    found = ask("grad_noise_follows_loss", Kind.OSCILLATION, 1, 1, points, **parts)
    assert found.verdict is verdict


def scaled(ask, *logs: tuple[int, float, float], first: int = 1):
    """Ask about stretches: so many points, log2 of the scale, log2 of the norm."""
    scale = pieces(*((points, 2.0**s) for points, s, _ in logs))
    norm = pieces(*((points, 2.0**g) for points, _, g in logs))
    parts = {"grad_norm": norm, "loss_scale": (np.arange(first, norm.size + 1), scale[first - 1 :])}
    return ask("grad_follows_loss_scale", Kind.CLIP_SATURATED, 1, 1, norm.size, **parts)


@pytest.mark.parametrize(
    ("slope", "verdict"), [(0.74, NO), (0.76, YES), (1.24, YES), (1.26, NO), (-1.0, NO)]
)
def test_a_norm_that_goes_with_the_scale(ask, slope: float, verdict: Verdict) -> None:
    found = scaled(ask, (20, 10, 0.0), (20, 11, slope), (20, 9, -slope))
    assert (found.verdict, found.values) == (verdict, {"slope": slope, "pairs": 2})


@pytest.mark.parametrize(
    ("moves", "slope", "verdict"),
    [
        *(((1.0, 1.0, 5.0), 1.0, YES), ((1.0, 0.5, 1.5), 1.0, NO), ((1.0, 5.0, 5.0), 5.0, NO)),
        ((1.0, 1.2, 5.0, 5.0), 3.1, NO),
    ],
)
def test_two_moves_and_the_middle_one_go_with_it(ask, moves, slope, verdict) -> None:
    norms = np.concatenate([[0.0], np.cumsum(moves)])
    found = scaled(ask, *((20, 10 + i, norm) for i, norm in enumerate(norms)))
    assert (found.verdict, found.values) == (verdict, {"slope": slope, "pairs": len(moves)})


def test_twenty_points_on_either_side_of_a_move(ask) -> None:
    assert scaled(ask, (20, 10, 0), (19, 11, 1), (20, 12, 2)).verdict is UNKNOWN
    assert scaled(ask, (19, 10, 0), (20, 11, 1), (20, 12, 2), (20, 13, 3)).values["pairs"] == 2
    # Only the twenty next to the move are compared.
    far = scaled(
        ask, (30, 10, 9.0), (20, 10, 0), (20, 11, 1), (30, 11, 9), (20, 11, 1), (20, 12, 2)
    )
    assert far.values == {"slope": 1.0, "pairs": 2}


def test_norms_before_the_first_scale_are_left_out(ask) -> None:
    found = scaled(ask, (30, 10, 7.0), (20, 10, 0), (20, 11, 1), (20, 12, 2), first=31)
    assert found.values == {"slope": 1.0, "pairs": 2}
    assert scaled(ask, (20, 10, 0), (20, 11, 1), (20, -np.inf, 2)).verdict is UNKNOWN


def test_without_a_batch_size_no_norm_is_that_of_a_bias(ask) -> None:
    # Of one sample and two classes it would be sqrt(1/2) = .707.
    found = level(ask, "grad_is_moderate", np.full(100, 0.707), **TWO)
    assert found.verdict is YES
    found = level(ask, "grad_is_moderate", np.full(100, 0.707), config={"batch_size": 1}, **TWO)
    assert found.verdict is NO


def test_a_model_that_learned_and_stays_learned_did_not_collapse_to_guessing() -> None:
    course = 2.0 * np.exp(-np.arange(1200) / 300) + 0.4
    norm = np.where(np.arange(1200) < 400, 1.0, np.exp(-(np.arange(1200) - 400) / 60))
    norm = np.maximum(norm, 1.5e-4) * np.exp(0.1 * np.random.default_rng(3).standard_normal(1200))
    report = diagnose(load_frame({"loss": course, "grad_norm": norm}), load_catalog(None))
    (gone,) = (f for f in report.findings if f.anomaly.kind is Kind.GRADIENT_VANISHING)
    named = [c.rule.code for c in report.causes if gone.id in c.findings]
    assert "SD505" in named
    assert "SD310" not in named
