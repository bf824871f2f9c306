from __future__ import annotations

import numpy as np
import pytest

from spikedoc.model.evidence import Verdict
from spikedoc.model.label import Kind

YES, NO, UNKNOWN = Verdict.SUPPORTS, Verdict.REFUTES, Verdict.UNKNOWN
FLAT = Kind.NON_CONVERGENCE


@pytest.mark.parametrize(
    ("setup", "verdicts"),
    [
        (("adam", 0.1), [YES, NO, NO]),
        (("adam", 1e-3), [NO, NO, NO]),
        (("adam", 1e-6), [NO, YES, NO]),
        (("sgd", 1.0), [YES, NO, NO]),
        (("sgd", 0.05), [NO, NO, NO]),
        (("sgd", 2e-3), [NO, NO, YES]),
        (("sgd", 1e-4), [NO, YES, YES]),
        ((None, 0.1), [UNKNOWN, NO, UNKNOWN]),
        ((None, 1.0), [YES, NO, UNKNOWN]),
        ((None, 1e-6), [NO, YES, UNKNOWN]),
    ],
)
def test_sizes(ask, falling, setup, verdicts) -> None:
    optimizer, rate = setup
    config = {"optimizer": optimizer} if optimizer else {}
    parts = {"loss": falling, "lr": np.linspace(0, rate, 1000), "config": config}
    names = ("lr_is_extreme_high", "lr_is_extreme_low", "sgd_with_adam_lr")
    assert [ask(n, FLAT, 1, 1, 1000, **parts).verdict for n in names] == verdicts


def test_the_config_stands_in_for_the_log(ask, falling) -> None:
    config = {"optimizer": "sgd", "lr": 1e-4}
    found = ask("sgd_with_adam_lr", FLAT, 1, 1, 1000, loss=falling, config=config)
    assert found.verdict is YES
    assert ask("lr_is_extreme_low", FLAT, 1, loss=falling).verdict is UNKNOWN


@pytest.mark.parametrize(
    ("rate", "said"), [(0.009, NO), (0.011, UNKNOWN), (0.5, UNKNOWN), (0.51, YES)]
)
def test_what_is_extreme_for_one_optimizer_and_usual_for_another(
    ask, rate: float, said: Verdict
) -> None:
    assert ask("lr_is_extreme_high", Kind.DIVERGENCE, 1, loss=[1.0], lr=[rate]).verdict is said


@pytest.mark.parametrize(
    ("probe", "name", "rate", "verdict"),
    [
        *(("lr_is_extreme_high", "adamw", 0.01, NO), ("lr_is_extreme_high", "adamw", 0.011, YES)),
        *(("lr_is_extreme_high", "sgd", 0.5, NO), ("lr_is_extreme_high", "sgd", 0.51, YES)),
        *(("lr_is_extreme_high", None, 0.01, NO), ("lr_is_extreme_high", None, 0.011, UNKNOWN)),
        *(("lr_is_extreme_high", None, 0.5, UNKNOWN), ("lr_is_extreme_high", None, 0.51, YES)),
        *(("lr_is_extreme_low", "adam", 3e-6, NO), ("lr_is_extreme_low", "adam", 2.9e-6, YES)),
        *(("lr_is_extreme_low", "sgd", 1e-3, NO), ("lr_is_extreme_low", "sgd", 9.9e-4, YES)),
        *(("lr_is_extreme_low", None, 3e-6, NO), ("lr_is_extreme_low", None, 2.9e-6, YES)),
        *(("sgd_with_adam_lr", "sgd", 3e-3, YES), ("sgd_with_adam_lr", "sgd", 3.1e-3, NO)),
        *(("sgd_with_adam_lr", "adam", 1e-3, NO), ("sgd_with_adam_lr", None, 1e-3, UNKNOWN)),
    ],
)
def test_at_the_limits_of_a_rate(ask, probe: str, name, rate: float, verdict) -> None:
    config = {"lr": rate} | ({} if name is None else {"optimizer": name})
    found = ask(probe, Kind.NON_CONVERGENCE, 1, 1, 9, loss=np.ones(9), config=config)
    assert found.verdict is verdict
    if verdict is not UNKNOWN:
        assert found.values["rate"] == rate


def test_the_highest_rate_that_was_logged_counts(ask) -> None:
    lr = np.linspace(1e-4, 2e-2, 9)
    parts = {"loss": np.ones(9), "lr": lr, "config": {"lr": 1e-4, "optimizer": "adam"}}
    found = ask("lr_is_extreme_high", Kind.NON_CONVERGENCE, 1, 1, 9, **parts)
    assert (found.verdict, found.values["rate"], found.values["limit"]) == (YES, 0.02, 0.01)
