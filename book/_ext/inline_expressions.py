"""Role ``eval`` for computed numbers in prose, compatible with JupyterLab's MyST extension.

``{eval}`f"{score:.2f}"``` in a Markdown cell is replaced by the value of the expression at this point of the run. The
build requests it from the kernel (`evaluator`), stores the texts with the outputs (`executed_pages`), and the role inserts
them into the page. The value must be a string or a whole number, which look the same on the site and in JupyterLab; other
values and exceptions fail the build.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util import logging

import executed_pages
from executed_pages import Texts, expressions
from reanalyses.zeros import unsigned_zeros

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from sphinx.application import Sphinx

logger = logging.getLogger(__name__)


class ExpressionError(Exception):
    """Error for an expression in prose that has no text."""


def display_text(source: str) -> str:
    """Return a value's text in prose, given its ``repr``; reject values that JupyterLab shows differently."""
    if re.fullmatch(r"-?\d+", source):
        return source
    try:
        value = ast.literal_eval(source)
    except (SyntaxError, ValueError):
        value = None
    if not isinstance(value, str):
        raise ExpressionError(f'is {source}; expected a string, such as f"{{x:.2f}}", or a whole number')
    if value != source[1:-1]:  # JupyterLab removes the quotes and shows the rest unchanged
        raise ExpressionError(f"is {source}, with an escaped character, which JupyterLab shows escaped")
    return unsigned_zeros(value)


def evaluator(client: NotebookClient, texts: Texts) -> Callable[..., Coroutine[Any, Any, None]]:
    """Return a hook for `NotebookClient.on_cell_start` that evaluates the expressions of Markdown cells into `texts`."""

    async def evaluate(cell: Any, cell_index: int) -> None:
        asked = expressions(cell.source) if cell.cell_type == "markdown" else []
        if not asked:
            return
        assert client.kc is not None
        request = client.kc.execute(
            "", store_history=False, user_expressions={str(i): text for i, text in enumerate(asked)}
        )
        reply = await client.async_wait_for_reply(request)
        assert reply is not None
        values = texts[str(cell_index)] = {}
        for number, result in reply["content"]["user_expressions"].items():
            expression = asked[int(number)]
            try:
                if result["status"] != "ok":
                    raise ExpressionError(f"raises {result['ename']}: {result['evalue']}")
                values[expression] = display_text(result["data"]["text/plain"])
            except ExpressionError as error:
                raise ExpressionError(f"Cell {cell_index + 1}: {{eval}}`{expression}` {error}") from None

    return evaluate


def setup(app: Sphinx) -> dict[str, bool]:
    """Replace MyST-NB's role, which needs a kernel when Sphinx reads pages."""

    def role(
        name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: Any
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        env = inliner.document.settings.env
        texts: Texts = env.temp_data.get(executed_pages.TEXTS, {})
        # MyST-NB counts the lines of cell i (from 0) from 10,000 (i + 1).
        value = texts.get(str(lineno // 10_000 - 1), {}).get(text.replace("\n", " ").strip())
        if value is None:
            location = (env.docname, lineno)
            logger.warning("No value for {eval}`%s`; only notebooks have values", text, location=location)
        return [nodes.Text(value or "")], []

    app.add_role("eval", role, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
