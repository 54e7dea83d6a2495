"""Build the executed site: ``python scripts/build_book.py``, or only one page of it: ``--page
isotropy/what-isotropy-is``.

Notebooks without current stored outputs are executed (`execution`); then Sphinx reads and writes the pages
whose sources have changed. If its configuration or extensions differ from those of the last successful build,
it reads all pages; if only static files differ, it writes all pages. If nothing has changed, it does not run.
Warnings are errors. If a notebook fails, its error is printed last and no page is written. Other messages of
kernels and Sphinx are in ``book/_build/kernels.log`` and ``book/_build/sphinx.log``.

The files that run Python in the browser (``scripts/get_live.py``) are written next to the pages. If they are
not available, the book is built without them, unless ISOTROPY_LAB_REQUIRE_LIVE is set, as in CI.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "book"), str(ROOT / "book" / "_ext"), str(ROOT / "scripts")]

import get_live  # noqa: E402
from execution import duration, execute_notebooks  # noqa: E402

from reanalyses.dependencies import files_under  # noqa: E402

#: Files on which all pages depend when they are read.
READ_INPUTS = (
    "CITATION.cff",
    "_config.yml",
    "_toc.yml",
    "book/_ext",
    "book/references.bib",
    "book/reanalyses/lessons.py",
    "pyproject.toml",
    "requirements.lock",
    "scripts/build_book.py",
)
#: Files on which all pages depend when they are written.
WRITTEN_INPUTS = ("book/_static", "book/_vendor", "book/_live/page")
#: Files on which the folder with Python for the browser depends.
LIVE_INPUTS = (
    "isotropy_lab",
    "isotropy_report",
    "benchmarks/calibration/alike.json",
    "benchmarks/cluster.json",
    "benchmarks/results.json",
    "book/_live",
    "book/reanalyses",
    "book/pyproject.toml",
    "pyproject.toml",
    "requirements.lock",
    "scripts/get_live.py",
)
#: Files on which any page depends, except for the address and the commit in its footer.
SITE_INPUTS = (*READ_INPUTS, *WRITTEN_INPUTS, *LIVE_INPUTS, "book", "book/_build/executed")
#: Jupyter Book's command supports neither a number of processes nor a single page of a book.
SPHINX = """
import json, sys
from jupyter_book.sphinx import build_sphinx
sys.exit(bool(build_sphinx(**json.loads(sys.argv[1]))))
"""


def digest(root: Path, inputs: Iterable[str]) -> str:
    """Return a digest of the names and contents of files and folders, and of the interpreter's version."""
    state = hashlib.sha256(sys.version.encode())
    for name in inputs:
        for file in files_under(root / name):
            state.update(f"\0{file.relative_to(root).as_posix()}\0".encode())
            state.update(hashlib.sha256(file.read_bytes()).digest())
    return state.hexdigest()


def remove_colors(text: str) -> str:
    """Return a text without terminal color codes."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def run_sphinx(command: Sequence[str], root: Path, log: Path) -> tuple[int, list[str]]:
    """Run Jupyter Book with a log and one line per phase; return its exit code and its warnings.

    Warnings are the lines of its standard error; repeated ones are returned once.
    """
    phases = {"reading sources": "Reading pages", "writing output": "Writing pages"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as stderr, open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command,
            cwd=root,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        assert process.stdout is not None
        for line in map(remove_colors, process.stdout):
            file.write(line)
            for phase, message in tuple(phases.items()):
                if line.startswith(f"{phase}... ["):
                    del phases[phase]
                    print(f"{message} …", flush=True)
        exit_code = process.wait()
        stderr.seek(0)
        warnings: list[str] = []
        for line in map(remove_colors, stderr):
            file.write(line)
            if line.strip() and not ("WARNING" in line and line.rstrip() in warnings):
                warnings.append(line.rstrip())
    return exit_code, warnings


def sphinx_command(root: Path, files: Sequence[Path] = ()) -> list[str]:
    """Return the command by which Sphinx writes all changed pages, or the pages of the given files."""
    processes = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    book = root / "book"
    arguments = {
        "sourcedir": str(book),
        "outputdir": str(book / "_build" / "html"),
        "noconfig": True,
        "path_config": str(root / "_config.yml"),
        "confoverrides": {
            "external_toc_path": (root / "_toc.yml").as_posix(),
            "latex_individualpages": False,
            "nitpicky": True,
        },
        "filenames": [str(file) for file in files],
        "warningiserror": True,
        "keep_going": True,
        "jobs": processes,
    }
    return [sys.executable, "-c", SPHINX, json.dumps(arguments)]


def digest_file(root: Path) -> Path:
    """Return the file in which a successful build stores the digests of all inputs (see `digests`)."""
    return root / "book" / "_build" / "inputs.sha256"


def digests(root: Path, *, live: bool) -> list[str]:
    """Return the lines of `digest_file`: digests of the inputs of reading, of writing, and of the site."""
    return [digest(root, READ_INPUTS), f"{digest(root, WRITTEN_INPUTS)} {live}", digest(root, SITE_INPUTS)]


def prepare(root: Path, previous: Sequence[str], current: Sequence[str]) -> None:
    """Remove outdated parts of the last site.

    A failed build stores no digests, because Sphinx prints warnings only once.
    """
    if previous[:2] == current[:2]:
        return
    if previous:
        print("Contents, configuration, or static files changed, so all pages are written again.", flush=True)
    shutil.rmtree(root / "book" / "_build" / "html", ignore_errors=True)
    if previous[:1] != current[:1]:
        shutil.rmtree(root / "book" / "_build" / ".doctrees", ignore_errors=True)


def get_live_files(root: Path) -> bool:
    """Get the files that run Python in the browser; without them, except in CI, pages have no buttons."""
    if not (root / get_live.LOCK).exists():  # another book, such as those that tests build
        return False
    try:
        get_live.get(root)
    except get_live.MissingError as error:
        print(f"{error}. The pages are built without the buttons that run code.", file=sys.stderr, flush=True)
        return False
    return True


def write_live_files(root: Path) -> None:
    """Write the files that run Python in the browser next to the pages, unless they exist."""
    stored_digest, site = root / "book" / "_build" / "live.sha256", root / "book" / "_build" / "html"
    current_digest = digest(root, LIVE_INPUTS)
    folder = site / "_static" / "live"
    if (
        (folder / "files.json").exists()
        and stored_digest.exists()
        and stored_digest.read_text(encoding="ascii") == current_digest
    ):
        return
    print("Writing Python for the browser …", flush=True)
    get_live.write(root, site)
    stored_digest.write_text(current_digest, encoding="ascii")


def commit(root: Path) -> str:
    """Return the commit, with a note if files have changed since, or "outside version control"."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ["git", "-C", str(root), *arguments],  # noqa: S607 git of the user who builds
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    try:
        name = git("log", "-1", "--abbrev=10", "--format=%h of %cs")
        changes = git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.CalledProcessError):
        return "outside version control"
    return f"commit {name}" + (" with uncommitted changes" if changes else "")


