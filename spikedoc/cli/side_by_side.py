"""What the runs of one call say together: the places in the data at which several spike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spikedoc.cli.display import Display, look_of

if TYPE_CHECKING:
    from spikedoc.coincidence.trace import Trace
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run


class SideBySide:
    """Keeps of each run what is weighed with that of the others."""

    def __init__(self) -> None:
        """Begin without runs."""
        self._runs: list[tuple[str, str, Trace]] = []

    def add(self, run: Run, report: Report) -> None:
        """Keep the spikes of a run."""
        from spikedoc.coincidence.trace import trace_of

        trace = trace_of(run, report)
        if trace is not None:
            self._runs.append((run.name, run.path, trace))

    def below(self, text: str, display: Display) -> str:
        """Return the reports with a paragraph on places that runs share, where one can be told.

        Formats for programs are left as they are.
        """
        if display.format not in ("text", "markdown") or len(self._runs) < 2:
            return text
        from spikedoc.coincidence.section import as_text, in_markdown
        from spikedoc.coincidence.sets import names_apart, weigh_all

        names = names_apart([(name, path) for name, path, _ in self._runs])
        traces = (trace for _, _, trace in self._runs)
        found = weigh_all(list(zip(names, traces, strict=True)))
        if not found:
            return text
        look = look_of(display)
        if display.format == "text":
            return f"{text}\n{as_text(found, look)}"
        return f"{text.rstrip()}\n\n{in_markdown(found, look.language)}\n"
