"""Tests of the button that runs a page, the editors, and the output below them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.book.conftest import SITE
from tests.book.test_site import contrast_faults, layout_faults, nonempty_faults

pytestmark = [pytest.mark.rest, pytest.mark.browser]

LESSON = "isotropy/what-isotropy-is"
CELLS = (
    json.loads((SITE / f"{LESSON}.cells.json").read_text())
    if (SITE / f"{LESSON}.cells.json").exists()
    else []
)


def open_page(context: Any, address: str, name: str = LESSON) -> Any:
    """Open a page of the site without access to other sites, and record its errors and requests."""
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.errors, page.requests = [], []

    def refuse(route: Any) -> None:
        page.requests.append(route.request.url)
        if route.request.url.startswith((address, "blob:", "data:")):
            route.continue_()
        else:
            page.errors.append(f"request of {route.request.url}")
            route.abort()

    page.route("**/*", refuse)
    page.on("console", lambda m: page.errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(address + name + ".html")
    return page


@pytest.fixture(scope="module")
def page(live: str, browser: Any) -> Iterator[Any]:
    """Open a lesson, and wait until Python is ready."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = open_page(context, live)
    page.get_by_role("button", name="Run this page").click()
    wait_for_status(page, "Python is ready")
    yield page
    assert page.errors == []
    context.close()


def wait_for_status(page: Any, words: str) -> str:
    """Wait until the status contains some words, and return it."""
    page.wait_for_function(
        "words => document.querySelector('.il-status').textContent.includes(words)", arg=words
    )
    text: str = page.inner_text(".il-status")
    return text


def find_cell(page: Any, number: int) -> Any:
    """Return a cell by the number that readers see."""
    return page.locator("main .cell").filter(
        has=page.locator(".il-cell-number", has_text=re.compile(f"^Cell {number}$"))
    )


def write_code(page: Any, number: int, text: str) -> None:
    """Replace the code of a cell by typing."""
    find_cell(page, number).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def run_cell(page: Any, number: int, code: str | None = None) -> str:
    """Run a cell, optionally with other code, and return the text of its output."""
    if code is not None:
        write_code(page, number, code)
    find_cell(page, number).get_by_role("button", name=re.compile("^Run ")).click()
    page.wait_for_function(
        "n => /^(Ran|Error|Not run:)/.test([...document.querySelectorAll('.il-tools')].find((tools) => tools.firstChild.textContent === `Cell ${n}`)"
        ".querySelector('.il-note').textContent)",
        arg=number,
    )
    shown: str = find_cell(page, number).locator(".cell_output").text_content()
    return shown


def test_page_loads_nothing_until_the_click(live: str, context: Any) -> None:
    page = open_page(context, live)
    page.wait_for_timeout(500)
    assert page.get_by_role("button", name="Run this page").is_visible()
    assert not [url for url in page.requests if re.search(r"/live/|codemirror|cells\.json", url)]
    assert page.locator(".cm-editor").count() == 0
    assert page.errors == []


def test_needed_cells_run_first_and_edits_change_the_output(page: Any) -> None:
    assert run_cell(page, 3, "print(len(ball), needle.shape)") == "2000 (2000, 3)\n"
    status = wait_for_status(page, "Cell 3 has run")
    assert "Cell 3 has run, after 1 cell above it" in status, "it needs no figure"
    assert run_cell(page, 3, "len(ball) + 1") == "2001"
    status = wait_for_status(page, "Cell 3 has run")
    assert status.startswith("Cell 3 has run in"), "a cell that has run is not repeated"
    write_code(
        page, 1, "import numpy as np\nball = needle = np.ones((7, 3))\naverage_cosine_score = lambda X: 0.5"
    )
    assert find_cell(page, 1).locator(".il-note").text_content() == "Changed since it ran."
    assert run_cell(page, 3) == "8"
    for number in (1, 3):
        find_cell(page, number).get_by_role("button", name="Restore").click()
    assert "dimensions used" in find_cell(page, 3).inner_text(), "the output of the page is back"
    run_cell(page, 3)


def test_output_is_hidden_until_a_prediction_is_chosen(page: Any) -> None:
    output = find_cell(page, 1).locator(".cell_output")
    run_cell(page, 1, "print('live')")
    assert not output.is_visible()
    assert "waits for your prediction" in find_cell(page, 1).locator(".il-note").text_content()
    page.locator(".il-predict button").first.click()
    assert output.is_visible()
    assert output.text_content() == "live\n"
    find_cell(page, 1).get_by_role("button", name="Restore").click()


