"""Execution of cells as in a notebook, but without IPython, for use in the browser.

A `Session` contains the namespace of a page. `Session.run` runs a cell and reports events through a function: printed
output, as it is printed; values shown with `display` and by the last line, as a mapping of MIME types to texts, with
figures in the house style; and errors, with a traceback that refers to lines of cells.
"""

from __future__ import annotations

import ast
import builtins
import io
import linecache
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from types import CodeType, TracebackType
from typing import Any

from reanalyses.zeros import unsigned_zeros

#: Line width and maximum number of items in IPython's display of a value.
WIDTH = 79
MAX_ITEMS = 1000

#: MIME types with the corresponding methods of objects.
METHODS = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "image/svg+xml": "_repr_svg_",
    "text/latex": "_repr_latex_",
}


#: A function that receives events: their kind ("stream", "display", or "error") and their fields.
Report = Callable[[str, dict[str, Any]], None]


class Session:
    """The namespace of a page, and the number of cells that have run."""

    def __init__(self, report: Report) -> None:
        # threadpoolctl requests libraries from Pyodide in an outdated way.
        warnings.filterwarnings("ignore", module="threadpoolctl")
        self._send = report
        self._earlier_figures: set[int] = set()
        # Streams for the output of `report` itself while a cell runs.
        self._outer_streams: tuple[Any, Any] | None = None
        self.names: dict[str, Any] = {
            "__name__": "__main__",
            "__builtins__": builtins,
            "display": self.display,
        }
        self.count = 0
        self.styled = False

    def report(self, kind: str, fields: dict[str, Any]) -> None:
        """Report an event; output of the reporting function is not attributed to the cell, to prevent a loop."""
        if self._outer_streams is None:
            self._send(kind, fields)
            return
        with redirect_stdout(self._outer_streams[0]), redirect_stderr(self._outer_streams[1]):
            self._send(kind, fields)

    def run(self, source: str, name: str) -> bool:
        """Run a cell, and return whether it finished without an error."""
        self.count += 1
        self._outer_streams = sys.stdout, sys.stderr
        self._earlier_figures = _figures()  # figures that existed before do not belong to the cell
        file = f"<{name}, run {self.count}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        out, err = _Stream("stdout", self.report), _Stream("stderr", self.report)
        with redirect_stdout(out), redirect_stderr(err):
            try:
                self._style_figures(source)
                body, last = _compile_cell(source, file)
                exec(body, self.names)  # noqa: S102 runs the reader's own cell, in the reader's own browser
                if last is not None:
                    self._show(eval(last, self.names))  # noqa: S307 an expression of the page or its reader, in the reader's own browser
                self._show_figures()
                succeeded = True
            except BaseException as error:
                self._close_figures()
                out.flush()
                err.flush()
                self._report_error(error, name)
                succeeded = False
            out.flush()
            err.flush()
        self._outer_streams = None
        return succeeded

    def evaluate(self, expression: str) -> str | None:
        """Return the text of an expression in the prose; an error is reported, and the result is None."""
        try:
            return unsigned_zeros(str(eval(expression, self.names)))  # noqa: S307 an expression of the page or its reader, in the reader's own browser
        except Exception as error:
            self._report_error(error, "the text")
            return None

    def display(self, *values: Any) -> None:
        """Display values in the same way as the last line of a cell."""
        for value in values:
            self._emit(bundle(value), value=False)

    def _emit(self, texts: dict[str, str], *, value: bool) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.report("display", {"data": texts, "value": value})

    def _show(self, value: Any) -> None:
        if value is None:
            return
        self.names["_"] = value
        if callable(display := getattr(value, "_ipython_display_", None)) and not isinstance(value, type):
            display()  # as in a notebook, an object with this method displays itself
        else:
            self._emit(bundle(value), value=True)

    def _style_figures(self, source: str) -> None:
        """Apply the book's style once a cell appears to draw a figure, because importing Matplotlib takes seconds."""
        if not self.styled and re.search("plot|figures|seaborn", source):
            import matplotlib as mpl

            from reanalyses import style

            mpl.rcParams.update(style.SETTINGS)
            self.styled = True

    def _show_figures(self) -> None:
        """Display the open pyplot figures of the cell, as notebooks do."""
        for number in sorted(_figures() - self._earlier_figures):
            figure = sys.modules["matplotlib.pyplot"].figure(number)
            if figure.axes or figure.texts:
                self.display(figure)
        self._close_figures()

    def _close_figures(self) -> None:
        for number in _figures() - self._earlier_figures:
            sys.modules["matplotlib.pyplot"].close(number)

    def _report_error(self, error: BaseException, name: str) -> None:
        kind = type(error).__name__
        # The message of a syntax error would contain the internal file name of the cell.
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        if isinstance(error, SyntaxError) and error.text and error.text.lstrip().startswith(("%", "!")):
            message = f"{error.text.strip()!r} is a command of JupyterLab; here, a cell contains only Python"
        if isinstance(error, FileNotFoundError) and sys.platform == "emscripten":
            message += "; Python in the browser cannot see your files: save the page as a notebook, and run it in JupyterLab"
        self.report("error", {"name": kind, "message": message, "traceback": _short_traceback(error, name)})


