"""The stages in order: read, detect, label, question, rank, advise, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import spikedoc.detectors
import spikedoc.evidence
import spikedoc.figures
from spikedoc.assembly.advice import Advisor, set_by_figure
from spikedoc.assembly.onset import with_first_sign
from spikedoc.assembly.report import assemble
from spikedoc.classifier.classify import classify
from spikedoc.detectors.base import Detector
from spikedoc.errors import CatalogError, also
from spikedoc.evidence.base import Case, Probe
from spikedoc.figures.base import Figure
from spikedoc.ingest import iter_runs, load_frame
from spikedoc.model.anomaly import Anomaly, Detection
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.model.evidence import Evidence
from spikedoc.model.knowledge import Catalog
from spikedoc.model.report import Report
from spikedoc.model.run import Run
from spikedoc.plugins import discover
from spikedoc.rules import mistakes
from spikedoc.rules.engine import candidates
from spikedoc.rules.loader import load_catalog
from spikedoc.signal.memo import remembering
from spikedoc.text import listed

if TYPE_CHECKING:
    from spikedoc.readers.base import Progress

NOTHING_KNOWN: Final = Catalog(())


def analyze_all(
    path: Path | str,
    *,
    mapping: Mapping[str, str] | None = None,
    rules: Path | None = None,
    progress: Progress | None = None,
    with_charts: bool = False,
    budget: Budget = DEFAULT,
    observe: Callable[[Run, Report], None] | None = None,
) -> list[Report]:
    """Return one report per run found under `path`: a file, a folder, a pattern, an address, `-`.

    `mapping` gives the tag to use for a role (`{"loss": "my/tag"}`), `rules` a folder of further
    rule files; `with_charts` adds what an interactive page draws, `budget` bounds what is kept of
    a log; `observe` is shown each run with its report, since no run is kept. Raises InputError when
    nothing can be read, CatalogError for a malformed rule.
    """
    catalog = cache(lambda: load_catalog(rules))
    if rules is not None:
        _check_names(catalog(), rules)
    # One run at a time: a folder of a thousand runs is never held as a whole.
    reports = []
    for run in iter_runs(path, mapping=mapping, progress=progress, budget=budget):
        report = _diagnosed(run, catalog, with_charts=with_charts)
        if observe is not None:
            observe(run, report)
        reports.append(report)
    return reports


def examine(
    path: Path | str,
    *,
    mapping: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    budget: Budget = DEFAULT,
) -> Iterator[tuple[Run, Report]]:
    """Yield each run found under `path` with its report, one at a time."""
    catalog = cache(lambda: load_catalog(None))
    for run in iter_runs(path, mapping=mapping, progress=progress, budget=budget):
        yield run, _diagnosed(run, catalog, with_charts=False)


def _check_names(catalog: Catalog, rules: Path) -> None:
    """Raise CatalogError for a rule that asks a probe or a figure that does not exist."""
    from difflib import get_close_matches  # only to help after a mistake

    probes, figures = _probes(), _figures()
    for rule in catalog.rules:
        for weight in rule.weights:
            if weight.probe not in probes:
                near = get_close_matches(weight.probe, probes, 3)
                told = mistakes.NO_PROBE.fill({"name": repr(weight.probe)})
                told = also(told, mistakes.NEAR.fill({"names": listed(near)})) if near else told
                raise CatalogError(rules / f"{rule.name}.toml", "evidence", told)
        for action in (*rule.checks, *rule.fixes):
            for name in (*action.figures, *set_by_figure(action).values()):
                if name not in figures:
                    told = mistakes.NO_FIGURE.fill({"name": repr(name)})
                    raise CatalogError(rules / f"{rule.name}.toml", action.id, told)


def analyze_frame(
    frame: Any, *, mapping: Mapping[str, str] | None = None, with_charts: bool = False
) -> Report:
    """Return the report on a table, a dict of arrays or a list of records."""
    run = load_frame(frame, mapping=mapping)
    return diagnose(run, load_catalog(None), with_charts=with_charts)


def diagnose(run: Run, catalog: Catalog, *, with_charts: bool = False) -> Report:
    """Return the report on one run, with its charts when asked for."""
    return _diagnosed(run, lambda: catalog, with_charts=with_charts)


def _diagnosed(run: Run, catalog: Callable[[], Catalog], *, with_charts: bool) -> Report:
    """Return the report on one run; the catalogue is asked for where there is something to explain.

    Reading it is a tenth of the time that a short healthy log takes.
    """
    # Logs hold numbers up to the end of the range of doubles, and those that loaders damaged: sums
    # and ratios of them are infinite, which every comparison takes for what it is.
    with remembering(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        anomalies = classify(run, detect(run))
        known = catalog() if anomalies else NOTHING_KNOWN
        # Evidence, like advice, looks at what lies before the first sign.
        signed = tuple(with_first_sign(run, one, anomalies) for one in anomalies)
        weighed = candidates(known.rules, signed, _asker(run, signed))
        advisor = Advisor(known, _figures(), run)
        return assemble(run, anomalies, weighed, advisor, with_charts=with_charts)


def detect(run: Run) -> tuple[Detection, ...]:
    """Return what every detector sees in `run`."""
    return tuple(d for detector in _detectors().values() for d in detector(run))


def _asker(run: Run, anomalies: tuple[Anomaly, ...]) -> Any:
    """Return the function that answers a probe about an anomaly, each question asked once."""

    @cache
    def ask(name: str, position: int) -> Evidence:
        return _probes()[name].answer(Case(run, anomalies[position], anomalies))

    positions = {id(a): i for i, a in enumerate(anomalies)}
    return lambda name, anomaly: ask(name, positions[id(anomaly)])


@cache
def _detectors() -> dict[str, Detector]:
    return discover(spikedoc.detectors, "DETECTOR")


@cache
def _probes() -> dict[str, Probe]:
    families = discover(spikedoc.evidence, "PROBES")
    return {probe.name: probe for family in families.values() for probe in family}


@cache
def _figures() -> dict[str, Figure]:
    families = discover(spikedoc.figures, "FIGURES")
    return {figure.name: figure for family in families.values() for figure in family}
