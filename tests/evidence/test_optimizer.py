from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

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
