"""The work on one place: a function of what is given to it alone, so that any process can do it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from spikedoc.errors import CatalogError, InputError
from spikedoc.fleet.patience import OutOfTimeError, within
from spikedoc.fleet.record import Record, State, record_of
from spikedoc.model.budget import DEFAULT, Budget
from spikedoc.text import Language, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spikedoc.ingest.places import Files
    from spikedoc.model.knowledge import Catalog
    from spikedoc.model.report import Report
    from spikedoc.model.run import Run

# Signs of an error text that are kept.
LONGEST_ERROR: Final = 300
REPORT_KEY_SIGNS: Final = 16
NOT_DONE: Final = Text("not done within {seconds} s", "{seconds} s 内没有完成")


class Pages(StrEnum):
    """Which runs get a page of their own."""

    NONE = "none"
    FINDINGS = "findings"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Method:
    """How places are read: the same for all of them."""

    rules: Path | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    timeout: float | None = None  # seconds a place may take
    pages: Pages = Pages.NONE
    language: Language = Language.EN
    budget: Budget = DEFAULT
    may_exit: bool = True  # whether the process is a worker, which can be spared


@dataclass(frozen=True, slots=True)
class Task:
    """A place to diagnose."""

    root: str
    base: Path  # the root in this file system
    path: str
    key: str
    files: Files
    size: int  # bytes
    modified: float
    address: str = ""  # of a folder in a remote store, which then stands for the files
    folders: tuple[str, ...] = ()  # below the root, where the files are in more than one

    def fields(self) -> dict[str, Any]:
        """Return what its records say of it."""
        return {
            "root": self.root,
            "path": self.path,
            "key": self.key,
            "bytes": self.size,
            "modified": self.modified or None,
            "folders": self.folders,
        }

    def failed(self, reason: Text) -> Record:
        """Return the record of a place on which the work itself failed."""
        return Record(**self.fields(), status=State.FAILED, **cut(reason))


def cut(reason: Text) -> dict[str, Any]:
    """Return a reason as a record keeps it."""
    return {"error": reason.en[:LONGEST_ERROR], "error_zh": reason.zh[:LONGEST_ERROR]}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The records of a place, and the pages of its runs by file name."""

    records: tuple[Record, ...]
    pages: Mapping[str, str] = field(default_factory=dict)


def diagnose_place(task: Task, method: Method) -> Outcome:
    """Return what was found at a place; whatever happens there is a record as well."""
    started = time.perf_counter()
    try:
        outcome = within(
            method.timeout, partial(_diagnosed, task, method), may_exit=method.may_exit
        )
    except OutOfTimeError:
        outcome = Outcome((task.failed(NOT_DONE.fill({"seconds": f"{method.timeout:g}"})),))
    except CatalogError:
        raise  # a wrong rule file spoils every place alike
    except InputError as error:
        told = cut(error.text)
        outcome = Outcome((Record(**task.fields(), status=State.UNREADABLE, **told),))
    except (Exception, RecursionError, MemoryError) as error:  # one bad run must not end the scan
        what = f"{type(error).__name__}: {error}"
        outcome = Outcome((task.failed(Text(what, what)),))
    seconds = round(time.perf_counter() - started, 4)
    return replace(outcome, records=tuple(replace(one, seconds=seconds) for one in outcome.records))


def _diagnosed(task: Task, method: Method) -> Outcome:
    from spikedoc.pipeline import diagnose

    records: list[Record] = []
    pages: dict[str, str] = {}
    for run in _runs(task, method):
        report = diagnose(run, _catalog(method.rules), with_charts=method.pages is not Pages.NONE)
        record = record_of(run, report, task.fields())
        if wants_page(record, method.pages):
            name = page_name(task.key, len(records) + 1)
            pages[name] = _page(report, method.language)
            record = replace(record, report=name)
        records.append(record)
    if not records:
        return Outcome((Record(**task.fields(), status=State.NO_RUN),))
    numbered = (
        replace(record, part=part, parts=len(records)) for part, record in enumerate(records, 1)
    )
    return Outcome(tuple(numbered), pages)


def wants_page(record: Record, pages: Pages) -> bool:
    """Return whether a run gets a page of its own."""
    is_ill = record.status in (State.CRITICAL, State.WARNING)
    return pages is Pages.ALL or (pages is Pages.FINDINGS and is_ill)


def page_name(key: str, part: int) -> str:
    """Return the file name of a page: signs that are safe in any file system and address."""
    return f"{key[:REPORT_KEY_SIGNS]}-{part}.html"


def _runs(task: Task, method: Method) -> Iterator[Run]:
    from spikedoc.ingest import iter_runs
    from spikedoc.ingest.places import runs_in

    if task.address:
        for run in iter_runs(task.address, mapping=method.mapping, budget=method.budget):
            yield replace(run, name=_below_root(run.name, task.path))
        return
    yield from runs_in(task.files, task.base, method.mapping, method.budget)


def _below_root(name: str, path: str) -> str:
    """Return the name that a run has when it is read with the whole root and not by itself."""
    folder = PurePosixPath(path)
    if folder.name and name.split("/", maxsplit=1)[0] == folder.name:
        return (folder.parent / name).as_posix()
    return name if not folder.name else f"{path}: {name}"


def _page(report: Report, language: Language) -> str:
    from spikedoc.renderers.base import RenderOptions
    from spikedoc.renderers.html import render

    return render(report, RenderOptions(language=language))


@cache
def _catalog(rules: Path | None) -> Catalog:
    """The catalogue, read once in the life of a worker."""
    from spikedoc.rules.loader import load_catalog

    return load_catalog(rules)
