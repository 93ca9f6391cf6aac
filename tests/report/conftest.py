"""A real browser for the page: Debian's Chromium, driven by Playwright."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def chromium(require: Callable[[str], Path]) -> Iterator[Any]:
    sync_playwright = pytest.importorskip("playwright.sync_api").sync_playwright
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(require("browser")), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_report(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Writes a report and opens it; afterwards nothing may have been logged, asked for or alerted."""
    from thriftree import write_report

    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(10_000)
    complaints: list[str] = []

    def ask(request: Any) -> None:
        if not request.url.startswith(("file:", "data:")):
            complaints.append(f"asked for {request.url}")

    def opened(*arguments: Any, **words: Any) -> Any:
        path = tmp_path / "report.html"
        write_report(path, *arguments, **words)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"dialog: {dialog.message}"))
        page.on("request", ask)
        page.goto(path.as_uri())
        return page

    yield opened
    context.close()
    assert complaints == []
