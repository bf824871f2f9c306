"""For test suites: a training run that must be healthy.

>>> from spikedoc.testing import assert_healthy
>>> assert_healthy("sample_logs/healthy_cosine_long").status.value
'healthy'
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spikedoc.gate.judge import is_selected
from spikedoc.gate.settings import Settings, labels
from spikedoc.model.label import Severity, Status
from spikedoc.model.report import Report


def assert_healthy(
    source: Any,
    *,
    fail_on: str = "warning",
    ignore: Iterable[str] = (),
    allow_unknown: bool = False,
    mapping: Mapping[str, str] | None = None,
) -> Report:
    """Return the report on a run; AssertionError with the findings when it is not healthy.

    `source` is what `spikedoc.analyze` takes: a path, a DataFrame, a dict of arrays. Findings below
    the severity `fail_on` and labels in `ignore` pass; a run that cannot be judged does not, unless
    `allow_unknown`. Raises `spikedoc.errors.UsageError` for a label that does not exist.
    """
    from spikedoc import analyze

    settings = Settings(fail_on=Severity(fail_on), ignore=labels(list(ignore), "ignore"))
    report = analyze(source, mapping=mapping)
    found = [
        finding
        for finding in report.findings
        if finding.anomaly.severity.rank >= settings.fail_on.rank
        and is_selected(finding.anomaly.label, settings)
    ]
    if found:
        lines = [f"{f.anomaly.label}: {f.summary.en}" for f in found]
        causes = [f"likeliest cause: {c.rule.title.en} ({c.rule.code})" for c in report.causes[:1]]
        raise AssertionError("\n".join([f"{report.run.name} is not healthy", *lines, *causes]))
    if report.status is Status.UNKNOWN and not allow_unknown:
        raise AssertionError(f"{report.run.name}: {report.headline.en}")
    return report
