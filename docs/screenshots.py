"""Draw the pictures of the pages anew: python docs/screenshots.py (needs a Chromium).

They are looked at, not compared: fonts differ from machine to machine.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, sync_playwright

from spikedoc.pipeline import analyze_all
from spikedoc.renderers.base import RenderOptions
from spikedoc.renderers.html import RENDERER

ROOT: Final = Path(__file__).resolve().parents[1]
PICTURES: Final = ROOT / "docs/pictures"
SAMPLE: Final = ROOT / "sample_logs/broken_image_periodic/run"
WIDTH, HEIGHT = 1280, 1000
BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
# As root there is no sandbox; the rest keeps Chromium from calling home.
FLAGS: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")


def chosen(page: Page) -> None:
    """Choose the first finding, and scroll back to where the page begins."""
    page.click(".flag")
    page.evaluate("() => { document.activeElement.blur(); scrollTo(0, 0); }")


def main() -> None:
    """Write docs/pictures/html-report.png and its dark, Chinese sister."""
    (report,) = analyze_all(SAMPLE, with_charts=True)
    browser = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "report.html"
        file.write_text(RENDERER(report, RenderOptions()), encoding="utf-8")
        running = driver.chromium.launch(executable_path=browser, args=list(FLAGS))
        for name, theme, language in (
            ("html-report", "light", "en"),
            ("html-report.zh", "dark", "zh"),
        ):
            page = running.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.goto(file.as_uri())
            page.click(f"[data-choose-theme={theme}]")
            page.click(f"[data-choose-language={language}]")
            chosen(page)
            page.wait_for_timeout(200)
            page.screenshot(path=PICTURES / f"{name}.png")
            page.close()
        running.close()


if __name__ == "__main__":
    main()
