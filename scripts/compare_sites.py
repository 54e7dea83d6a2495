"""Compare the texts of two built sites page by page: ``make compare-sites BEFORE=folder AFTER=folder``.

The text of a page is what its article displays or a screen reader reads aloud: headings, prose, code,
outputs, tables, the texts and descriptions of figures, and the data of interactive figures. Styles, scripts,
file names, and the line with the commit are ignored. Exit code 1 if a page differs or is missing from one
site.
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
TEXT_ATTRIBUTES = ("alt", "aria-label", "title")


class Text(HTMLParser):
    """Collector of the title and the text of a page, with one line per block."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self.ignored: list[str] = []
        self.verbatim = ""  # "pre" or "data", in which lines are kept unchanged
        self.ended = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Begin a line for a block, and add the text that represents a picture."""
        values = dict(attributes)
        is_data = values.get("type") == "application/json"
        if (
            self.ignored
            or (tag in ("script", "style") and not is_data)
            or values.get("class") == "il-version"
        ):
            if tag not in EMPTY:
                self.ignored.append(tag)
            return
        if tag == "article":  # before the article, only the title is specific to the page
            self.lines = [line for line in self.lines if line.strip()][:1]
        if tag == "pre" or is_data:
            self.verbatim = "data" if is_data else tag
        if tag not in INLINE:
            self.lines.append("")
        if not self.ended and (texts := [str(values[name]) for name in TEXT_ATTRIBUTES if values.get(name)]):
            self.lines[-1] += " ".join(f"[{text}]" for text in texts)
            if tag not in INLINE:
                self.lines.append("")

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        if self.ignored:
            if tag == self.ignored[-1]:
                self.ignored.pop()
            return
        self.ended |= tag == "article"
        if tag in ("pre", "script"):
            self.verbatim = ""
        if tag not in INLINE:
            self.lines.append("")

    def handle_data(self, data: str) -> None:
        """Add text to the line."""
        if self.ignored or self.ended:
            return
        if self.verbatim == "data":
            data = data.replace(",", ",\n")
        first, *rest = data.split("\n") if self.verbatim else [data]
        self.lines[-1] += first
        self.lines += rest


def text(page: Path) -> list[str]:
    """Return the text of a page as lines."""
    parser = Text()
    parser.feed(page.read_text(encoding="utf-8"))
    parser.close()
    return [line for line in (" ".join(line.split()) for line in parser.lines) if line]


def site_pages(site: Path) -> dict[str, list[str]]:
    """Return the lines of all pages, keyed by name; listings of source code are not pages."""
    paths = {path.relative_to(site): path for path in sorted(site.rglob("*.html"))}
    return {name.as_posix(): text(path) for name, path in paths.items() if not name.parts[0].startswith("_")}


def differences(before: Path, after: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the pages that differ, each with its removed (``-``) and added (``+``) lines."""
    old, new = site_pages(before), site_pages(after)
    for name in sorted(old.keys() | new.keys()):
        old_lines, new_lines = old.get(name, []), new.get(name, [])
        if old_lines != new_lines:
            yield name, list(difflib.unified_diff(old_lines, new_lines, lineterm="", n=1))[2:]


def main() -> int:
    """Parse the command line and print the differences."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="folder of a built site")
    parser.add_argument("after", type=Path, help="folder of another built site")
    options = parser.parse_args()
    for site in (options.before, options.after):
        if not (site / "index.html").exists():
            parser.error(f"{site} has no index.html; expected the folder of a built site")
    n_different = 0
    for name, lines in differences(options.before, options.after):
        n_different += 1
        print(name, *(f"  {line}" for line in lines), sep="\n")
    print(
        f"{n_different} pages differ" if n_different else "The pages are the same, text by text.",
        file=sys.stderr,
    )
    return int(n_different > 0)


if __name__ == "__main__":
    raise SystemExit(main())
