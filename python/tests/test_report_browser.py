"""The report in a real browser: it draws everything, light and dark, on a desk, a phone and paper, without network."""
import base64
import contextlib
import pathlib

import pytest
from test_report import paper_lines, quick_lines, write_lines

from alder.report import read_results, write_report

CHROMIUM, DRIVER = pathlib.Path("/usr/bin/chromium"), pathlib.Path("/usr/bin/chromedriver")
pytestmark = pytest.mark.skipif(not CHROMIUM.exists() or not DRIVER.exists(),
                                reason="no chromium and chromium-driver here; scripts/setup installs them")

DESK, PHONE = (1280, 900), (390, 844)


@contextlib.contextmanager
def open_browser():
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(str(DRIVER)))
    browser.set_script_timeout(30)
    try:
        yield browser
    finally:
        browser.quit()


@pytest.fixture(scope="module")
def browser():
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The page of a bench of the paper's data, and that of a small one of made-up streams."""
    folder = tmp_path_factory.mktemp("report")
    paths = {}
    for name, lines in (("paper", paper_lines(permutations=2)), ("quick", quick_lines())):
        paths[name] = folder / f"{name}.html"
        write_report(read_results(write_lines(folder / f"{name}.jsonl", lines)), paths[name])
    return paths


def show(browser, path, size=DESK, scheme="light"):
    """Opens the page and waits until all its figures are drawn."""
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == PHONE})
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": size == PHONE})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    browser.get("about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri())
    wait_until_drawn(browser)


def wait_until_drawn(browser):
    from selenium.webdriver.support.ui import WebDriverWait
    WebDriverWait(browser, 30, poll_frequency=0.05).until(
        lambda b: b.execute_script("return document.querySelector('main').getAttribute('aria-busy') === 'false'"))


def figures(browser):
    """Of each figure: how many traces are drawn, whether it says that it is missing, its width and the room for it."""
    return browser.execute_script("""
        const places = [...document.querySelectorAll('figure[data-figure]')];
        const width = plot => plot.hidden ? 0 : plot.querySelector('.main-svg').getBoundingClientRect().width;
        return Object.fromEntries(places.map(place => [place.dataset.figure, {
            traces: place.querySelectorAll('.plot svg .trace').length,
            points: place.querySelectorAll('.plot svg .trace path').length,
            missing: !place.querySelector('.missing').hidden,
            label: place.querySelector('.plot').getAttribute('aria-label'),
            width: width(place.querySelector('.plot')),
            room: place.getBoundingClientRect().width}]))""")


def scroll_width(browser):
    """To be compared with the width that was asked for: a phone widens its window to hold what is too wide."""
    return browser.execute_script("return document.documentElement.scrollWidth")


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


def requests(browser):
    import json
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [
        message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"
    ]


