"""The index of a scan: one page without scripts that links the pages of the runs."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from markupsafe import Markup

from spikedoc.cleaning import name
from spikedoc.errors import UsageError, cannot_read, cannot_write
from spikedoc.fleet.digest import Titles
from spikedoc.fleet.record import RUNS, Record
from spikedoc.fleet.scan import PAGES_FOLDER, write_page
from spikedoc.fleet.summary import ORDER, Summary, label
from spikedoc.fleet.wording import (
    CAUSE,
    FINDING,
    ILL,
    MORE,
    RUN,
    STATUS,
    STEP,
    described,
    headline,
    tables,
    title_of,
)
from spikedoc.text import Language, Text
from spikedoc.version import VERSION

FOLDER: Final = "index_page"
FILE: Final = "index.html"
# A browser shows a table of so many rows at once.
MOST_RUNS: Final = 5_000
MOST_ROWS: Final = 200
TITLE: Final = Text("Scan of training runs", "训练运行扫描")
FOREIGN: Final = Text(
    "{index} exists and is not of a scan; name another folder",
    "{index} 已存在，但不是扫描生成的；请换一个目录",
)
ALL_RUNS: Final = Text("Runs", "全部训练")
LANG: Final = {Language.EN: "en", Language.ZH: "zh-Hans"}
# Names of pages as the scan gives them; a store from elsewhere may say anything.
_SAFE_NAME: Final = re.compile(r"[0-9a-f]{8,64}-\d{1,9}\.html")
_OWN: Final = '<meta name="generator" content="spikedoc scan">'
_HEAD_SIGNS: Final = 4_000


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    link: str
    state: str
    status: str
    finding: str
    step: str
    rule: str
    cause: str


def check_folder(folder: Path) -> None:
    """Raise UsageError when the folder holds an index that is not of a scan."""
    index = folder / FILE
    try:
        if index.exists():
            with index.open(encoding="utf-8", errors="replace") as file:
                is_own = _OWN in file.read(_HEAD_SIGNS)
            if not is_own:
                raise UsageError(FOREIGN.fill({"index": str(index)}))
    except OSError as error:
        raise cannot_read(index, error) from None


def write_index(
    folder: Path,
    records: Sequence[Record],
    summary: Summary,
    titles: Titles,
    language: Language,
) -> None:
    """Write the index of all runs, the worst first; raises UsageError when it cannot be written."""
    try:
        write_page(folder / FILE, render(folder, records, summary, titles, language))
    except OSError as error:
        raise cannot_write(folder / FILE, error) from None


def render(
    folder: Path,
    records: Sequence[Record],
    summary: Summary,
    titles: Titles,
    language: Language,
) -> str:
    """Return the page; runs whose page is in `folder` are linked."""
    from jinja2 import Environment, StrictUndefined

    runs = sorted((one for one in records if one.status in RUNS), key=_order)
    style = _file("index.css")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    page: str = environment.from_string(_file("index.html.j2")).render(
        lang=LANG[language],
        language=language,
        policy=_policy(style),
        style=Markup(style),
        words={"title": TITLE.get(language), "runs": ALL_RUNS.get(language)},
        headline=headline(summary, language),
        tables=[t for t in tables(summary, titles, language, MOST_ROWS) if t.title is not ILL],
        heads=[one.get(language) for one in (RUN, STATUS, FINDING, STEP, CAUSE)],
        runs=[_row(one, folder, titles, language) for one in runs[:MOST_RUNS]],
        runs_left_out=max(0, len(runs) - MOST_RUNS),
        more=lambda count: MORE.fill({"count": count}).get(language),
        version=VERSION,
    )
    return page.rstrip("\n") + "\n"


def _order(record: Record) -> tuple[int, str, str, int]:
    return ORDER[record.status], record.root, record.path, record.part


def _row(record: Record, folder: Path, titles: Titles, language: Language) -> _Row:
    page = record.report or ""
    has_page = _SAFE_NAME.fullmatch(page) and (folder / PAGES_FOLDER / page).is_file()
    link = f"{PAGES_FOLDER}/{page}" if has_page else ""
    blamed = record.causes[0] if record.causes else None
    cause = title_of(blamed.rule, blamed.cause, titles, language) if blamed else ""
    shown = described(record, language)
    return _Row(name(label(record)), link, record.status.value, *shown, cause)


def _file(path: str) -> str:
    return resources.files("spikedoc.fleet").joinpath(FOLDER, path).read_text(encoding="utf-8")


def _policy(style: str) -> str:
    """Return the content security policy: this style, no script, nothing from anywhere."""
    code = base64.b64encode(hashlib.sha256(style.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{code}'; base-uri 'none'; form-action 'none'"
