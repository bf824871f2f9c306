"""Reliability is worked out as it says, on made-up answers and on two sample logs."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from spikedoc.rules.engine import SHARE_ODDS, likelihood

Import = Callable[[str], ModuleType]
SAMPLE_LOGS = Path(__file__).parents[2] / "sample_logs"


@pytest.fixture
def reliability(benchmark: Import) -> ModuleType:
    return benchmark("_reliability")


@pytest.fixture
def two_cases(tmp_path: Path) -> Path:
    for name in ("wrong_lr_flat", "nan_in_loss_log0"):
        shutil.copytree(SAMPLE_LOGS / name, tmp_path / name)
    return tmp_path


def test_a_wilson_interval_is_that_of_the_tables(reliability: ModuleType) -> None:
    assert reliability.wilson(0.8, 10) == pytest.approx((0.490, 0.943), abs=1e-3)
    assert reliability.wilson(1.0, 10) == pytest.approx((0.722, 1.0), abs=1e-3)


def test_distances_of_scores_worked_out_by_hand(reliability: ModuleType) -> None:
    scores, is_right = np.array([0.9, 0.9, 0.2, 0.2]), np.array([1.0, 0.0, 0.0, 0.0])
    assert reliability.brier(scores, is_right) == pytest.approx((0.01 + 0.81 + 0.04 + 0.04) / 4)
    assert reliability.calibration_error(scores, is_right) == pytest.approx((0.4 + 0.2) / 2)


def test_each_score_is_in_one_bin(reliability: ModuleType) -> None:
    scores = np.linspace(0.0, 1.0, 101)
    bins = reliability.binned(scores, (scores > 0.5).astype(float))
    assert [one.count for one in bins] == [20, 20, 20, 20, 21]
    assert [one.right for one in bins] == pytest.approx([0.0, 0.0, 9 / 20, 1.0, 1.0])


@pytest.mark.parametrize("odds", [1.0, 6.0, 15.0])
def test_the_odds_that_made_the_answers_are_found(reliability: ModuleType, odds: float) -> None:
    generator = np.random.default_rng(3)
    shares = generator.uniform(0.02, 0.9, 20_000)
    is_right = (generator.random(20_000) < reliability.scaled(shares, odds)).astype(float)
    assert reliability.fitted_odds(shares, is_right) == pytest.approx(odds, rel=0.1)
    groups = [str(number % 40) for number in range(20_000)]
    low, high = reliability.resampled_odds(shares, is_right, groups, draws=50)
    assert low < odds * 1.05
    assert high > odds * 0.95
    assert low < high


def test_a_fault_is_measured_with_odds_fitted_without_it(reliability: ModuleType) -> None:
    shares = np.full(40, 0.5)
    is_right = np.array([1.0, 1.0, 1.0, 0.0] * 5 + [1.0, 0.0, 0.0, 0.0] * 5)
    crossed = reliability.cross_validated(shares, is_right, ["good"] * 20 + ["bad"] * 20)
    assert crossed[:20] == pytest.approx(np.full(20, 0.25), abs=1e-3)
    assert crossed[20:] == pytest.approx(np.full(20, 0.75), abs=1e-3)


def test_the_same_scaling_as_in_the_ranking(reliability: ModuleType) -> None:
    shares = np.array([0.02, 0.2, 0.8])
    found = reliability.scaled(shares, SHARE_ODDS)
    assert found == pytest.approx([likelihood(share) for share in shares.tolist()])


def test_two_sample_logs_are_measured(
    benchmark: Import, two_cases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calibration = benchmark("calibration")
    calibration.main([str(two_cases)])
    printed = capsys.readouterr().out
    assert "2 runs with a known fault" in printed
    assert "right for 2 runs" in printed
    found = calibration.named_causes(benchmark("_labelled").labelled(two_cases))
    assert found.shares == pytest.approx(
        [score / (SHARE_ODDS - (SHARE_ODDS - 1) * score) for score in found.scores.tolist()]
    )
    assert found.leading().scores.size == 2
    drawn = ET.fromstring(calibration.plot(found))
    assert drawn.tag.endswith("svg")
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) >= 4


def test_without_labels_there_is_nothing_to_measure(benchmark: Import, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no case"):
        benchmark("_labelled").labelled(tmp_path)
