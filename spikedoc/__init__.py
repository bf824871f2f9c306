"""Post-hoc diagnosis of deep-learning training logs.

>>> import spikedoc
>>> report = spikedoc.analyze("runs/exp1")          # doctest: +SKIP
>>> report.status, [c.rule.title.en for c in report.causes]  # doctest: +SKIP
>>> report.save("report.html")                      # doctest: +SKIP
"""

from __future__ import annotations

# Not from `typing`, which takes its time: until the command begins, Ctrl-C shows a traceback.
TYPE_CHECKING = False

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Any

    from spikedoc.diagnosis import Diagnosis

__all__ = ["analyze", "analyze_all", "load"]


def analyze(source: Any, *, mapping: Mapping[str, str] | None = None) -> Diagnosis:
    """Return the report on one run: from a path, or from what is in memory.

    In memory it is a DataFrame (pandas, Polars), a dict of arrays, a list of dicts such as
    `trainer.state.log_history`, or the History of Keras. `mapping` gives the tag or column to use
    for a role, e.g. `{"loss": "my/tag"}`. Raises `spikedoc.errors.InputError` when nothing can be
    read, or when a path holds several runs.
    """
    import os

    from spikedoc.diagnosis import Diagnosis
    from spikedoc.pipeline import analyze_all as run_all
    from spikedoc.pipeline import analyze_frame

    if not isinstance(source, str | os.PathLike):
        return Diagnosis.of(analyze_frame(source, mapping=mapping, with_charts=True))
    path = os.fspath(source)
    reports = run_all(path, mapping=mapping, with_charts=True)
    if len(reports) > 1:
        from spikedoc.errors import InputError
        from spikedoc.text import Text

        names = ", ".join(r.run.name for r in reports[:5])
        n = len(reports)
        told = Text(f"holds {n} runs ({names} …)", f"含 {n} 次训练（{names} …）")
        raise InputError(path, told, Text("use analyze_all", "请用 analyze_all"))
    return Diagnosis.of(reports[0])


def analyze_all(
    path: str | os.PathLike[str], *, mapping: Mapping[str, str] | None = None
) -> list[Diagnosis]:
    """Return one report per run found under `path`.

    They hold the main curve only, so that a thousand of them fit into memory; `analyze` of one run
    also keeps what a page draws of the others.
    """
    import os

    from spikedoc.diagnosis import Diagnosis
    from spikedoc.pipeline import analyze_all as run_all

    return [Diagnosis.of(report) for report in run_all(os.fspath(path), mapping=mapping)]


def load(path: str | os.PathLike[str]) -> Diagnosis:
    """Return a report saved as JSON by `save` or the command line.

    Raises `spikedoc.errors.UsageError` for a file that cannot be read, `ReportError` for one that
    holds no report.
    """
    from spikedoc.diagnosis import load as load_report

    return load_report(path)