def _figures() -> set[int]:
    """Return the numbers of the open pyplot figures."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set() if pyplot is None else set(pyplot.get_fignums())


class _Stream(io.TextIOBase):
    """A stream that reports printed text line by line."""

    def __init__(self, name: str, report: Report) -> None:
        self.name, self.report, self.buffer = name, report, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.buffer += text
        if "\n" in text or len(self.buffer) > 1000:
            self.flush()
        return len(text)

    def flush(self) -> None:
        text, self.buffer = self.buffer, ""
        if text:
            self.report("stream", {"name": self.name, "text": text})


def bundle(value: Any) -> dict[str, str]:
    """Return the representations of a value in a notebook: MIME types and texts."""
    if type(value).__name__ == "Figure" and "matplotlib.figure" in sys.modules:
        from reanalyses import style

        return {"image/svg+xml": style.svg(value), "text/plain": repr(value)}
    if isinstance(value, type):  # the methods of a class belong to its instances
        return {"text/plain": pretty(value)}
    data: dict[str, str] = {}
    if callable(method := getattr(value, "_repr_mimebundle_", None)):
        texts = method(include=None, exclude=None)
        texts = texts[0] if isinstance(texts, tuple) else texts
        data |= {mime: text for mime, text in (texts or {}).items() if isinstance(text, str)}
    for mime, attribute in METHODS.items():
        if mime not in data and callable(method := getattr(value, attribute, None)):
            text = method()
            if text is not None:
                data[mime] = str(text)
    data.setdefault("text/plain", pretty(value))
    return data


def pretty(value: Any, indent: int = 0, column: int | None = None) -> str:
    """Return a value as text; as in IPython, a container that exceeds one line has one item per line.

    `indent` is the nesting depth of the value, and `column` the column at which it begins.
    """
    brackets_by_type: dict[type[Any], str] = {list: "[]", tuple: "()", dict: "{}", set: "{}"}
    brackets = brackets_by_type.get(type(value))
    if brackets is None or not value:
        return repr(value)
    items: list[Any] = list(value.items() if isinstance(value, Mapping) else value)
    if isinstance(value, set):
        with suppress(TypeError):
            items = sorted(items)
    ellipsis = ["..."] if len(items) > MAX_ITEMS else []

    def format_item(item: Any) -> str:
        if isinstance(value, dict):
            key = f"{pretty(item[0], indent + 1)}: "
            return key + pretty(item[1], indent + 1, indent + 1 + len(key))
        return pretty(item, indent + 1)

    texts = [format_item(item) for item in items[:MAX_ITEMS]] + ellipsis
    comma = "," if isinstance(value, tuple) and len(items) == 1 else ""
    line = brackets[0] + ", ".join(texts) + comma + brackets[1]
    if (indent if column is None else column) + len(line) <= WIDTH and "\n" not in line:
        return line
    return brackets[0] + (",\n" + " " * (indent + 1)).join(texts) + comma + brackets[1]


def _compile_cell(source: str, file: str) -> tuple[CodeType, CodeType | None]:
    """Return the compiled code of a cell, and of its last line if it is an expression to display."""
    tree = ast.parse(source, file)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not _ends_with_semicolon(source, tree.body[-1]):
        expression = tree.body.pop()
        assert isinstance(expression, ast.Expr)
        last = compile(ast.Expression(expression.value), file, "eval")
    return compile(tree, file, "exec"), last


def _ends_with_semicolon(source: str, last: ast.Expr) -> bool:
    """Return whether the last expression is followed by a semicolon."""
    lines = source.encode().splitlines()
    assert last.end_lineno is not None
    return lines[last.end_lineno - 1][last.end_col_offset :].lstrip().startswith(b";")


def _short_traceback(error: BaseException, name: str) -> str:
    """Return a short traceback: the lines in cells, then the line of the module that raised the error."""
    lines = ["Traceback (most recent call last):"]
    frames = traceback.extract_tb(_skip_frames_before_cell(error.__traceback__))
    for frame in frames:
        if frame.filename.startswith("<") and ", run " in frame.filename:
            function = "" if frame.name == "<module>" else f", in {frame.name}"
            lines += [
                f"  {frame.filename[1:].rpartition(', run ')[0]}, line {frame.lineno}{function}",
                f"    {frame.line}",
            ]
    if frames and not frames[-1].filename.startswith("<"):
        module = frames[-1].filename.rpartition("site-packages/")[2].removesuffix(".py").replace("/", ".")
        lines.append(f"  {module}, line {frames[-1].lineno}, in {frames[-1].name}")
    if isinstance(error, SyntaxError) and error.text:
        caret = " " * (max((error.offset or 1) - 1, 0) - len(error.text) + len(error.text.lstrip()))
        lines += [f"  {name}, line {error.lineno}", f"    {error.text.strip()}", f"    {caret}^"]
    return "\n".join(lines) if len(lines) > 1 else ""


def _skip_frames_before_cell(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and ", run " not in trace.tb_frame.f_code.co_filename:
        trace = trace.tb_next
    return trace