def write_commit(root: Path) -> None:
    """Write the commit into the footer and the citation of all pages.

    Modification times are restored, because Sphinx uses them to find outdated pages.
    """
    text = commit(root)
    for page in (root / "book" / "_build" / "html").rglob("*.html"):
        old = page.read_text(encoding="utf-8")
        new = re.sub(r'(<p class="il-version">[^,<]+, |<span class="il-commit">)[^.<]*', rf"\g<1>{text}", old)
        if new != old:
            status = page.stat()
            page.write_text(new, encoding="utf-8")
            os.utime(page, ns=(status.st_atime_ns, status.st_mtime_ns))


def print_errors(errors: dict[str, str]) -> None:
    """Print which notebooks failed, with their errors."""
    for name, error in errors.items():
        print(f"\n--- {name}\n{remove_colors(error)}", file=sys.stderr)


def build(root: Path, *, page: str = "", extra: Sequence[str] = ()) -> int:
    """Build the book in ``root``, or only one page; return 0, or 1 after printing what failed."""
    start = time.monotonic()
    book, folder = root / "book", root / "book" / "_build"
    files = [book / f"{page}{ending}" for ending in (".ipynb", ".md") if page]
    files = [file for file in files if file.exists()]
    if page and not (files and digest_file(root).exists()):
        message = (
            f"There is no page {page}."
            if not files
            else "There is no site to write a page into: run `make book` first."
        )
        print(message, file=sys.stderr)
        return 1
    if errors := execute_notebooks(
        root, [file for file in files if file.suffix == ".ipynb"] if page else None
    ):
        print_errors(errors)
        print(f"\nNo site was written. Failed, with the error above: {', '.join(errors)}", file=sys.stderr)
        return 1
    if extra:  # another builder, whose exit code is the result
        command = [sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build", "book"]
        command += ["--config", str(root / "_config.yml"), "--toc", str(root / "_toc.yml")]
        command += ["--path-output", str(book), "-W", "-n", "--keep-going", *extra]
        return subprocess.run(command, cwd=root, check=False).returncode
    live = get_live_files(root)
    if not live and os.environ.get("ISOTROPY_LAB_REQUIRE_LIVE"):
        print("No site was written: ISOTROPY_LAB_REQUIRE_LIVE needs Python in the browser.", file=sys.stderr)
        return 1
    os.environ["ISOTROPY_LAB_LIVE"] = "1" if live else ""  # tells extensions whether pages can run
    os.environ["ISOTROPY_LAB_PAGE"] = page
    current = digests(root, live=live)
    stored = digest_file(root)
    previous = stored.read_text(encoding="ascii").splitlines() if stored.exists() else []
    if page and previous[:2] != current[:2]:
        print("Contents, configuration, or static files changed. Run `make book`.", file=sys.stderr)
        return 1
    if previous != current:
        prepare(root, previous, current)
        # A failed build must not be mistaken for a successful one.
        digest_file(root).unlink(missing_ok=True)
        exit_code, warnings = run_sphinx(sphinx_command(root, files), root, folder / "sphinx.log")
        if exit_code:
            print("\n" + "\n".join(warnings), file=sys.stderr)
            print(
                "\nThe site is not complete: Sphinx failed as shown above (full log: "
                "book/_build/sphinx.log).",
                file=sys.stderr,
            )
            return 1
        if live and not page:
            write_live_files(root)
        if page:
            current[2] = "one page"
        digest_file(root).write_text("\n".join(current), encoding="ascii")
    write_commit(root)
    output = (folder / "html" / f"{page or 'index'}.html").relative_to(root).as_posix()
    print(
        f"Done in {duration(time.monotonic() - start)}. The {'page' if page else 'site'} is in {output}",
        flush=True,
    )
    return 0


def main() -> int:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--page", default="", metavar="NAME", help="name of the page to write (default: all)")
    arguments, extra = parser.parse_known_args()
    return build(ROOT, page=arguments.page, extra=extra)


if __name__ == "__main__":
    raise SystemExit(main())
