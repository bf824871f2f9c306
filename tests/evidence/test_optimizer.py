from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synth

from spikedoc.evidence.base import Case
from spikedoc.evidence.optimizer import PROBES
from spikedoc.model.anomaly import Anomaly
from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind, Severity
from spikedoc.model.run import Source

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
SPIKE = Kind.ISOLATED_SPIKE


@pytest.mark.parametrize(
    ("config", "tags", "adam", "sgd"),
    [
        ({"optimizer": "AdamW"}, {}, YES, NO),
        ({"optimizer": "sgd"}, {}, NO, YES),
        ({}, {"lr": "lr-Adam"}, YES, NO),
        ({}, {"lr": "lr-SGD/pg1"}, NO, YES),
        ({}, {"lr": "train/lr"}, UNKNOWN, UNKNOWN),
    ],
)
def test_named(ask, falling, config, tags, adam, sgd) -> None:
    parts = {"loss": falling, "lr": np.full(1000, 1e-3), "config": config, "tags": tags}
    assert ask("optimizer_is_adam", SPIKE, 500, **parts).verdict is adam
    assert ask("optimizer_is_sgd", SPIKE, 500, **parts).verdict is sgd


def test_inferred_from_updates(ask, falling) -> None:
    rng = np.random.default_rng(4)
    grads = np.exp(rng.normal(0, 0.3, 1000)) * np.exp(-np.arange(1000) / 400)
    rate = np.full(1000, 0.1)
    plain = {"loss": falling, "lr": rate, "grad_norm": grads, "update_norm": rate * grads}
    assert ask("optimizer_is_sgd", SPIKE, 500, **plain).verdict is YES
    # Adam: the size of the step does not depend on the size of the gradient.
    steps = rate * 20 * np.exp(rng.normal(0, 0.1, 1000))
    adaptive = {**plain, "update_norm": steps}
    assert ask("optimizer_is_adam", SPIKE, 500, **adaptive).verdict is YES
    # SGD with momentum follows the gradient, but not exactly: left open.
    momentum = {**plain, "update_norm": 2.3 * rate * grads * np.exp(rng.normal(0, 0.3, 1000))}
    assert ask("optimizer_is_sgd", SPIKE, 500, **momentum).verdict is UNKNOWN
    assert ask("optimizer_is_adam", SPIKE, 500, **momentum).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("probe", "config", "verdict"),
    [
        ("beta2_is_long", {"beta2": 0.999}, YES),
        ("beta2_is_long", {"beta2": 0.95}, NO),
        ("beta2_is_long", {}, UNKNOWN),
        ("eps_is_large", {"eps": 1e-3}, YES),
        ("eps_is_large", {"eps": 1e-8}, NO),
        ("eps_is_large", {}, UNKNOWN),
        ("weight_decay_is_strong", {"weight_decay": 0.1, "optimizer": "sgd"}, YES),
        ("weight_decay_is_strong", {"weight_decay": 0.1, "optimizer": "adamw"}, NO),
        ("weight_decay_is_strong", {"weight_decay": 0.5, "optimizer": "adamw"}, YES),
        ("weight_decay_is_strong", {}, UNKNOWN),
        ("full_batch", {"steps_per_epoch": 1}, YES),
        ("full_batch", {"steps_per_epoch": 40}, NO),
        ("full_batch", {}, UNKNOWN),
        ("batch_is_small", {"batch_size": 4}, YES),
        ("batch_is_small", {"batch_size": 4, "accumulation": 16}, NO),
        ("batch_is_small", {"batch_size": 256}, NO),
        ("batch_is_small", {}, UNKNOWN),
    ],
)
def test_settings(ask, falling, probe, config, verdict) -> None:
    assert ask(probe, SPIKE, 500, loss=falling, config=config).verdict is verdict


def test_memory_of_beta2(ask, falling) -> None:
    found = ask("beta2_is_long", SPIKE, 500, loss=falling, config={"beta2": 0.999})
    assert found.values["steps"] == 1000


