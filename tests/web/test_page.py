# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `make web` in headless Chromium, used as a person would: both tools, light and dark, wide and
as a phone. What commands print there is compared with what the command prints here.

TESSERA_PAGE names the page, TESSERA_COMMAND the command; screenshots go to TESSERA_SCREENSHOTS where that is set.
"""
import json
import os
import re
import subprocess

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGE = os.environ.get("TESSERA_PAGE", os.path.join(ROOT, "build-web", "tessera.html"))
COMMAND = os.environ.get("TESSERA_COMMAND", os.path.join(ROOT, "build", "bin", "tessera"))
SECONDS = 60


@pytest.fixture(scope="module")
def browser():
    options = Options()
    # Root may not use Chromium's sandbox.
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--window-size=1400,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    yield driver
    driver.quit()


@pytest.fixture(autouse=True)
def no_errors(browser):
    yield
    # A log entry of an address without an icon is none of the page's.
    assert [e for e in browser.get_log("browser") if e["level"] == "SEVERE"] == []


def wait(browser, condition):
    return WebDriverWait(browser, SECONDS, poll_frequency=0.05).until(lambda _: condition())


def text(browser, name):
    return browser.execute_script("return document.getElementById(arguments[0]).textContent", name)


def type_into(browser, name, value):
    """Replaces what a field has."""
    browser.execute_script(
        "const f = document.getElementById(arguments[0]); f.value = arguments[1];"
        "f.dispatchEvent(new Event('input', {bubbles: true})); f.dispatchEvent(new Event('change', {bubbles: true}))",
        name, value)


def press(browser, name):
    browser.execute_script("document.getElementById(arguments[0]).click()", name)


def open_page(browser, tool, query=""):
    browser.get("about:blank")
    browser.get("file://%s#%s%s" % (PAGE, tool, query))
    wait(browser, lambda: text(browser, "version").startswith("tessera "))


def here(*args, **more):
    """What the command prints on this machine."""
    run = subprocess.run([COMMAND, "--color", "never", *args], cwd=ROOT, text=True, capture_output=True,
                         env=dict(os.environ, TESSERA_CACHE="off"), **more)
    return run.stdout + run.stderr


def screenshot(browser, name):
    folder = os.environ.get("TESSERA_SCREENSHOTS")
    if folder:
        os.makedirs(folder, exist_ok=True)
        browser.save_screenshot(os.path.join(folder, name + ".png"))


def cells(browser):
    return len(browser.find_elements(By.CSS_SELECTOR, "#picture rect + text"))


# ---- layouts ------------------------------------------------------------------------------------


def draw(browser, expression, other="", memory="", colour="worker"):
    """Shows a layout; returns when everything about it is there."""
    for name, value in (("other", other), ("memory", memory), ("colour", colour), ("expression", expression)):
        type_into(browser, name, value)
    typed = "tessera layout '%s'" % expression
    wait(browser, lambda: text(browser, "layout-command").startswith(typed) and
         browser.execute_script("return layouts.expression.value") == expression)


def test_a_layout_is_drawn_and_said_in_all_notations(browser):
    open_page(browser, "layouts")
    draw(browser, "local(3,4).spatial(2,3)")
    wait(browser, lambda: cells(browser) == 72)
    assert text(browser, "about") == "6 × 12 elements, 6 workers (threads), 12 slots (registers) each"
    notations = text(browser, "notations")
    for name in ("tilus", "ck", "cute"):
        assert here("layout", "local(3,4).spatial(2,3)", "--as", name).strip() in notations
    assert text(browser, "cost") == here("layout", "local(3,4).spatial(2,3)", "--cost", "--type", "f16")


def test_a_click_says_who_holds_an_element(browser):
    open_page(browser, "layouts", "?expression=local(3,4).spatial(2,3)")
    wait(browser, lambda: cells(browser) == 72)
    browser.execute_script("layouts.choose(layouts.cells[5 * 12 + 11].rect)")
    assert text(browser, "chosen").startswith("Element (5, 11) is held by worker 5 in slot 11")
    assert len(browser.find_elements(By.CSS_SELECTOR, "rect.chosen")) == 12
    draw(browser, "Sw<3,3,3> o (8,64):(64,1)")
    wait(browser, lambda: cells(browser) == 512)
    browser.execute_script("layouts.choose(layouts.cells[64].rect)")
    assert text(browser, "chosen") == "Element (1, 0) lies at offset 72: bank 4 of 32 for f16."


def test_conflicts_costs_and_conversions(browser):
    open_page(browser, "layouts", "?expression=spatial(32,1).local(1,8)&memory=row_major(32,64)&colour=conflicts")
    wait(browser, lambda: "8-way conflict" in text(browser, "cost"))
    screenshot(browser, "layout-conflicts")
    draw(browser, "spatial(8,4).local(1,2)", other="spatial(4,8).local(2,1)")
    wait(browser, lambda: text(browser, "change") ==
         here("layout", "spatial(8,4).local(1,2)", "spatial(4,8).local(2,1)"))


def test_a_wrong_layout_is_explained(browser):
    open_page(browser, "layouts")
    type_into(browser, "expression", "spatial(2, ")
    wait(browser, lambda: "error" in text(browser, "expression-problem"))
    assert cells(browser) == 0
    draw(browser, "spatial(2, 2)", other="nonsense(4)")
    wait(browser, lambda: "nonsense" in text(browser, "other-problem"))


def test_every_example_of_a_layout_has_a_picture(browser):
    open_page(browser, "layouts")
    for i in range(browser.execute_script("return EXAMPLES.length")):
        browser.execute_async_script("layouts.set(EXAMPLES[arguments[0]]).then(arguments[1])", i)
        assert cells(browser) > 0
        for field in ("expression", "other", "memory"):
            assert text(browser, field + "-problem") == ""


def test_an_address_keeps_what_is_shown(browser):
    open_page(browser, "layouts")
    draw(browser, "mma.m16n8k16.C", memory="row_major(16, 8)")
    press(browser, "share")
    address = browser.current_url
    open_page(browser, address.partition("#")[2])
    wait(browser, lambda: cells(browser) == 128)
    assert browser.execute_script("return layouts.memory.value") == "row_major(16, 8)"


# ---- playground ---------------------------------------------------------------------------------


def examples():
    with open(os.path.join(ROOT, "web", "examples.json"), encoding="utf-8") as f:
        return json.load(f)


def choose(browser, index):
    type_into(browser, "example", str(index))
    wait(browser, lambda: text(browser, "verdict") == "right")


def index_of(part):
    return next(i for i, e in enumerate(examples()) if part in e["file"])


def finished(browser, name):
    """Presses a button, waits for the run to end; what it printed without the command and the time."""
    press(browser, name)
    wait(browser, lambda: re.search(r"\d s\n$", text(browser, "output")))
    first, _, rest = text(browser, "output").partition("\n")
    assert first.startswith("$ tessera ")
    return re.sub(r"(exit status \d+, )?[\d.]+ s\n$", "", rest)


def arguments(example, *more):
    kind = "ptx" if example["file"].endswith(".ptx") else "run"
    return [kind, example["file"], *(["--target", "interp"] if kind == "run" else []), *more,
            *example["arguments"].split()]


def plain(output, example):
    """Without the folder of the file, which the page doesn't have."""
    return output.replace(os.path.dirname(example["file"]) + "/", "").replace("/" + os.path.basename(example["file"]),
                                                                             os.path.basename(example["file"]))


