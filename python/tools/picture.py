"""Draws the picture of the README from results of `alder bench`, in a browser: picture.py RESULTS OUT.svg

Needs plotly, selenium, and Debian's chromium and chromium-driver.
"""
import pathlib
import sys
import tempfile
import urllib.parse

from plotly.offline import get_plotlyjs
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from alder.report import ResultsError, read_results
from alder.report.overview import picture

DRAW = """
const [figure, done] = arguments;
Plotly.newPlot(document.body.appendChild(document.createElement("div")), figure.data, figure.layout)
  .then(plot => Plotly.toImage(plot, {format: "svg", width: figure.layout.width, height: figure.layout.height}))
  .then(done, error => done("failed: " + error));
"""


def as_svg(figure) -> str:
    """The figure as a browser draws it."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    description = figure.to_plotly_json()
    description["layout"].pop("template", None)
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "picture.html")
        page.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body><script>{get_plotlyjs()}</script>',
                        encoding="utf-8")
        browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            browser.get(page.as_uri())
            image = browser.execute_async_script(DRAW, description)
        finally:
            browser.quit()
    kind, _, content = image.partition(",")
    if not kind.startswith("data:image/svg+xml"):
        raise RuntimeError(image)
    return urllib.parse.unquote(content)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2:
        print("usage: picture.py RESULTS OUT.svg", file=sys.stderr)
        return 2
    try:
        pathlib.Path(arguments[1]).write_text(as_svg(picture(read_results(arguments[0]))) + "\n", encoding="utf-8")
    except (OSError, ResultsError) as error:
        print(f"picture: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