def test_moments(ask, falling, steady) -> None:
    first, second, grad = steady.copy(), steady.copy(), steady.copy()
    first[599:] *= 1 + 8 * 0.9 ** np.arange(401)
    grad[599] *= 30.0
    second[599:] *= 1.9  # v gains (1 - beta2) g^2 = .001 x 900
    parts = {"loss": falling, "grad_norm": grad}
    assert ask("first_moment_jumps", SPIKE, 600, exp_avg_norm=first, **parts).verdict is YES
    assert ask("first_moment_jumps", SPIKE, 600, exp_avg_norm=steady, **parts).verdict is NO
    lags = ask("second_moment_lags", SPIKE, 600, exp_avg_sq_norm=second, **parts)
    assert lags.verdict is YES
    second[599] *= 400.0
    assert ask("second_moment_lags", SPIKE, 600, exp_avg_sq_norm=second, **parts).verdict is NO
    no_grad = ask("second_moment_lags", SPIKE, 600, loss=falling, exp_avg_sq_norm=second)
    assert no_grad.verdict is UNKNOWN


def test_the_batch_of_one_device_is_not_that_of_a_step(ask, falling) -> None:
    of_hf = {"batch_size": 4, "framework": "hf"}
    said = ask("batch_is_small", SPIKE, 500, loss=falling, config=of_hf)
    assert (said.verdict, said.missing_config) == (UNKNOWN, ("accumulation",))
    told = (({**of_hf, "accumulation": 1}, YES), ({**of_hf, "accumulation": 32}, NO))
    for config, verdict in (*told, ({"batch_size": 4}, YES)):
        assert ask("batch_is_small", SPIKE, 500, loss=falling, config=config).verdict is verdict


@pytest.mark.parametrize(
    ("probe", "config", "verdict"),
    [
        *(("beta2_is_long", {"beta2": 0.99}, YES), ("beta2_is_long", {"beta2": 0.989}, NO)),
        *(("beta2_is_long", {"beta2": 0.0}, NO), ("beta2_is_long", {"beta2": 1.0}, UNKNOWN)),
        ("beta2_is_long", {"beta2": -0.1}, UNKNOWN),
        *(("eps_is_large", {"eps": 1e-4}, YES), ("eps_is_large", {"eps": 9e-5}, NO)),
        ("weight_decay_is_strong", {"weight_decay": 0.05, "optimizer": "adam"}, YES),
        ("weight_decay_is_strong", {"weight_decay": 0.049, "optimizer": "adam"}, NO),
        ("weight_decay_is_strong", {"weight_decay": 0.3, "optimizer": "adamw"}, YES),
        ("weight_decay_is_strong", {"weight_decay": 0.29, "optimizer": "adamw"}, NO),
        *(("weight_decay_is_strong", {"weight_decay": d}, v) for d, v in ((0.3, YES), (0.29, NO))),
        *(
            ("full_batch", {"steps_per_epoch": 1.5}, NO),
            ("full_batch", {"steps_per_epoch": 1}, YES),
        ),
        *(("batch_is_small", {"batch_size": 16}, YES), ("batch_is_small", {"batch_size": 17}, NO)),
        ("batch_is_small", {"batch_size": 0}, UNKNOWN),
        ("batch_is_small", {"batch_size": 4, "accumulation": 4}, YES),
        ("batch_is_small", {"batch_size": 4, "accumulation": 5}, NO),
        ("batch_is_small", {"batch_size": 16, "accumulation": 0.5}, YES),
        ("batch_is_small", {"batch_size": 16, "framework": "hf"}, UNKNOWN),
        ("batch_is_small", {"batch_size": 17, "framework": "hf"}, NO),
    ],
)
def test_at_the_threshold_of_a_setting(ask, probe, config, verdict: Verdict) -> None:
    assert ask(probe, SPIKE, 500, loss=np.ones(1000), config=config).verdict is verdict


@pytest.mark.parametrize(("beta2", "steps"), [(0.0, 1), (0.5, 2), (0.99, 100)])
def test_the_memory_of_squares_in_steps(ask, beta2: float, steps: int) -> None:
    found = ask("beta2_is_long", SPIKE, 500, loss=np.ones(1000), config={"beta2": beta2})
    assert found.values["steps"] == steps


def jumped(factor: float) -> np.ndarray:
    out = np.ones(1000)
    out[599:601] = factor
    return out


@pytest.mark.parametrize(("factor", "verdict"), [(3.0, YES), (2.99, NO)])
def test_a_first_moment_that_jumps(ask, factor: float, verdict: Verdict) -> None:
    parts = {"loss": np.ones(1000), "exp_avg_norm": jumped(factor)}
    found = ask("first_moment_jumps", SPIKE, 600, **parts)
    assert found.verdict is verdict
    assert found.values == {"factor": factor, "step": 600, "after": factor}


