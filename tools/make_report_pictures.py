"""Make the pictures of docs/guide/report.md: a report on the heart example, as a browser shows and prints it.

Needs Playwright and Chromium. `python tools/make_report_pictures.py` writes to docs/pictures.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from sklearn.model_selection import train_test_split

from thriftree import ThriftTreeClassifier, frontier, write_report
from thriftree.datasets import heart_prices, load_heart

WIDTH = 1280
FOLLOWED = 33  # a row that is asked many questions


def heart_report(path: Path) -> None:
    """Write the report that the guide's example writes."""
    X, y = load_heart()
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    model = ThriftTreeClassifier(costs=heart_prices(), random_state=0).fit(X_train, y_train)
    front = frontier(X_train, y_train, heart_prices(), random_state=0)
    write_report(path, model, X_test, y_test, rows="held out", target="heart disease", frontier=front)


def take(browser: Any, report: Path, folder: Path) -> None:
    """Take the three pictures."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
    page.goto(report.as_uri())
    page.screenshot(path=folder / "report.png")
    page.evaluate(f"thriftree.page.follower.choose({FOLLOWED})")
    page.evaluate("thriftree.page.view.showCard(thriftree.page.view.path.at(-1))")
    area = page.locator("#tree").bounding_box()
    clip = {"x": 0, "y": area["y"] + 20, "width": WIDTH, "height": area["height"]}
    page.screenshot(path=folder / "report_tree.png", clip=clip, full_page=True)
    page.close()

    measuring = browser.new_page(viewport={"width": WIDTH, "height": 1200})
    measuring.goto(f"{report.as_uri()}#one-page")
    sheet = {name: round(side) for name, side in measuring.locator(".sheet").bounding_box().items()}
    measuring.close()
    scale = WIDTH / sheet["width"]
    sharp = browser.new_page(viewport={"width": WIDTH, "height": 1200}, device_scale_factor=scale)
    sharp.goto(f"{report.as_uri()}#one-page")
    sharp.screenshot(path=folder / "report_print.png", clip=sheet, full_page=True)
    sharp.close()


def main() -> int:
    """Write the pictures to docs/pictures."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("no Chromium found: install the package chromium")
        return 2
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        report = Path(folder) / "report.html"
        heart_report(report)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, report, Path(__file__).resolve().parent.parent / "docs" / "pictures")
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