@pytest.mark.parametrize("index", range(len(examples())))
def test_examples_print_what_the_command_prints(browser, index):
    open_page(browser, "playground")
    choose(browser, index)
    example = examples()[index]
    assert plain(finished(browser, "run"), example) == plain(here(*arguments(example)), example)
    assert plain(finished(browser, "sanitize"), example) == plain(here(*arguments(example, "--check")), example)


def test_errors_are_underlined_and_said_under_the_cursor(browser):
    open_page(browser, "playground")
    choose(browser, 0)
    area = browser.find_element(By.CSS_SELECTOR, "#source textarea")
    area.send_keys(Keys.CONTROL, Keys.HOME)
    area.send_keys(Keys.CONTROL + Keys.END)
    browser.execute_script("playground.editor.text = playground.editor.text.replace('fma', 'fmaa'); playground.changed()")
    wait(browser, lambda: text(browser, "verdict") == "1 error")
    assert browser.find_element(By.CSS_SELECTOR, "#source .mark.error").text == "fmaa"
    assert "unknown operation 'fmaa'" in text(browser, "problems")
    browser.find_element(By.CSS_SELECTOR, "#problems button").click()
    area.send_keys(Keys.ARROW_RIGHT)
    wait(browser, lambda: "unknown operation 'fmaa'" in text(browser, "explained"))
    screenshot(browser, "playground-error")
    browser.execute_script("playground.editor.text = playground.editor.text.replace('fmaa', 'fma'); playground.changed()")
    wait(browser, lambda: text(browser, "verdict") == "right")


