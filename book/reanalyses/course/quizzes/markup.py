r"""Conversion of the Markdown in questions to XHTML and to plain text.

It supports emphasis, code, formulas between dollar signs, and links. A link is reduced to its text, because its
address is not valid outside of the book; a link alone in parentheses is removed. Formulas are written between ``\(``
and ``\)`` for the MathJax of learning platforms, or converted by a function, for example to MathML. Any other markup
raises an error, so that no markup is displayed raw.
"""

import re
from collections.abc import Callable
from html import escape, unescape

_INLINE = re.compile(
    r"\$(?P<math>[^$]+)\$|`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*|\[(?P<link>[^\]]+)\]\([^)]*\)"
)
_PARENTHESIZED_LINK = re.compile(r"\s*\(\[[^\]]+\]\([^)]*\)\)")


def mathjax(tex: str) -> str:
    """Return a formula in the form that MathJax on learning platforms expects."""
    return rf"\({escape(tex, quote=False)}\)"


def xhtml(markdown: str, formula: Callable[[str], str] = mathjax) -> str:
    r"""Return a line of Markdown as XHTML; raise ValueError that names unsupported syntax."""
    converted, end = "", 0
    text = _PARENTHESIZED_LINK.sub("", markdown)
    for match in _INLINE.finditer(text):
        converted += _escape_text(text[end : match.start()], markdown)
        end = match.end()
        kind, content = next((name, value) for name, value in match.groupdict().items() if value is not None)
        if kind == "math":
            converted += formula(content)
        elif kind == "code":
            converted += f"<code>{escape(content, quote=False)}</code>"
        else:
            inner = xhtml(content, formula)
            converted += inner if kind == "link" else f"<{kind}>{inner}</{kind}>"
    return converted + _escape_text(text[end:], markdown)


def plain_text(markdown: str) -> str:
    r"""Return a line of Markdown without markup; formulas remain in TeX."""
    return unescape(re.sub(r"<[^>]+>|\\\(|\\\)", "", xhtml(markdown)))


def _escape_text(text: str, markdown: str) -> str:
    if unsupported := re.search(r"[*`$\\{}<>\[\]]|(?<!\w)_|_(?!\w)", text):
        raise ValueError(f"{unsupported[0]!r} in {markdown!r} is markup that questions do not support")
    return escape(text, quote=False)
