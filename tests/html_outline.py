"""The shape of an HTML report for tests: what stands where, read by an independent parser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = frozenset({"meta", "link", "input", "br", "img", "path", "rect"})


@dataclass
class Element:
    tag: str
    attributes: dict[str, str | None]
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str = "", css: str = "") -> list[Element]:
        """Return the elements of this tag and class below."""
        return [
            e
            for e in self.walk()
            if (not tag or e.tag == tag)
            and (not css or css in (e.attributes.get("class") or "").split())
        ]

    def by_id(self, id_: str) -> Element:
        return next(e for e in self.walk() if e.attributes.get("id") == id_)

    def text(self, language: str = "") -> str:
        """Return the text inside, of one language when given."""
        other = {"en": "zh", "zh": "en"}.get(language)
        if other and other in (self.attributes.get("class") or "").split():
            return ""
        parts = [c if isinstance(c, str) else c.text(language) for c in self.children]
        return "".join(parts)

    def line(self, language: str = "") -> str:
        return re.sub(r"\s+", " ", self.text(language)).strip()


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        self.open[-1].children.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse(page: str) -> Element:
    """Return the tree of a page; fails when an element is not closed in order."""
    builder = _Builder()
    builder.feed(page)
    builder.close()
    assert builder.open == [builder.root], [e.tag for e in builder.open]
    return builder.root


def data(tree: Element, id_: str = "data-1") -> Any:
    """Return the JSON of a data element."""
    return json.loads(tree.by_id(id_).text())


def outline(page: str, language: str) -> str:
    """Return what a page holds, one line each: headings, findings, causes, curves, events."""
    tree = parse(page)
    held = data(tree)
    lines = [f"status {tree.all('span', 'badge')[0].line(language)}"]
    lines += [f"{e.tag} {e.line(language)}" for e in tree.walk() if e.tag == "h2"]
    lines += [
        f"finding {f['id']} {f['severity']} {f['signal']} {f['start']} {f['peak']} {f['end']}"
        for f in held["findings"]
    ]
    lines += [f"cause {e.attributes['id']}" for e in tree.all("details", "cause")]
    lines += [f"{e.tag} of {len(e.all('li'))} steps" for e in tree.walk() if "steps" in _classes(e)]
    lines += [
        f"curve {c['signal']} {c['points']} points, {'log' if c['log'] else 'linear'}, "
        f"{sum(n for _, _, n, _ in c['nonfinite'])} not finite"
        for c in held["curves"]
    ]
    lines += [f"events {lane['kind']} {len(lane['events'])}" for lane in held["lanes"]]
    lines += [f"fold {fold['finding']} {fold['period']}" for fold in held["folds"]]
    return "\n".join(lines) + "\n"


def _classes(element: Element) -> list[str]:
    return (element.attributes.get("class") or "").split()
