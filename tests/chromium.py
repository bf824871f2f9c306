"""A real browser for tests of pages: the Chromium of the system, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# No sandbox: tests may run as root. The rest keeps Chromium from calling home.
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)

PATIENCE_MS = 15_000  # a page that hangs is told from a slow machine


def executable() -> str | None:
    """Return the browser to use: that of CHROMIUM, else one on the path."""
    named = os.environ.get("CHROMIUM")
    return named or next((found for name in NAMES if (found := shutil.which(name))), None)


def missing() -> str:
    """Return why pages cannot be tested here, empty when they can."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed (pip install -e '.[dev]')"
    if executable() is None:
        return "no Chromium on the path (install it, or name one in CHROMIUM)"
    return ""


@contextmanager
def browser() -> Iterator[Any]:
    """Yield a running browser; skips where there is none."""
    reason = missing()
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=executable(), args=list(FLAGS))
        yield running
        running.close()


class Visit:
    """A page opened from a file, with all that it asked for and complained about."""

    def __init__(self, running: Any, text: str, folder: Path, **options: Any) -> None:
        file = folder / "report.html"
        file.write_text(text, encoding="utf-8")
        self.address = file.as_uri()
        self.context = running.new_context(
            **{"viewport": {"width": 1400, "height": 1000}, "reduced_motion": "reduce", **options}
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(f"dialog {dialog.message}"))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(self.address)
        if options.get("java_script_enabled", True):  # else nothing would ever be drawn
            self.settle()

    def settle(self) -> None:
        """Wait until what was asked for is drawn."""
        self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
        )

    def close(self) -> None:
        self.context.close()

    def focused(self) -> str:
        """Return id, class or text of what has the focus."""
        told: str = self.page.evaluate(
            "() => { const e = document.activeElement;"
            " if (e === document.body) return '';"
            " return e.id || e.dataset.flag || e.className || e.textContent.trim() || e.tagName; }"
        )
        return told
