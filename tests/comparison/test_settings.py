"""Settings that differ: telling ones first, private ones never; what they are an experiment in."""

from __future__ import annotations

import pytest

from spikedoc.comparison.result import Change
from spikedoc.comparison.settings import (
    change_of,
    effective_batch,
    only_recorded,
    setting_differences,
)
from spikedoc.model.run import ConfigValue


def test_telling_settings_come_first() -> None:
    a: dict[str, ConfigValue] = {"zeta": 1, "seed": 1, "lr": 1e-3, "alpha": 2, "same": 3}
    b: dict[str, ConfigValue] = {"zeta": 2, "seed": 2, "lr": 2e-3, "alpha": 3, "same": 3}
    found = setting_differences(a, b)
    assert [one.key for one in found] == ["lr", "seed", "alpha", "zeta"]
    assert [one.telling for one in found] == [True, True, False, False]
    assert (found[0].a, found[0].b) == (1e-3, 2e-3)


@pytest.mark.parametrize(
    "key",
    [
        *("api_key", "wandb_api_key", "hf_token", "password", "db.passwd", "client_secret"),
        *("output_dir", "data_path", "model_file", "run_name", "hostname", "user", "author_email"),
        *("logging_dir", "start_time", "checkpoint_url"),
    ],
)
def test_what_is_private_or_a_place_is_not_told(key: str) -> None:
    assert setting_differences({key: "abc"}, {key: "abd"}) == ()


@pytest.mark.parametrize("value", ["/data/x", "C:\\data", "~/x", "https://x", "me@x.org", "x" * 41])
def test_values_that_are_places_or_long_are_not_told(value: str) -> None:
    assert setting_differences({"note": value}, {"note": "y"}) == ()
    assert setting_differences({"optimizer": value}, {"optimizer": "adam"}) == ()


@pytest.mark.parametrize("key", ["max_tokens", "tokenizer", "num_tokens_per_batch"])
def test_tokens_of_text_are_no_secret(key: str) -> None:
    assert [one.key for one in setting_differences({key: 1}, {key: 2})] == [key]


def test_numbers_are_compared_as_numbers() -> None:
    assert setting_differences({"lr": 1e-3}, {"lr": 0.001 * (1 + 1e-12)}) == ()
    assert setting_differences({"epochs": 3}, {"epochs": 3.0}) == ()
    assert len(setting_differences({"shuffle": True}, {"shuffle": False})) == 1
    assert len(setting_differences({"shuffle": True}, {"shuffle": 1})) == 0


def test_what_only_one_recorded() -> None:
    assert only_recorded({"seed": 1, "lr": 2, "x": 3}, {"lr": 2}) == ("seed",)


@pytest.mark.parametrize(
    ("a", "b", "change"),
    [
        ({"lr": 1}, {"lr": 1}, Change.REPEAT),
        ({"precision": "fp16"}, {"precision": "fp32"}, Change.PRECISION),
        ({"world_size": 1}, {"world_size": 8}, Change.DEVICES),
        ({"batch_size": 8, "accumulation": 4}, {"batch_size": 32, "accumulation": 1}, Change.BATCH),
        ({"seed": 1}, {"seed": 2}, Change.SEED),
        ({"lr": 1e-3, "total_steps": 9}, {"lr": 1e-4, "total_steps": 5}, Change.LR),
        ({"max_train_samples": 50000}, {"max_train_samples": 64}, Change.SAMPLES),
        ({"data_seed": 1}, {"data_seed": 2}, Change.DATA),
        ({"lr": 1e-3, "seed": 1}, {"lr": 1e-4, "seed": 2}, None),
        ({"colour": "red"}, {"colour": "blue"}, None),
    ],
)
def test_the_experiment_is_read_from_what_differs(
    a: dict[str, ConfigValue], b: dict[str, ConfigValue], change: Change | None
) -> None:
    assert change_of(setting_differences(a, b)) is change


def test_effective_batch() -> None:
    assert effective_batch({"batch_size": 8, "accumulation": 4, "world_size": 2}) == 64
    assert effective_batch({"batch_size": 8}) == 8
    assert effective_batch({"accumulation": 4}) is None
