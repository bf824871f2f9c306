"""`assert_healthy` in a test suite of somebody else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from spikedoc.errors import InputError, UsageError
from spikedoc.testing import assert_healthy

LOGS = Path(__file__).parents[1] / "sample_logs"


def test_a_healthy_run_gives_its_report() -> None:
    assert assert_healthy(LOGS / "healthy_cosine_long").status == "healthy"


def test_a_fault_is_told_with_its_likeliest_cause() -> None:
    with pytest.raises(AssertionError) as error:
        assert_healthy(LOGS / "fp16_overflow")
    text = str(error.value)
    assert text.startswith("fp16_overflow/run is not healthy\n")
    assert "loss-scale-collapse/floor: " in text
    assert "likeliest cause: " in text
    assert "(SD401)" in text


def test_labels_may_be_ignored_and_the_threshold_raised() -> None:
    assert_healthy(LOGS / "fp16_overflow", ignore=["loss-scale-collapse", "nonfinite"])
    with pytest.raises(UsageError, match="ignore: 'nan' is not a label"):
        assert_healthy(LOGS / "fp16_overflow", ignore=["nan"])


def test_arrays() -> None:
    loss = 2.0 * np.exp(-np.arange(600) / 200) + 0.5
    noise = np.random.default_rng(0).normal(0, 0.01, 600)
    assert_healthy({"loss": loss + noise})
    broken = loss.copy()
    broken[400:] = np.nan
    with pytest.raises(AssertionError, match="nonfinite/persistent"):
        assert_healthy({"loss": broken})


def test_too_little_to_judge() -> None:
    with pytest.raises(AssertionError, match="Too little was logged"):
        assert_healthy({"loss": [2.0, 1.9]})
    assert_healthy({"loss": [2.0, 1.9]}, allow_unknown=True)


def test_no_log_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        assert_healthy(tmp_path)
