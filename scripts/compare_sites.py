"""Compare two built sites, page by page and text by text: ``python scripts/compare_sites.py before after``.

The text of a page is what a reader sees and what a screen reader says: headings, prose, code, outputs, tables, the words of
figures and their descriptions. Styles, scripts and the line that names the commit are none of it. Exit code 1 if a page
differs or is missing on one side.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: Elements whose text runs on with what is around them.
INLINE = frozenset(
    (
        "a",
        "abbr",
        "b",
        "br",
        "code",
        "em",
        "i",
        "kbd",
        "mark",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "tspan",
        "u",
    )
)
#: Elements without an end.
EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)


class Text(HTMLParser):
    """Collect the text of a page, a line for each block."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.silent: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Begin a line for a block, and say what stands for a picture."""
        about = dict(attributes)
        if self.silent or tag in ("script", "style") or about.get("class") == "il-version":
            if tag not in EMPTY:
                self.silent.append(tag)
            return
        if tag not in INLINE:
            self.lines.append("")
        for name in ("alt", "aria-label"):
            if about.get(name):
                self.lines += [f"[{about[name]}]", ""]

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        if self.silent:
            if tag == self.silent[-1]:
                self.silent.pop()
        elif tag not in INLINE:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        """Add to the line."""
        if not self.silent:
            self.lines[-1] += data


def text(page: Path) -> list[str]:
    """Return the lines of text of a page."""
    parser = Text()
    parser.feed(page.read_text(encoding="utf-8"))
    parser.close()
    return [line for line in (" ".join(line.split()) for line in parser.lines) if line]


def differences(before: Path, after: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the pages that differ, each with its lines taken out (``-``) and put in (``+``)."""
    names = {path.relative_to(site).as_posix() for site in (before, after) for path in site.rglob("*.html")}
    for name in sorted(names):
        one, other = (text(site / name) if (site / name).exists() else [] for site in (before, after))
        if one != other:
            yield name, list(difflib.unified_diff(one, other, lineterm="", n=0))[2:]


def main() -> int:
    """Parse the command line and print the differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="the folder of a built site")
    parser.add_argument("after", type=Path, help="the folder of another")
    parser.add_argument("--names", action="store_true", help="print only the names of the pages that differ")
    options = parser.parse_args()
    for site in (options.before, options.after):
        if not (site / "index.html").exists():
            parser.error(f"{site} has no index.html; expected the folder of a built site")
    found = 0
    for name, lines in differences(options.before, options.after):
        found += 1
        print(name, *([] if options.names else (f"  {line}" for line in lines)), sep="\n")
    print(f"{found} pages differ" if found else "The pages are the same, text by text.", file=sys.stderr)
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
