"""Post-hoc diagnosis of deep-learning training logs.

>>> import spikedoc
>>> report = spikedoc.analyze("runs/exp1")          # doctest: +SKIP
>>> report.status, [c.rule.title.en for c in report.causes]  # doctest: +SKIP
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from spikedoc.model.report import Report

__all__ = ["analyze", "analyze_all"]


def analyze(source: Any, *, mapping: Mapping[str, str] | None = None) -> Report:
    """Return the report on one run: a path, a pandas DataFrame, or a dict of arrays.

    `mapping` gives the tag or column to use for a role, e.g. `{"loss": "my/tag"}`. Raises
    `spikedoc.errors.InputError` when nothing can be read, or when a path holds several runs.
    """
    from pathlib import Path

    if not isinstance(source, str | Path):
        from spikedoc.pipeline import analyze_frame

        return analyze_frame(source, mapping=mapping)
    reports = analyze_all(source, mapping=mapping)
    if len(reports) > 1:
        from spikedoc.errors import InputError

        names = ", ".join(r.run.name for r in reports[:5])
        raise InputError(source, f"holds {len(reports)} runs ({names} …)", "use analyze_all")
    return reports[0]


def analyze_all(path: str | Path, *, mapping: Mapping[str, str] | None = None) -> list[Report]:
    """Return one report per run found under `path`."""
    from spikedoc.pipeline import analyze_all as run_all

    return run_all(path, mapping=mapping)