def test_new_figure_replaces_the_stored_one_and_is_interactive(page: Any) -> None:
    run_cell(page, 2)
    figure = find_cell(page, 2).locator(".il-moving[data-ready]")
    before = figure.inner_text()
    figure.get_by_role("button", name="far ball", exact=True).click()
    assert figure.inner_text() != before
    run_cell(page, 10)
    frame = find_cell(page, 10).locator("figure")
    assert "Fig." in frame.locator("figcaption").inner_text()
    assert len(frame.locator("svg.il-drawn").get_attribute("aria-label").split()) > 4
    text = run_cell(page, 10, "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.title('my own');")
    assert "my own" in text
    assert find_cell(page, 10).locator("figcaption").count() == 0, "the caption is about another figure"
    label = find_cell(page, 10).locator("svg.il-drawn").get_attribute("aria-label")
    assert label == "A figure that this cell drew"


def test_error_is_short_and_stops_dependent_cells(page: Any) -> None:
    text = run_cell(page, 6, "def f(x):\n    return 1 / x\n\nf(0)")
    assert text.startswith("Traceback (most recent call last):\n  cell 6, line 4\n")
    assert text.endswith("ZeroDivisionError: division by zero")
    assert len(text.splitlines()) < 8
    assert "Cell 6 has an error: ZeroDivisionError" in wait_for_status(page, "Cell 6 has an error")
    run_cell(page, 10, "f(1)")
    assert find_cell(page, 10).locator(".il-note").text_content() == "Not run: cell 6 has an error."
    for number in (6, 10):
        find_cell(page, number).get_by_role("button", name="Restore").click()


def test_error_in_an_exercise_does_not_stop_the_next(page: Any) -> None:
    write_code(page, 13, "answer = 1 / 0")
    find_cell(page, 13).get_by_role("button", name=re.compile("^Run ")).click()
    assert "○" in run_cell(page, 15), "it needs nothing that cell 13 gives"
    assert find_cell(page, 13).locator(".il-note").text_content().startswith("Error")
    run_cell(page, 15, "answer")
    assert find_cell(page, 15).locator(".il-note").text_content() == "Not run: cell 13 has an error."
    for number in (13, 15):
        find_cell(page, number).get_by_role("button", name="Restore").click()


def test_editors_work_by_keyboard_alone(page: Any) -> None:
    find_cell(page, 1).locator(".cm-content").focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nprint('typed', 6 / 4)")
    page.keyboard.press("Shift+Enter")
    wait_for_status(page, "Cell 1 has run")
    assert find_cell(page, 1).locator(".cell_output").text_content().endswith("\ntyped 1.5\n"), (
        "the site's shortcut / is not for editors"
    )
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    assert page.evaluate(focused) == "Code of cell 1"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Run cell 1", "Tab leaves the editor"
    page.keyboard.press("Tab")
    assert page.evaluate(focused) == "Restore cell 1"
    page.keyboard.press("Enter")
    assert "typed" not in find_cell(page, 1).locator(".cm-content").inner_text()


def test_stop_deletes_names_and_restarts_python(page: Any) -> None:
    write_code(page, 1, "import numpy as np\nball = needle = np.ones((5, 3))\nwhile True: pass")
    find_cell(page, 3).get_by_role("button", name="Run cell 3").click()
    page.wait_for_timeout(500)
    assert find_cell(page, 3).locator(".il-note").text_content().startswith("Waits: 1 of 2")
    find_cell(page, 1).get_by_role("button", name="Stop cell 1").press("Enter")
    assert find_cell(page, 1).locator(".il-note").text_content() == "Stopped."
    assert find_cell(page, 3).locator(".il-note").text_content() == "Not run."
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Run cell 1"
    wait_for_status(page, "Python is ready")
    find_cell(page, 1).get_by_role("button", name="Restore").click()
    run_cell(page, 3)
    assert "after 1 cell above it" in wait_for_status(page, "Cell 3 has run")
    page.get_by_role("button", name="Restart Python").click()
    assert find_cell(page, 3).locator(".il-note").text_content() == "Not run since Python started again."
    wait_for_status(page, "Python is ready")


def test_edits_are_stored_until_deleted_and_saved_as_a_notebook(live: str, context: Any) -> None:
    page = open_page(context, live)
    page.get_by_role("button", name="Run this page").click()
    write_code(page, 1, "mine = 1")
    write_code(page, 3, "")
    page = open_page(context, live)
    page.get_by_role("button", name="Run this page").click()
    page.wait_for_selector(".cm-editor", state="attached")
    shown = "n => document.querySelectorAll('.cm-content')[n - 1].innerText.trim()"
    assert [page.evaluate(shown, number) for number in (1, 3)] == ["mine = 1", ""]
    find_cell(page, 3).get_by_role("button", name="Restore").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as notebook").click()
    assert saved.value.suggested_filename == "what-isotropy-is.ipynb"
    notebook = json.loads(Path(saved.value.path()).read_text())
    nbformat.validate(notebook)
    code = [c["source"] for c in notebook["cells"] if c["cell_type"] == "code"]
    assert code == ["mine = 1", *(c["source"] for c in CELLS[1:] if not c["solution"])]
    page.evaluate("document.querySelector('.il-live details').open = true")
    page.get_by_role("button", name="Forget my code").click()
    assert "mine" not in page.evaluate("JSON.stringify({ ...localStorage })")
    assert page.evaluate(shown, 1).startswith(CELLS[0]["source"].partition("\n")[0])
    assert page.errors == []