def test_an_operation_under_the_cursor_is_explained(browser):
    open_page(browser, "playground")
    choose(browser, 0)
    browser.execute_script("const e = playground.editor, at = e.text.indexOf('fma ') + 1;"
                           "e.area.focus(); e.area.setSelectionRange(at, at)")
    browser.find_element(By.CSS_SELECTOR, "#source textarea").send_keys(Keys.ARROW_RIGHT)
    wait(browser, lambda: text(browser, "explained") == here("explain", "fma"))


def test_ptx_is_counted(browser):
    open_page(browser, "playground")
    choose(browser, index_of("gemm_cp_async"))
    example = examples()[index_of("gemm_cp_async")]
    assert finished(browser, "count") == here(*arguments(example, "--counters", "--card", "h100"))
    screenshot(browser, "playground-counters")


def test_the_debugger_steps_and_draws_tiles(browser):
    open_page(browser, "playground")
    choose(browser, 0)
    press(browser, "debug")
    line = lambda: browser.execute_script("return playground.editor.line")
    wait(browser, lambda: line() == 4)
    for expected in range(5, 12):
        press(browser, "debug-step")
        wait(browser, lambda: line() == expected)
    value = next(b for b in browser.find_elements(By.CSS_SELECTOR, "#values button") if b.text.startswith("%a:"))
    assert "4096xf32" in value.text
    value.click()
    wait(browser, lambda: text(browser, "tile-text").startswith("%a: tile<4096xf32>"))
    assert not browser.execute_script("return byId('tile').hidden")
    screenshot(browser, "playground-debugger")
    press(browser, "debug-continue")
    wait(browser, lambda: "ended" in text(browser, "output") or line() == 0)


def test_a_long_run_can_be_stopped(browser):
    open_page(browser, "playground")
    choose(browser, index_of("hello_grid"))
    type_into(browser, "arguments", "--grid 1000,1000,10")
    press(browser, "run")
    wait(browser, lambda: browser.execute_script("return command.waiting.size") == 1)
    press(browser, "stop")
    wait(browser, lambda: "stopped" in text(browser, "output"))
    type_into(browser, "arguments", "--grid 1")
    assert "Hello" in finished(browser, "run")


# ---- looks --------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("tool", ["layouts", "playground"])
def test_fits_its_window(browser, tool, width, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            dict(width=width, height=1000, deviceScaleFactor=1, mobile=width < 600))
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            dict(features=[dict(name="prefers-color-scheme", value=scheme)]))
    open_page(browser, tool)
    wait(browser, lambda: cells(browser) if tool == "layouts" else text(browser, "verdict") == "right")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    # Text and page differ in brightness as people need it (WCAG: 7 to 1).
    assert browser.execute_script("""
      const light = c => { const [r, g, b] = c.match(/\\d+/g).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                           return .2126 * r + .7152 * g + .0722 * b + .05; };
      const s = getComputedStyle(document.body), [a, b] = [light(s.color), light(s.backgroundColor)];
      return Math.max(a, b) / Math.min(a, b)""") >= 7
    screenshot(browser, "%s-%s-%d" % (tool, scheme, width))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", dict(features=[]))