def screenshot(browser, path):
    """The whole page, however long."""
    height = browser.execute_script("return document.documentElement.scrollHeight")
    width = browser.execute_script("return innerWidth")
    image = browser.execute_cdp_cmd("Page.captureScreenshot", {
        "captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
    path.write_bytes(base64.b64decode(image["data"]))
    return path


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_is_drawn_and_fits_and_nothing_is_fetched(browser, pages, tmp_path, size, scheme):
    show(browser, pages["paper"], size, scheme)
    assert complaints(browser) == []
    fetched = [url for url in requests(browser) if not url.startswith("data:")]  # some versions of plotly try a picture
    assert fetched == [pages["paper"].as_uri()]
    for name, figure in figures(browser).items():
        assert not figure["missing"] and figure["traces"] > 0 and figure["points"] > 0, name
        assert figure["label"] and figure["width"] <= figure["room"] + 1, name
    assert scroll_width(browser) <= size[0]
    background = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")
    assert screenshot(browser, tmp_path / "page.png").stat().st_size > 50_000


def test_results_that_are_not_the_papers_have_no_comparison(browser, pages, tmp_path):
    show(browser, pages["quick"], PHONE)
    assert complaints(browser) == []
    missing = {name for name, figure in figures(browser).items() if figure["missing"]}
    assert missing == {"widths", "spectrum"}
    assert "published" not in browser.find_element("tag name", "body").text
    assert scroll_width(browser) <= PHONE[0]
    screenshot(browser, tmp_path / "page.png")


def test_the_chosen_data_set_is_shown_everywhere_and_kept_in_the_address(browser, pages):
    show(browser, pages["paper"])
    browser.find_element("css selector", ".sets button[value=ijcnn1]").click()
    wait_until_drawn(browser)
    shown = figures(browser)
    assert shown["curves"]["label"].startswith("Mistakes over the stream, ijcnn1: ")
    assert shown["spectrum"]["missing"]
    names = browser.execute_script("return [...document.querySelectorAll('.set-name')].map(span => span.textContent)")
    assert set(names) == {"ijcnn1"}
    tables = browser.execute_script(
        "return [...document.querySelectorAll('[data-only]')].filter(part => !part.hidden).map(part => "
        "part.dataset.only)"
    )
    assert tables == ["ijcnn1"]
    assert browser.current_url.endswith("#ijcnn1")
    browser.refresh()
    wait_until_drawn(browser)
    assert "ijcnn1" in figures(browser)["curves"]["label"]
    assert complaints(browser) == []


def test_a_legend_hides_and_shows_a_learner(browser, pages):
    show(browser, pages["quick"])
    before = figures(browser)["curves"]["traces"]
    button = browser.find_element("css selector", "figure[data-figure=curves] .legend button")
    assert button.text == "POMDR"
    browser.execute_script("arguments[0].click()", button)
    assert button.get_attribute("aria-pressed") == "false" and figures(browser)["curves"]["traces"] == before - 1
    browser.execute_script("arguments[0].click()", button)
    assert figures(browser)["curves"]["traces"] == before


def test_figures_follow_a_change_of_colours(browser, pages):
    def ink():
        return browser.execute_script("return getComputedStyle(document.querySelector('.plot .xtick text')).fill")

    show(browser, pages["quick"], scheme="light")
    light = ink()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    from selenium.webdriver.support.ui import WebDriverWait
    WebDriverWait(browser, 10, poll_frequency=0.05).until(lambda _: ink() != light)


def test_paper_gets_light_colours_and_figures_that_fit(browser, pages, tmp_path):
    show(browser, pages["paper"], scheme="dark")
    browser.execute_script("""
        addEventListener('beforeprint', () => {
            const drawings = [...document.querySelectorAll('.plot .main-svg')];
            window.printed = drawings.map(drawing => drawing.getBoundingClientRect().width);
            window.ink = getComputedStyle(document.querySelector('.plot .xtick text')).fill;
        });""")
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    (tmp_path / "page.pdf").write_bytes(pdf)
    assert pdf.startswith(b"%PDF") and len(pdf) > 50_000
    widths, ink = browser.execute_script("return [window.printed, window.ink]")
    assert widths and max(widths) <= 690 and ink == "rgb(31, 35, 40)"
    wait_until_drawn(browser)
    assert all(figure["width"] > 690 for figure in figures(browser).values())
    assert complaints(browser) == []


def test_the_picture_is_one_solid_drawing(pages, tmp_path):
    import runpy
    import xml.etree.ElementTree as xml

    tool = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "tools" / "picture.py"))
    target = tmp_path / "picture.svg"
    assert tool["main"]([str(pages["paper"].with_suffix(".jsonl")), str(target)]) == 0
    root = xml.parse(target).getroot()
    assert root.get("width") == "1000" and 380 <= int(root.get("height")) <= 480
    assert "rgb(255, 255, 255)" in next(iter(root)).get("style")
    text = "".join(root.itertext())
    assert all(name in text for name in ("POMDR", "magic04", "SUSY", "published"))
