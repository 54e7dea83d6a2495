"""Conversion of a lesson's prose to plain Markdown, without the site's directives, roles, and internal links.

Student notebooks are read in JupyterLab, VS Code, and other programs, with and without an extension for MyST.
Therefore, directives become quotations or headings, expressions their values, and links to definitions their texts.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from isotropy_report.card.meanings import chapter_address

#: A link that is not an image; its text may contain brackets.
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])+)\]\(([^()\s]+)\)")

_DIRECTIVE_START = re.compile(r"^(?P<fence>:{3,})\{(?P<kind>[\w:-]+)\} ?(?P<title>.*)$")
_OPTION = re.compile(r"^:(?P<name>[\w-]+): ?(?P<value>.*)$")


@dataclass(frozen=True)
class Block:
    """A piece of Markdown: prose (kind ""), or a directive with its title, class, and body."""

    kind: str  #: "", "admonition", "dropdown", "prf:theorem" and so on.
    text: str  #: The prose, or the body of the directive.
    title: str = ""
    style: str = ""  #: Class of the directive, such as "il-exercise".


def blocks(markdown: str) -> Iterator[Block]:
    """Split Markdown into prose and directives; the body of a directive is not split further."""
    prose: list[str] = []
    lines = iter(markdown.splitlines())
    for line in lines:
        match = _DIRECTIVE_START.match(line)
        if match is None:
            if not re.fullmatch(r"\([\w-]+\)=", line):  # a label
                prose.append(line)
            continue
        if text := "\n".join(prose).strip():
            yield Block("", text)
        prose = []
        body, options = list[str](), dict[str, str]()
        for inner_line in lines:
            if inner_line.rstrip() == match["fence"]:
                break
            option = None if any(body) else _OPTION.match(inner_line)
            if option:
                options[option["name"]] = option["value"]
            else:
                body.append(inner_line)
        else:
            raise ValueError(f"{line!r} is not closed")
        yield Block(match["kind"], "\n".join(body).strip(), match["title"].strip(), options.get("class", ""))
    if text := "\n".join(prose).strip():
        yield Block("", text)


def insert_values(markdown: str, values: Mapping[str, str]) -> str:
    """Replace the expressions in Markdown by their values."""

    def find_value(match: re.Match[str]) -> str:
        expression = match[2].replace("\n", " ").strip()
        if expression not in values:
            raise ValueError(f"{expression!r} has no value; expected an executed notebook")
        return values[expression]

    return re.sub(r"(?s)\{eval\}(`+)(.+?)(?<!`)\1(?!`)", find_value, markdown)


def adapt_links(markdown: str, lesson: str, has_page: Callable[[str], bool]) -> str:
    """Keep links to pages of the course; replace other links by links to the site or by their text."""
    folder = lesson.rpartition("/")[0]

    def adapt_link(match: re.Match[str]) -> str:
        text, target = match[1], match[2]
        if "://" in target:
            return match[0]
        page = re.sub(r"\.(ipynb|md)$", "", target)
        page = page.removeprefix("../") if page.startswith("../") else f"{folder}/{page}"
        if target.startswith("#"):
            return text
        if has_page(page):
            return match[0]
        address = chapter_address(page)
        return f"[{text}]({address})" if address else text

    return LINK.sub(adapt_link, markdown)


def remove_links(markdown: str) -> str:
    """Replace the links in Markdown by their texts.

    >>> remove_links("See [the score](#score) and [layer [2]](a.ipynb).")
    'See the score and layer [2].'
    """
    return LINK.sub(r"\1", markdown)


def join_formula_lines(markdown: str) -> str:
    r"""Put each displayed formula on one line, because Jupyter parses its lines in a quotation as Markdown.

    >>> join_formula_lines("$$\nx\n= 1\n$$")
    '$$ x = 1 $$'
    """
    return re.sub(r"(?s)\$\$(.+?)\$\$", lambda match: f"$$ {' '.join(match[1].split())} $$", markdown)


def quote(markdown: str) -> str:
    """Return Markdown as a block quotation."""
    lines = join_formula_lines(markdown).splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines)