def test_run_all_runs_every_visible_cell(page: Any) -> None:
    """The cells have short code, since `test_lessons` runs the code of the lessons."""
    visible = [number for number, cell in enumerate(CELLS, 1) if not cell["solution"]]
    page.evaluate("document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })")
    for number in visible:
        write_code(page, number, f"print({number})")
    page.get_by_role("button", name="Run all", exact=True).click()
    assert f"{len(visible)} cells have run in" in wait_for_status(page, f"{len(visible)} cells have run")
    for number in visible:
        assert find_cell(page, number).locator(".cell_output").text_content() == f"{number}\n"


def test_page_is_readable_on_a_phone_and_a_desktop(page: Any) -> None:
    """No element overflows, is cut off, scrolls without notice, or has low contrast."""
    run_cell(
        page, 1, "print('a long line ' * 40)\n'a comment: # ' + str(1.5)  # and another\nraise ValueError"
    )
    page.evaluate("document.querySelector('.il-live details').open = true")
    page.add_style_tag(content="* { transition: none !important; }")
    assert nonempty_faults(contrast_faults(page)) == {}
    for width in (390, 1280):
        assert nonempty_faults(layout_faults(page, width)) == {}
        low_buttons = "[...document.querySelectorAll('.il-buttons button')].filter((e) => e.offsetParent && e.offsetHeight < 34)"
        assert page.evaluate(f"{low_buttons}.length") == 0


def test_python_starts_by_itself_after_the_first_run(live: str, context: Any) -> None:
    open_page(context, live).get_by_role("button", name="Run this page").click()
    page = open_page(context, live, "isotropy/five-scores-six-tests")
    page.wait_for_selector("text=Python starts in the background now")
    page.get_by_role("button", name="Run this page").click()
    page.wait_for_selector(".cm-editor", state="attached")
    page.evaluate("document.querySelectorAll('main details').forEach((fold) => { fold.open = true; })")
    run_cell(page, 1, "print('numpy' in __import__('sys').modules, 'np' in globals())")
    assert find_cell(page, 1).locator(".cell_output").text_content() == "True False\n", (
        "imported, but without a name"
    )
    page.get_by_role("button", name="Do not start Python by itself").click()
    page.requests.clear()
    page.reload()
    page.get_by_role("button", name="Run this page").wait_for()
    page.wait_for_timeout(1_000)
    assert not [url for url in page.requests if "/live/" in url]
    assert "background" not in page.inner_text(".il-live")
    assert page.errors == []


def test_status_states_the_number_of_cells_and_seconds(live: str, context: Any) -> None:
    """The seconds are set here, because a changed lesson has no measured seconds yet."""
    page = open_page(context, live)
    cells = [dict(cell, seconds=20.0) for cell in CELLS]
    page.route("**/*.cells.json*", lambda route: route.fulfill(json=cells))
    page.get_by_role("button", name="Run this page").click()
    wait_for_status(page, "Python is ready")
    write_code(page, 1, "while True: pass")
    find_cell(page, 3).get_by_role("button", name="Run cell 3").click()
    wait_for_status(page, "Cell 3 runs, after 1 cell above it: 1 of 2, about 40 s.")
    assert find_cell(page, 3).locator(".il-note").text_content() == "Waits: 1 of 2, about 40 s …"


def test_missing_files_are_reported(live: str, context: Any) -> None:
    page = open_page(context, live)
    page.route("**/live/files.json", lambda route: route.fulfill(status=404))
    page.get_by_role("button", name="Run this page").click()
    wait_for_status(page, "Python could not start: this site was built without Python in the tab")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Try again").wait_for()
    page.unroute("**/live/files.json")
    find_cell(page, 1).get_by_role("button", name="Run cell 1").click()
    wait_for_status(page, "Cell 1 has run")


def test_plain_fields_replace_an_editor_that_cannot_load(live: str, context: Any) -> None:
    page = open_page(context, live)
    page.route("**/codemirror/*", lambda route: route.abort())
    page.get_by_role("button", name="Run this page").click()
    area = page.locator("textarea").first
    area.fill("print(6 * 7)")
    area.press("Shift+Enter")
    wait_for_status(page, "Cell 1 has run")
    assert find_cell(page, 1).locator(".cell_output").text_content() == "42\n"


def test_cell_that_cannot_run_states_the_reason(live: str, context: Any) -> None:
    page = open_page(context, live)
    cells = [dict(cell, reason="needs 83 MB of weights" * (i == 1)) for i, cell in enumerate(CELLS)]
    page.route("**/*.cells.json*", lambda route: route.fulfill(json=cells))
    page.get_by_role("button", name="Run this page").click()
    page.wait_for_selector(".cm-editor")
    assert page.locator(".cm-editor").count() == len(CELLS) - 1
    assert page.get_by_text("This cell does not run in the tab: needs 83 MB of weights.").is_visible()
