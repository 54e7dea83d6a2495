"""Compare two built sites text by text: ``make compare-sites OLD=FOLDER``, or ``python scripts/compare_sites.py OLD [NEW]``.

NEW is by default the site that `make book` has built. Shown are the pages that appeared and vanished and, for each other
page, the words that changed, as [-before-] and {+after+} with some words around them. Texts in figures, alternative texts,
titles, and the data of moving figures count; names of files, and the footer with its commit, do not. The exit code is 1 if
anything differs. Needs nothing but Python.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from html.parser import HTMLParser
from pathlib import Path

SITE = Path(__file__).resolve().parents[1] / "book" / "_build" / "html"
#: Attributes that a reader sees or hears.
SAID = ("alt", "aria-label", "title")
#: Elements within a line; all others begin a line.
INLINE = (
    "a",
    "abbr",
    "b",
    "cite",
    "code",
    "em",
    "i",
    "kbd",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "tspan",
    "u",
)
#: Words shown on both sides of a change.
CONTEXT = 5


class _Article(HTMLParser):
    """Collects the title of a page and the lines of its article."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.open = ["page"]  # the open elements that matter here, the innermost last

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line, note what the element is, and add what its attributes say."""
        given = dict(attrs)
        if tag not in INLINE:
            self.lines.append("")
        if tag in ("article", "title", "pre", "style", "script"):
            self.open.append("data" if given.get("type") == "application/json" else tag)
        if "article" in self.open:
            self.lines[-1] += "".join(f" ({name}: {given[name]}) " for name in SAID if given.get(name))

    def handle_endtag(self, tag: str) -> None:
        """End the line and the element."""
        if tag not in INLINE:
            self.lines.append("")
        if tag == self.open[-1] or (tag == "script" and self.open[-1] == "data"):
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Add text of the article or of the title."""
        innermost = self.open[-1]
        if innermost in ("style", "script") or ("article" not in self.open and innermost != "title"):
            return
        if innermost == "data":
            data = data.replace(",", ", ")
        first, *others = data.split("\n") if innermost == "pre" else [data]
        self.lines[-1] += first
        self.lines += others


def article(html: str) -> list[str]:
    """Return the title of a page and the lines of its article."""
    parser = _Article()
    parser.feed(html)
    return [" ".join(line.split()) for line in parser.lines if line.strip()]


def pages(site: Path) -> dict[str, list[str]]:
    """Return the lines of each page of a built site by its name; listings of source code are no pages."""
    if not (site / "index.html").is_file():
        raise ValueError(f"{site} has no index.html; expected the folder of a built site")
    paths = {path.relative_to(site): path for path in sorted(site.rglob("*.html"))}
    return {
        name.with_suffix("").as_posix(): article(path.read_text(encoding="utf-8"))
        for name, path in paths.items()
        if not name.parts[0].startswith("_")
    }


def changes(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the changed words of two lists of lines, a text for each place."""
    found = []
    # Pages have too many words to compare all with all, so changed lines come first, with one line around them.
    for lines in SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(1):
        before = " / ".join(old[lines[0][1] : lines[-1][2]]).split()
        after = " / ".join(new[lines[0][3] : lines[-1][4]]).split()
        for words in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(CONTEXT):
            parts = []
            for kind, start, stop, new_start, new_stop in words:
                was, now = " ".join(before[start:stop]), " ".join(after[new_start:new_stop])
                parts += (
                    [was] if kind == "equal" else [f"[-{was}-]"] * bool(was) + [f"{{+{now}+}}"] * bool(now)
                )
            found.append(" ".join(parts))
    return found


def differences(old: Mapping[str, Sequence[str]], new: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what differs between the pages of two sites, line by line."""
    found = [f"vanished: {name}" for name in old.keys() - new.keys()]
    found += [f"appeared: {name}" for name in new.keys() - old.keys()]
    for name in old.keys() & new.keys():
        changed = changes(old[name], new[name])
        found += ["\n".join([f"changed: {name}", *(f"    {text}" for text in changed)])] if changed else []
    return sorted(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what differs between two sites; return 1 if anything does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("old", type=Path, help="folder of the site before")
    parser.add_argument("new", type=Path, nargs="?", default=SITE, help="folder of the site after")
    options = parser.parse_args(arguments)
    try:
        old, new = pages(options.old), pages(options.new)
    except ValueError as error:
        parser.error(str(error))
    found = differences(old, new)
    print(*found, f"pages that differ: {len(found)} of {len(old.keys() | new.keys())}", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
