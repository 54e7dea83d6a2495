r"""Conversion of the Markdown in questions to XHTML and to plain text.

Supported are emphasis, code, formulas between dollar signs, and links. A link is reduced to its text, because its
address is not valid outside of the book; a link alone in parentheses is removed. Formulas are written between ``\(``
and ``\)`` for the MathJax of learning platforms, or by a function, such as one that returns MathML. Any other markup
raises an error, so that none is displayed raw.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape, unescape

__all__ = ["plain", "xhtml"]

_PARTS = re.compile(
    r"\$(?P<math>[^$]+)\$|`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<em>[^*]+)\*|\[(?P<link>[^\]]+)\]\([^)]*\)"
)
_ASIDE = re.compile(r"\s*\(\[[^\]]+\]\([^)]*\)\)")


def mathjax(tex: str) -> str:
    """Return a formula in the form that MathJax on learning platforms expects."""
    return rf"\({escape(tex, quote=False)}\)"


def xhtml(markdown: str, formula: Callable[[str], str] = mathjax) -> str:
    r"""Return a line of Markdown as XHTML; raise ValueError that names unsupported syntax."""
    made, end = "", 0
    text = _ASIDE.sub("", markdown)
    for found in _PARTS.finditer(text):
        made += _words(text[end : found.start()], markdown)
        end = found.end()
        kind, inside = next((name, value) for name, value in found.groupdict().items() if value is not None)
        if kind == "math":
            made += formula(inside)
        elif kind == "code":
            made += f"<code>{escape(inside, quote=False)}</code>"
        else:
            text_inside = xhtml(inside, formula)
            made += text_inside if kind == "link" else f"<{kind}>{text_inside}</{kind}>"
    return made + _words(text[end:], markdown)


def plain(markdown: str) -> str:
    r"""Return a line of Markdown without markup; formulas remain in TeX."""
    return unescape(re.sub(r"<[^>]+>|\\\(|\\\)", "", xhtml(markdown)))


def _words(text: str, markdown: str) -> str:
    if odd := re.search(r"[*`$\\{}<>\[\]]|(?<!\w)_|_(?!\w)", text):
        raise ValueError(f"{odd[0]!r} in {markdown!r} is markup that questions do not support")
    return escape(text, quote=False)
