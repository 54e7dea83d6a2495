"""Compare the texts of two built sites page by page: ``make compare-sites BEFORE=folder AFTER=folder``.

The text of a page is what a reader sees and what a screen reader says in its article: headings, prose, code,
outputs, tables, the words of figures and their descriptions, and the data of figures that move. Styles,
scripts, names of files, and the line that names the commit are none of it. Exit code 1 if a page differs or
is missing on one side.
"""

import argparse
import difflib
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: Inline elements, whose text continues the surrounding text.
INLINE = frozenset(
    ("a", "abbr", "b", "br", "code", "em", "i", "kbd", "mark", "small", "span", "strong", "sub", "sup",
     "tspan", "u")
)  # fmt: skip
#: Elements without an end tag.
EMPTY = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
#: Attributes that are displayed or read aloud.
SAID = ("alt", "aria-label", "title")


class Text(HTMLParser):
    """Collector of the title and the text of a page, with one line per block."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.silent: list[str] = []
        self.inside = ""  # "pre" or "data", in which lines are kept unchanged
        self.ended = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Begin a line for a block, and add the text that represents a picture."""
        about = dict(attributes)
        data = about.get("type") == "application/json"
        if self.silent or (tag in ("script", "style") and not data) or about.get("class") == "il-version":
            if tag not in EMPTY:
                self.silent.append(tag)
            return
        if tag == "article":  # before the article, only the title is specific to the page
            self.lines = [line for line in self.lines if line.strip()][:1]
        if tag == "pre" or data:
            self.inside = "data" if data else tag
        if tag not in INLINE:
            self.lines.append("")
        if not self.ended and (said := [str(about[name]) for name in SAID if about.get(name)]):
            self.lines[-1] += " ".join(f"[{words}]" for words in said)
            if tag not in INLINE:
                self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        if self.silent:
            if tag == self.silent[-1]:
                self.silent.pop()
            return
        self.ended |= tag == "article"
        if tag in ("pre", "script"):
            self.inside = ""
        if tag not in INLINE:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        """Add text to the line."""
        if self.silent or self.ended:
            return
        if self.inside == "data":
            data = data.replace(",", ",\n")
        first, *others = data.split("\n") if self.inside else [data]
        self.lines[-1] += first
        self.lines += others


def text(page: Path) -> list[str]:
    """Return the text of a page as lines."""
    parser = Text()
    parser.feed(page.read_text(encoding="utf-8"))
    parser.close()
    return [line for line in (" ".join(line.split()) for line in parser.lines) if line]


def pages(site: Path) -> dict[str, list[str]]:
    """Return the lines of all pages, keyed by name; listings of source code are not pages."""
    paths = {path.relative_to(site): path for path in sorted(site.rglob("*.html"))}
    return {name.as_posix(): text(path) for name, path in paths.items() if not name.parts[0].startswith("_")}


def differences(before: Path, after: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the pages that differ, each with its removed (``-``) and added (``+``) lines."""
    old, new = pages(before), pages(after)
    for name in sorted(old.keys() | new.keys()):
        one, other = old.get(name, []), new.get(name, [])
        if one != other:
            yield name, list(difflib.unified_diff(one, other, lineterm="", n=1))[2:]


def main() -> int:
    """Parse the command line and print the differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="folder of a built site")
    parser.add_argument("after", type=Path, help="folder of another built site")
    options = parser.parse_args()
    for site in (options.before, options.after):
        if not (site / "index.html").exists():
            parser.error(f"{site} has no index.html; expected the folder of a built site")
    found = 0
    for name, lines in differences(options.before, options.after):
        found += 1
        print(name, *(f"  {line}" for line in lines), sep="\n")
    print(f"{found} pages differ" if found else "The pages are the same, text by text.", file=sys.stderr)
    return int(found > 0)


if __name__ == "__main__":
    raise SystemExit(main())
