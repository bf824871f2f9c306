from __future__ import annotations

import numpy as np
import pytest
from sweep_factory import course, run_of

from spikedoc.errors import UsageError
from spikedoc.model.run import ConfigValue, Run
from spikedoc.sweep.result import Origin
from spikedoc.sweep.setting import RUN, find_setting, is_rate, number

RNG = np.random.default_rng(0)
LOSS = course(1.0, RNG)


def runs(*configs: dict[str, ConfigValue]) -> list[Run]:
    return [run_of(f"r{i}", LOSS, **config) for i, config in enumerate(configs)]


def test_the_config_key_that_differs_is_found() -> None:
    found = find_setting(runs({"lr": 0.1, "momentum": 0.9}, {"lr": 0.2, "momentum": 0.9}))
    assert (found.setting.key, found.setting.origin, found.setting.is_rate) == (
        "lr",
        Origin.CONFIG,
        True,
    )
    assert found.values == (0.1, 0.2)
    assert found.others == {}


def test_what_names_the_run_and_the_seed_are_no_settings() -> None:
    configs = [
        {"run_name": f"a{i}", "output_dir": f"/x/{i}", "seed": i, "dropout": 0.1 * (i // 2)}
        for i in range(4)
    ]
    found = find_setting(runs(*configs))
    assert found.setting.key == "dropout"
    assert found.seeds == (0, 1, 2, 3)
    assert found.others == {}


def test_a_number_written_as_text_is_the_number() -> None:
    found = find_setting(runs({"optimizer/gamma": "1e-4"}, {"optimizer/gamma": 0.0002}))
    assert found.values == (1e-4, 2e-4)


def test_the_floor_of_the_schedule_goes_with_the_rate() -> None:
    found = find_setting(runs({"lr": 0.1, "min_lr": 0.01}, {"lr": 0.2, "min_lr": 0.02}))
    assert found.setting.key == "lr"
    assert found.others == {}


def test_two_differences_are_told_apart_from_one() -> None:
    found = find_setting(runs({"dropout": 0.1, "width": 8}, {"dropout": 0.2, "width": 16}))
    assert found.setting.key == RUN
    assert set(found.others) == {"dropout", "width"}


def test_the_rate_is_preferred_and_the_other_difference_kept() -> None:
    found = find_setting(runs({"lr": 0.1, "width": 8}, {"lr": 0.2, "width": 16}))
    assert found.setting.key == "lr"
    assert found.others == {"width": (8, 16)}


def test_a_setting_of_some_runs_only_is_named() -> None:
    found = find_setting(runs({"lr": 0.1, "clip": 1.0}, {"lr": 0.2}))
    assert found.setting.key == "lr"
    assert found.partly == ("clip",)


@pytest.mark.parametrize(
    ("names", "key", "values"),
    [
        (["lr_3e-4", "lr_1e-3"], "lr", (3e-4, 1e-3)),
        (["lr=0.001/metrics.csv", "lr=0.01/metrics.csv"], "lr", (0.001, 0.01)),
        (["lr1e-4_seed1", "lr1e-4_seed2", "lr3e-4_seed1"], "lr", (1e-4, 1e-4, 3e-4)),
        (["resnet50_wd0.1", "resnet50_wd0.5"], "wd", (0.1, 0.5)),
        (["3e-4", "1e-3"], "value", (3e-4, 1e-3)),
        (["opt=adam", "opt=sgd"], "opt", ("adam", "sgd")),
    ],
)
def test_names_say_it_where_no_config_does(
    names: list[str], key: str, values: tuple[ConfigValue, ...]
) -> None:
    found = find_setting([run_of(name, LOSS) for name in names])
    assert (found.setting.key, found.setting.origin) == (key, Origin.NAME)
    assert found.values == values


def test_seeds_in_names() -> None:
    found = find_setting([run_of(f"lr0.1_seed{i}", LOSS) for i in (1, 2)])
    assert found.seeds == (1, 2)


def test_the_peak_of_the_logged_rate_is_the_last_resort() -> None:
    ramp = np.minimum(np.arange(LOSS.size) / 40, 1.0)
    made = [run_of(f"r{i}", LOSS, ramp * peak) for i, peak in enumerate((0.1, 0.3, 0.3001))]
    found = find_setting(made)
    assert found.setting.origin is Origin.SERIES
    assert found.values == (0.1, 0.3, 0.3)


@pytest.mark.parametrize("word", ["run_", "copy", "repeat-", "rep", "Backup_"])
def test_counters_in_names_are_not_settings(word: str) -> None:
    found = find_setting([run_of(f"{word}{i}", LOSS) for i in (1, 2)])
    assert found.setting.key == RUN
    assert found.values == (f"{word}1", f"{word}2")


def test_by_states_the_setting() -> None:
    made = runs({"lr": 0.1, "model/width": 8}, {"lr": 0.2, "model/width": 16})
    found = find_setting(made, "width")
    assert found.values == (8, 16)
    assert found.others == {"lr": (0.1, 0.2)}


def test_a_setting_that_no_run_has() -> None:
    with pytest.raises(UsageError, match=r"--by momentun: no run has such a setting.*momentum"):
        find_setting(runs({"momentum": 0.1}, {"momentum": 0.2}), "momentun")


def test_names_of_rates() -> None:
    assert all(map(is_rate, ["lr", "learning_rate", "optimizer.lr", "max_lr", "lr_min", "lr0"]))
    assert not any(map(is_rate, ["lr_decay_style", "warmup", "lrs", "weight_decay"]))


def test_numbers() -> None:
    assert number("1e-4") == 1e-4
    assert number(True) is None
    assert number("nan") is None
    assert number("adam") is None
    assert number(None) is None