@pytest.mark.parametrize(
    ("grad", "second", "verdict"),
    [
        *((10.0, 10.0, YES), (10.0, 10.1, NO), (3.0, 1.0, NO), (2.99, 1.0, UNKNOWN)),
        *((3.17, 0.5, YES), (3.15, 0.5, NO), (np.inf, 1.0, UNKNOWN)),  # 3.17^2 = 10.05
    ],
)
def test_ten_times_as_far_as_the_second_moment(ask, grad, second, verdict: Verdict) -> None:
    moment = np.full(1000, 1.0)
    moment[599:601] = second
    parts = {"loss": np.ones(1000), "grad_norm": jumped(grad), "exp_avg_sq_norm": moment}
    found = ask("second_moment_lags", SPIKE, 600, **parts)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values == {"squares": pytest.approx(grad**2, rel=5e-3), "factor": second}


def inferred(ask, gradients: np.ndarray, ratio: np.ndarray | float):
    """Return which optimizer logs of the gradient and of update / lr / gradient point to."""
    rate = 0.25
    update = rate * np.exp(gradients + ratio)
    parts = {"loss": np.ones(gradients.size), "lr": np.full(gradients.size, rate)}
    parts |= {"grad_norm": np.exp(gradients), "update_norm": update}
    found = ask("optimizer_is_adam", SPIKE, 60, **parts)
    name = str(found.values.get("name", "none"))
    return name.split(" ", maxsplit=1)[0]


@pytest.mark.parametrize(
    ("points", "ratio", "name"),
    [
        *((120, 0.0, "sgd"), (119, 0.0, "none")),
        *((120, 0.019, "sgd"), (120, 0.021, "none"), (120, -0.019, "sgd"), (120, -0.021, "none")),
    ],
)
def test_plain_sgd_moves_by_rate_times_gradient(ask, points, ratio: float, name: str) -> None:
    # To two per cent, on 120 points.
    wiggle = np.sin(np.arange(points))
    assert inferred(ask, wiggle, ratio) == name


@pytest.mark.parametrize(("by", "name"), [(0.0134, "sgd"), (0.0136, "none")])
def test_plain_sgd_scatters_by_two_per_cent_at_most(ask, by: float, name: str) -> None:
    # Up and down by that scatters by 1.4826 times as much: .0199 and .0202.
    ratio = by * (-1.0) ** np.arange(120)
    assert inferred(ask, np.sin(np.arange(120)), ratio) == name


@pytest.mark.parametrize(
    ("spread", "level", "name"),
    [
        *((0.71, 2.0, "adam"), (0.69, 2.0, "none")),  # the gradient doubles
        *((0.71, 1.40, "adam"), (0.71, 1.37, "none")),  # four steps for one of its: ln 4 = 1.386
    ],
)
def test_adam_steps_do_not_follow_the_gradient(ask, spread, level: float, name: str) -> None:
    # Thirty blocks of four points, the step always the same.
    gradients = np.repeat(np.linspace(-spread / 2, spread / 2, 30), 4)
    assert inferred(ask, gradients, level - gradients) == name


@pytest.mark.parametrize(("together", "name"), [(0.49, "adam"), (0.51, "none")])
def test_steps_that_follow_half_way_are_not_adam_s(ask, together: float, name: str) -> None:
    # Levels of the gradient, and of something that has nothing to do with them.
    first = np.linspace(-1.0, 1.0, 30)
    second = first**2 - np.mean(first**2)
    second *= np.std(first) / np.std(second)
    steps = together * first + (1 - together**2) ** 0.5 * second
    assert np.corrcoef(first, steps)[0, 1] == pytest.approx(together)
    gradients, taken = np.repeat(first, 4), np.repeat(steps, 4)
    assert inferred(ask, gradients, 9.0 + taken - gradients) == name


@pytest.mark.parametrize(
    ("kind", "counts", "verdict"),
    [
        (Kind.OSCILLATION, True, YES),
        (Kind.OSCILLATION, False, UNKNOWN),
        (Kind.ISOLATED_SPIKE, True, UNKNOWN),
    ],
)
def test_in_means_of_epochs_no_batch_can_differ(kind: Kind, counts: bool, verdict: Verdict) -> None:
    source = Source("log.txt", "text", 9, counts_epochs=counts)
    run = replace(synth.run(synth.series(np.ones(12))), sources=(source,))
    found = Anomaly(kind, Severity.WARNING, 0.9, "loss", 5, 5, 5)
    (probe,) = (p for p in PROBES if p.name == "full_batch")
    assert probe.answer(Case(run, found, (found,))).verdict is verdict
