"""A report as Python code and notebooks use it: shown in a cell, saved, as a table."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from spikedoc.errors import (
    NOT_A_REPORT,
    NOT_UTF8,
    ReportError,
    UsageError,
    cannot_read,
    cannot_write,
    keep_off_devices,
)
from spikedoc.language import detect_language
from spikedoc.model.report import Report
from spikedoc.text import Language, Text, listed

if TYPE_CHECKING:
    import pandas as pd

    from spikedoc.renderers.base import RenderOptions

FINDING_COLUMNS: Final = (
    *("id", "kind", "form", "severity", "confidence", "signal"),
    *("start_step", "peak_step", "end_step", "summary"),
)
CAUSE_COLUMNS: Final = ("rank", "cause", "rule", "domain", "score", "findings", "title")
SUFFIXES: Final = (".html", ".md", ".json", ".txt")


@dataclass(frozen=True, slots=True, repr=False)
class Diagnosis(Report):
    """A report with ways to look at it; everything of `Report` is there as it is.

    A notebook shows it by itself. Texts are in `language`: that of the environment as on the
    command line, until `in_language` says otherwise.
    """

    language: Language | None = None

    @classmethod
    def of(cls, report: Report) -> Diagnosis:
        """Return the same report with ways to look at it."""
        if isinstance(report, cls):
            return report
        return cls(**{field.name: getattr(report, field.name) for field in fields(report)})

    def in_language(self, language: str) -> Diagnosis:
        """Return the same report shown in "en" or "zh"."""
        return replace(self, language=_language(language))

    def __repr__(self) -> str:
        """Return one line: the verdict, not the whole report."""
        from spikedoc.cleaning import name, one_line

        said = [f"{self.status.value}: {one_line(self.headline.get(self._spoken()))}"]
        said += [f"likeliest cause {name(c.rule.code)} ({c.score:.2f})" for c in self.causes[:1]]
        return f"<Diagnosis of {name(self.run.name)}: {'; '.join(said)}>"

    def __str__(self) -> str:
        """Return the report as the terminal shows it, without colour."""
        return self.to_text()

    def _repr_html_(self) -> str:
        from spikedoc.renderers._notebook import cell

        return cell(self, self._spoken())

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def to_text(self, lang: str | None = None, *, width: int = 100) -> str:
        """Return the report as the terminal shows it, `width` columns wide, without colour."""
        from spikedoc.renderers import text

        return text.RENDERER(self, self._options(lang, width=width))

    def to_markdown(self, lang: str | None = None) -> str:
        """Return the report as Markdown for an issue, of at most 60,000 characters."""
        from spikedoc.renderers import markdown

        return markdown.RENDERER(self, self._options(lang))

    def to_html(self, lang: str | None = None) -> str:
        """Return the interactive page, which holds both languages and opens in `lang`."""
        from spikedoc.renderers import html

        return html.RENDERER(self, self._options(lang))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain dicts and lists, with the keys of the JSON report."""
        from spikedoc.model.codec import encode

        return encode(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the report as strict JSON; `indent` None puts it on one line."""
        from spikedoc.model.codec import dumps

        return dumps(self, indent=indent)

    def save(self, path: str | os.PathLike[str], lang: str | None = None) -> Path:
        """Write the report in the format of the suffix (.html, .md, .json, .txt); return the path.

        Raises UsageError for another suffix, and when the file cannot be written.
        """
        target = Path(path)
        makers = (self.to_html, self.to_markdown, lambda _: self.to_json() + "\n", self.to_text)
        make = dict(zip(SUFFIXES, makers, strict=True)).get(target.suffix.lower())
        if make is None:
            told = Text("the suffix must be one of {known}", "扩展名应为下列之一：{known}")
            told = told.fill({"known": listed(SUFFIXES)})
            raise UsageError(told, at=Text(f"cannot write {target}", f"无法写入 {target}"))
        text = make(lang)
        try:
            target.write_text(text, encoding="utf-8", errors="replace")
        except OSError as error:
            raise cannot_write(target, error) from None
        return target

    def to_frame(self, lang: str | None = None) -> pd.DataFrame:
        """Return a pandas DataFrame with a row per finding, most important first.

        Columns: id, kind, form, severity, confidence (0 to 1), signal, start_step, peak_step,
        end_step, summary. The numbers behind the summary are in `findings[i].anomaly.measures`.
        """
        spoken = self._spoken(lang)
        rows = [
            (
                *(one.id, one.anomaly.kind.value),
                one.anomaly.form.value if one.anomaly.form else None,
                *(one.anomaly.severity.value, one.anomaly.confidence, one.anomaly.signal),
                *(one.anomaly.start_step, one.anomaly.peak_step, one.anomaly.end_step),
                one.summary.get(spoken),
            )
            for one in self.findings
        ]
        return _frame(rows, FINDING_COLUMNS)

    def causes_to_frame(self, lang: str | None = None) -> pd.DataFrame:
        """Return a pandas DataFrame with a row per cause, likeliest first.

        Columns: rank, cause, rule, domain, score (0 to 1), findings (their ids), title.
        """
        spoken = self._spoken(lang)
        rows = [
            (
                *(one.rank, one.rule.cause, one.rule.code, one.rule.domain.value, one.score),
                *(" ".join(one.findings), one.rule.title.get(spoken)),
            )
            for one in self.causes
        ]
        return _frame(rows, CAUSE_COLUMNS)

    def _spoken(self, lang: str | None = None) -> Language:
        if lang is not None:
            return _language(lang)
        return self.language or detect_language(os.environ)

    def _options(self, lang: str | None, *, width: int = 100) -> RenderOptions:
        from spikedoc.renderers.base import RenderOptions

        return RenderOptions(self._spoken(lang), width=width)


def load(path: str | os.PathLike[str]) -> Diagnosis:
    """Return a report saved as JSON; UsageError when unreadable, ReportError when it is none."""
    from spikedoc.model.codec import loads

    keep_off_devices(os.fspath(path))
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise cannot_read(os.fspath(path), error) from None
    except UnicodeDecodeError:
        raise ReportError(NOT_UTF8, at=os.fspath(path)) from None
    try:
        return Diagnosis.of(loads(text))
    except ReportError as error:
        raise ReportError(NOT_A_REPORT.fill({"reason": error.text}), at=os.fspath(path)) from None


def _language(lang: str) -> Language:
    try:
        return Language(lang)
    except ValueError:
        en, zh = (word.join(language.value for language in Language) for word in (" or ", " 或 "))
        raise UsageError(Text(f"no language {lang!r}: {en}", f"没有语言 {lang!r}：{zh}")) from None


def _frame(rows: Iterable[tuple[Any, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(list(rows), columns=list(columns))
