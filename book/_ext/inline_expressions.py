"""Numbers in the prose: the role ``eval``, as JupyterLab with its MyST extension understands it.

``{eval}`f"{score:.2f}"``` in a Markdown cell stands for the value that the expression has at that place of the run. The
build asks the kernel for it there (`evaluator`), keeps the texts beside the executed notebook (`keep`), and the role
puts them into the page. An expression gives a string or a whole number, which look the same on the site and in
JupyterLab; anything else, and anything that raises, fails the build.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from docutils import nodes
from nbclient import NotebookClient
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

#: Texts by number of the cell and expression.
Texts = dict[str, dict[str, str]]


class ExpressionError(Exception):
    """An expression in the prose has no text."""


def expressions(markdown: str) -> list[str]:
    """Return the expressions of a Markdown cell, in order, each once."""
    found = re.findall(r"(?s)\{eval\}(`+)(.+?)(?<!`)\1(?!`)", markdown)
    return list(
        dict.fromkeys(text.replace("\n", " ").strip() for _, text in found)
    )


def shown(plain: str) -> str:
    """Return what a value looks like in the prose, from its ``repr``; refuse what would look otherwise in JupyterLab."""
    if re.fullmatch(r"-?\d+", plain):
        return plain
    try:
        value = ast.literal_eval(plain)
    except (SyntaxError, ValueError):
        value = None
    if not isinstance(value, str):
        raise ExpressionError(
            f'is {plain}; expected a string, such as f"{{x:.2f}}", or a whole number'
        )
    if (
        value != plain[1:-1]
    ):  # JupyterLab takes the quotes off and shows the rest as it is
        raise ExpressionError(
            f"is {plain}, with an escaped character, which JupyterLab shows escaped"
        )
    return value


def evaluator(
    client: NotebookClient, texts: Texts
) -> Callable[..., Coroutine[Any, Any, None]]:
    """Return a hook for `NotebookClient.on_cell_start` that evaluates the expressions of Markdown cells into `texts`."""

    async def evaluate(cell: Any, cell_index: int) -> None:
        wanted = (
            expressions(cell.source) if cell.cell_type == "markdown" else []
        )
        if not wanted:
            return
        assert client.kc is not None
        request = client.kc.execute(
            "",
            store_history=False,
            user_expressions={str(i): text for i, text in enumerate(wanted)},
        )
        reply = await client.async_wait_for_reply(request)
        assert reply is not None
        found = texts[str(cell_index)] = {}
        for number, result in reply["content"]["user_expressions"].items():
            expression = wanted[int(number)]
            try:
                if result["status"] != "ok":
                    raise ExpressionError(
                        f"raises {result['ename']}: {result['evalue']}"
                    )
                found[expression] = shown(result["data"]["text/plain"])
            except ExpressionError as error:
                raise ExpressionError(
                    f"Cell {cell_index + 1}: {{eval}}`{expression}` {error}"
                ) from None

    return evaluate


def source_digest(book: Path, notebook: Any) -> str:
    """Return a digest over the code and the expressions, each in its cell; other words may change.

    A page that tells what stands on others, such as how long a lesson is, says so in its metadata
    (``{"isotropy_lab": {"reads": "notebooks"}}``): its digest is over all notebooks, too.
    """
    cells = [
        cell["source"]
        if cell["cell_type"] == "code"
        else expressions(cell["source"])
        for cell in notebook["cells"]
    ]
    digest = hashlib.sha256(json.dumps(cells).encode())
    if (
        notebook["metadata"].get("isotropy_lab", {}).get("reads")
        == "notebooks"
    ):
        for file in sorted([*book.glob("*.ipynb"), *book.glob("*/*.ipynb")]):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def sidecar(book: Path, page: str) -> Path:
    """Return the file with the texts of a page."""
    return book / "_build" / "expressions" / f"{page}.json"


def keep(book: Path, page: str, notebook: Any, texts: Texts) -> None:
    """Write the texts of an executed notebook."""
    file = sidecar(book, page)
    file.parent.mkdir(parents=True, exist_ok=True)
    content = {"source": source_digest(book, notebook), "texts": texts}
    file.write_text(json.dumps(content, indent=1), encoding="utf-8")


def kept(book: Path, page: str, notebook: Any) -> Texts | None:
    """Return the texts of a notebook as it stands now, {} where it has no expressions, None where they are not known."""
    if not any(
        expressions(cell["source"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "markdown"
    ):
        return {}
    file = sidecar(book, page)
    if not file.exists():
        return None
    content = json.loads(file.read_text(encoding="utf-8"))
    texts: Texts = content["texts"]
    return (
        texts if content["source"] == source_digest(book, notebook) else None
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Put our role in the place of MyST-NB's, which needs a kernel while Sphinx reads."""

    def role(
        name: str, rawtext: str, text: str, lineno: int, inliner: Any, *_: Any
    ) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        env = inliner.document.settings.env
        file = sidecar(Path(env.srcdir), env.docname)
        env.note_dependency(str(file))
        texts: Texts = (
            json.loads(file.read_text(encoding="utf-8"))["texts"]
            if file.exists()
            else {}
        )
        # MyST-NB counts the lines of cell i (from 0) from 10,000 (i + 1).
        found = texts.get(str(lineno // 10_000 - 1), {}).get(
            text.replace("\n", " ").strip()
        )
        if found is None:
            where = (env.docname, lineno)
            logger.warning(
                "no value for {eval}`%s`; only notebooks have values",
                text,
                location=where,
            )
        return [nodes.Text(found or "")], []

    app.add_role("eval", role, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
