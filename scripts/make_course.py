"""Write the folder of a course: ``python scripts/make_course.py``, or ``make course``.

Lessons without current stored outputs are executed first; the build of the book uses these outputs, too. The
contents of the folder are described in ``reanalyses.course.kit``.
"""

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "book" / "_ext"), str(ROOT / "scripts")]

import executed_pages  # noqa: E402
from build_book import print_errors  # noqa: E402
from execution import duration, execute_notebooks, name_of, notebooks  # noqa: E402

from reanalyses import lessons  # noqa: E402
from reanalyses.course.kit import ExecutedLesson, generated_files, write  # noqa: E402


def lesson_files(root: Path) -> list[Path]:
    """Return the notebooks of the lessons, in the order of the table of contents."""
    return [file for file in notebooks(root) if lessons.read(file).kind == "lesson"]


def executed_lesson(root: Path, file: Path) -> ExecutedLesson:
    """Return a lesson with the outputs and texts that the build has stored."""
    notebook = json.loads(file.read_text(encoding="utf-8"))
    name = name_of(root, file)
    outputs = executed_pages.read_outputs(executed_pages.outputs_folder(root / "book"), name, notebook)
    if outputs is None:
        raise RuntimeError(f"{name} has no stored outputs; expected an executed notebook")
    executed_pages.insert_outputs(notebook, outputs)
    cells: list[dict[str, Any]] = [cell | {"source": "".join(cell["source"])} for cell in notebook["cells"]]
    return ExecutedLesson(name, tuple(cells), outputs["texts"])


def print_slides(folder: Path) -> None:
    """Print each file of slides with the installed Chromium, one slide per page."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        page = browser.new_page(viewport={"width": 1280, "height": 720}, color_scheme="light")
        for file in sorted(folder.rglob("*.html")):
            page.goto(file.as_uri())
            page.pdf(path=file.with_suffix(".pdf"), prefer_css_page_size=True, print_background=True)
        browser.close()


def main() -> int:
    """Parse the command line, execute missing notebooks, and write the course."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, default=ROOT / "book" / "_build" / "course", help="output folder")
    parser.add_argument(
        "--nbgrader", action="store_true", help="also write the lessons as assignments for nbgrader"
    )
    parser.add_argument("--pdf", action="store_true", help="also print the slides (needs Chromium)")
    options = parser.parse_args()
    start = time.monotonic()
    try:
        generated_files(options.to)  # check before an execution that takes minutes
        files = lesson_files(ROOT)
        if errors := execute_notebooks(ROOT, files):
            print_errors(errors)
            print("\nNo course was written.", file=sys.stderr)
            return 1
        folder = write(
            options.to,
            [executed_lesson(ROOT, file) for file in files],
            (ROOT / "requirements.lock").read_text(encoding="utf-8"),
            nbgrader=options.nbgrader,
            report=lambda line: print(line, flush=True),
        )
    except FileExistsError as error:
        print(f"No course was written: {error}", file=sys.stderr)
        return 1
    if options.pdf:
        print_slides(folder / "slides")
    print(f"Done in {duration(time.monotonic() - start)}. Begin with {folder / 'README.md'}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
