"""Tests of the page that measures a reader's files: formats, errors, questions, interruptions, and requests."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isotropy_report.cli import main
from tests.book.test_site import contrast_faults, layout_faults, nonempty_faults

from .test_page import open_page

pytestmark = [pytest.mark.rest, pytest.mark.browser]

PAGE = "report/in-your-browser"
X = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32) + 1.0
DONE = "() => document.querySelector('.il-card[data-ready]') || document.querySelector('.il-trouble').textContent || document.querySelector('.il-measure form select')"


def rows_as_text(separator: str, header: str = "", prefix: str = "") -> str:
    rows = (separator.join(f"{x:.9g}" for x in row) for row in X)
    return header + "".join((f"{prefix}{i} " if prefix else "") + row + "\n" for i, row in enumerate(rows))


def write_files(folder: Path) -> None:
    """Write the same rows in every format."""
    from safetensors.numpy import save_file

    np.save(folder / "x.npy", X)
    np.savez(folder / "x.npz", X=X, labels=np.arange(60))
    save_file({"X": X, "bias": np.zeros(6)}, folder / "x.safetensors")
    (folder / "x.csv").write_text(rows_as_text(",", "a,b,c,d,e,f\n"))
    (folder / "x.tsv").write_text(rows_as_text("\t"))
    (folder / "x.csv.gz").write_bytes(gzip.compress(rows_as_text(",").encode()))
    (folder / "word2vec.txt").write_text(rows_as_text(" ", "60 6\n", "word"))
    (folder / "glove.txt").write_text(rows_as_text(" ", prefix="word"))
    rows = (f"word{i} ".encode() + row.tobytes() + b"\n" for i, row in enumerate(X))
    (folder / "word2vec.bin").write_bytes(b"60 6\n" + b"".join(rows))


FORMATS = (
    *("x.npy", "x.npz", "x.safetensors", "x.csv", "x.tsv", "x.csv.gz"),
    *("word2vec.txt", "glove.txt", "word2vec.bin"),
)


def write_broken_files(folder: Path) -> list[str]:
    """Write files that are rejected, one for each kind of reader; the readers' own tests have more."""
    np.save(folder / "line.npy", np.ones(5))
    np.save(folder / "objects.npy", np.array([[None, 1]], dtype=object), allow_pickle=True)
    contents = {
        "empty.npy": b"",
        "cut.npz": (folder / "x.npz").read_bytes()[:-30],
        "cut.csv.gz": (folder / "x.csv.gz").read_bytes()[:-20],
        "text.csv": rows_as_text(",").replace("\n", "\nred,1,2,3,4,5\n", 1).encode(),
        "checkpoint.pt": b"PK\x03\x04nothing",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return [*contents, "line.npy", "objects.npy"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder_of_files = tmp_path_factory.mktemp("files")
    write_files(folder_of_files)
    return folder_of_files


@pytest.fixture(scope="module")
def page(live: str, browser: Any) -> Iterator[Any]:
    """Open the page, and assert at the end that only files of the site were requested and nothing was sent."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = open_page(context, live, PAGE)
    page.methods = set()
    page.on("request", lambda request: page.methods.add((request.method, request.post_data)))
    yield page
    assert page.errors == []
    assert page.methods <= {("GET", None)}
    assert [url for url in page.requests if not url.startswith((live, "blob:", "data:"))] == []
    context.close()


def pass_files(page: Any, *files: Path) -> dict[str, Any]:
    """Pass files to the page, and wait for a card (its numbers), an error, or a question."""
    page.set_input_files("#il-files", list(files))
    return outcome(page)


def outcome(page: Any) -> dict[str, Any]:
    page.wait_for_function(DONE)
    if page.inner_text(".il-trouble"):
        return {"error": page.locator(".il-trouble p").first.inner_text()}
    if page.locator(".il-card").count():
        return card_numbers(page)
    return {"ask": page.inner_text(".il-measure form")}


def card_numbers(page: Any) -> dict[str, Any]:
    page.wait_for_selector(".il-card[data-ready]")
    values: dict[str, Any] = json.loads(page.frame_locator(".il-card").locator("#numbers").text_content())
    return values


def run_command_line(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any, *words: str) -> Any:
    """Run the command line in the folder, and return the card's numbers or the error message."""
    monkeypatch.chdir(folder)
    code = main(["report", *words, "-o", "home.json"])
    captured = capsys.readouterr()
    if code:
        return captured.err.removeprefix("isotropy-lab report: error: ").removesuffix("\n")
    return json.loads(Path("home.json").read_text(encoding="utf-8"))


def equal_up_to_rounding(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal_up_to_rounding(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal_up_to_rounding, a, b))
    are_floats = isinstance(a, float) and isinstance(b, float)
    return bool(np.isclose(a, b, rtol=1e-9, atol=1e-11)) if are_floats else bool(a == b)


def test_page_loads_nothing_until_a_file_is_chosen(live: str, context: Any) -> None:
    page = open_page(context, live, PAGE)
    page.wait_for_timeout(500)
    assert not [url for url in page.requests if "/live/" in url]
    assert page.get_by_label("Choose one file of vectors or two").is_visible()
    assert page.locator("progress").is_hidden()


@pytest.mark.parametrize("name", FORMATS)
def test_card_of_each_format_equals_that_of_the_command_line(
    page: Any, folder: Path, name: str, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    card = pass_files(page, folder / name)
    expected = run_command_line(folder, capsys, monkeypatch, name)
    assert card["sections"]["data"]["numbers"]["n_points"]["value"] == 60
    numbers, expected_numbers = (result["sections"]["isotropy"]["numbers"] for result in (card, expected))
    assert equal_up_to_rounding(numbers, expected_numbers)
    assert (card["summary"], card["cautions"]) == (expected["summary"], expected["cautions"])
    assert f"The card of {name} is below" in page.inner_text(".il-status")


def test_errors_equal_those_of_the_command_line(
    page: Any, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    for name in write_broken_files(folder):
        error = pass_files(page, folder / name).get("error")
        expected = run_command_line(folder, capsys, monkeypatch, name)
        assert isinstance(expected, str)
        assert expected.startswith(name), expected
        assert error == expected


def test_three_files_give_the_threshold_of_the_command_line(
    page: Any, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    questions = np.tile(X, (8, 1)) + 0.1 * np.random.default_rng(1).normal(size=(480, 6))
    np.save(folder / "questions.npy", questions.astype(np.float32))
    (folder / "gold.txt").write_text("".join(f"{i % 60}\n" for i in range(480)))
    result = pass_files(page, *(folder / name for name in ("gold.txt", "questions.npy", "x.npy")))
    command = "isotropy-lab threshold questions.npy x.npy --gold gold.txt -o threshold.html"
    assert page.inner_text(".il-home code") == command
    monkeypatch.chdir(folder)
    assert main([*command.split()[1:-2], "--json"]) == 0
    assert equal_up_to_rounding(result["best"], json.loads(capsys.readouterr().out)["best"])


def test_two_files_give_two_cards_and_a_comparison(
    page: Any, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    (tmp_path / "other").mkdir()
    np.save(tmp_path / "other" / "x.npy", X[:, :3] * [9, 3, 1])
    result = pass_files(page, folder / "x.npy", tmp_path / "other" / "x.npy")
    np.save(folder / "x (2).npy", X[:, :3] * [9, 3, 1])
    assert result["name"] == "x.npy"
    command = 'isotropy-lab compare x.npy "x (2).npy" -o comparison.html'
    assert page.inner_text(".il-home code") == command
    page.get_by_role("button", name="Card of x (2).npy").click()
    assert page.get_by_role("button", name="Card of x (2).npy").get_attribute("aria-pressed") == "true"
    assert card_numbers(page)["name"] == "x (2).npy"
    page.get_by_role("button", name="Comparison of models").click()
    assert card_numbers(page)["paired"]


def test_vectors_and_their_map_give_a_map_page(page: Any, folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "map.npy", X[:, :2])
    assert pass_files(page, tmp_path / "map.npy", folder / "x.npy")["kind"] == "map"
    assert page.inner_text(".il-home code") == "isotropy-lab map x.npy map.npy -o map.html"
    inside, card = page.frame_locator(".il-card"), "document.querySelector('.il-card')"
    assert inside.locator(".summary").first.inner_text().startswith("Do not say that a cluster in the map is")
    page.set_viewport_size({"width": 390, "height": 844})
    inside.locator("canvas").press("ArrowLeft")
    assert "of 10 neighbors in the map are false" in inside.locator(".chosen").inner_text()
    page.wait_for_function(f"{card}.contentDocument.documentElement.scrollHeight <= {card}.clientHeight")
    assert page.evaluate(f"{card}.contentDocument.documentElement.scrollWidth <= {card}.clientWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator(".il-main").get_attribute("download") == "map.html"


def test_card_is_saved_as_one_file(page: Any, folder: Path, tmp_path: Path) -> None:
    pass_files(page, folder / "x.npy")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save: Card of x.npy").click()
    assert download.value.suggested_filename == "x-card.html"
    download.value.save_as(tmp_path / "card.html")
    html = (tmp_path / "card.html").read_text(encoding="utf-8")
    assert "<title>x.npy: report card</title>" in html
    assert not re.search(r"<script src|<link|@import|url\(", html)


def test_reader_chooses_among_several_arrays(page: Any, folder: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "two.npz", first=X, second=X[:, :4])
    assert "Which array of two.npz?" in pass_files(page, tmp_path / "two.npz")["ask"]
    focused = "document.activeElement.tagName"
    assert page.evaluate(focused) == "SELECT"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    result = outcome(page)
    assert result["sections"]["data"]["numbers"]["n_dimensions"]["value"] == 4
    assert "--key second" in page.inner_text(".il-home code")


def test_measurement_can_be_stopped_and_repeated(page: Any, folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "large.npy", np.random.default_rng(0).normal(size=(40_000, 256)))
    page.set_input_files("#il-files", str(tmp_path / "large.npy"))
    page.wait_for_function("document.querySelector('.il-status').textContent.startsWith('large.npy: ')")
    assert page.locator("progress").is_visible()
    assert page.locator("#il-files").is_disabled()
    page.get_by_role("button", name="Stop").press("Enter")
    assert page.inner_text(".il-status") == "Stopped."
    assert page.evaluate("document.activeElement.id") == "il-files"
    result = pass_files(page, folder / "x.npy")
    assert result.get("name") == "x.npy", result


def test_files_are_dropped_anywhere_on_the_page(page: Any, folder: Path) -> None:
    drop = """(text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "dropped.csv"));
      const target = document.querySelector("main p");
      for (const kind of ["dragover", "drop"]) {
        const event = new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
        target.dispatchEvent(event);
        if (!event.defaultPrevented) throw new Error(kind);
      }
    }"""
    page.evaluate(drop, rows_as_text(","))
    assert outcome(page)["name"] == "dropped.csv"


def test_page_works_by_keyboard_alone(page: Any, folder: Path) -> None:
    page.locator("#il-files").focus()
    with page.expect_file_chooser() as chooser:
        page.wait_for_timeout(500)  # until the browser intercepts the dialog
        page.keyboard.press("Enter")
    chooser.value.set_files(str(folder / "x.npy"))
    outcome(page)
    page.locator("#il-files").focus()
    focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    order = []
    for _ in range(2):
        page.keyboard.press("Tab")
        order.append(page.evaluate(focused))
    assert order == ["Save: Card of x.npy", "Copy the command"]


def test_page_is_readable_on_a_phone_and_a_desktop(page: Any, folder: Path) -> None:
    """The card has the theme of the page and the height of its own content."""
    page.set_viewport_size({"width": 390, "height": 844})
    pass_files(page, folder / "x.npy", folder / "x.csv")
    page.add_style_tag(content="* { transition: none !important; }")
    assert nonempty_faults(contrast_faults(page)) == {}
    card = "document.querySelector('.il-card')"
    background = page.evaluate(f"getComputedStyle({card}.contentDocument.body).backgroundColor")
    assert background == "rgb(20, 23, 27)"
    inside = f"{card}.contentDocument.documentElement"
    for width in (390, 1280):
        assert nonempty_faults(layout_faults(page, width)) == {}
        assert page.evaluate(f"{inside}.scrollHeight <= {card}.clientHeight")
        assert page.evaluate(f"{inside}.scrollWidth <= {card}.clientWidth")
