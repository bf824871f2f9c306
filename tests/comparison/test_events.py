"""The findings of each run, as the comparison tells them."""

from __future__ import annotations

import numpy as np
from pairs import curve, run, spiked

from spikedoc.comparison.events import described, event, summary
from spikedoc.model.label import Status
from spikedoc.pipeline import diagnose
from spikedoc.rules.loader import load_catalog


def test_a_spike_is_known_by_its_peak() -> None:
    one = run(spiked(curve(1), 410))
    (finding,) = diagnose(one, load_catalog(None)).findings
    found = event(finding)
    assert (found.label, found.signal, found.step) == ("isolated-spike", "loss", 411)
    assert described(finding).en == "isolated spike"
    assert described(finding).zh == "孤立尖峰"


def test_nan_keeps_its_letters() -> None:
    values = curve(1)
    values[400:] = np.nan
    (finding,) = diagnose(run(values), load_catalog(None)).findings
    assert described(finding).en.startswith("NaN")


def test_a_stretch_is_not_judged_by_a_start_it_has_not() -> None:
    one = run(curve(1)[450:], first=451)
    report = diagnose(one, load_catalog(None))
    whole = summary(one, report, is_stretch=False)
    stretch = summary(one, report, is_stretch=True)
    assert whole.status is report.status
    assert len(whole.events) == min(len(report.findings), 5)
    assert stretch.status is Status.UNKNOWN
    assert stretch.events == ()
    assert (stretch.first_step, stretch.last_step, stretch.points) == (451, 600, 150)
