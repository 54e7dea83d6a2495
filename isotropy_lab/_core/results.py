"""Base class of results, with conversion to a dictionary, a table, or readable text."""

from __future__ import annotations

import dataclasses
import html
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Result"]

_MAX_LINE = 110
"""Maximum length of a result's text on a single line."""


class Result:
    """Base class of the frozen dataclasses that measures return."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain Python values for JSON, with arrays as lists."""
        return {name: _to_plain(value) for name, value in _fields(self).items()}

    def to_frame(self) -> pd.DataFrame:
        """Return scalar and vector fields as a table with one row, or one row per vector entry.

        Scalars are repeated in every row, and fields of nested results are named "name.field". Vectors are
        included if all have equal length; other vectors, matrices, and dictionaries are only in `to_dict`.
        """
        import pandas as pd

        fields = _fields(self)
        vectors = {
            name: value for name, value in fields.items() if isinstance(value, np.ndarray) and value.ndim == 1
        }
        if len({len(value) for value in vectors.values()}) != 1:
            vectors = {}
        n_rows = len(next(iter(vectors.values()))) if vectors else 1
        scalars = (bool, int, float, str, np.generic, type(None))
        columns = {
            name: value
            for name, value in _flatten(fields).items()
            if name in vectors or isinstance(value, scalars)
        }
        return pd.DataFrame(columns, index=pd.RangeIndex(n_rows))

    def __str__(self) -> str:
        """Return the class name and fields, with four significant digits, and shapes instead of arrays."""
        formatted = [(name, _format(value)) for name, value in _fields(self).items()]
        line = f"{type(self).__name__}({', '.join(f'{name}={text}' for name, text in formatted)})"
        if len(line) <= _MAX_LINE and "\n" not in line:
            return line
        width = max(len(name) for name, _ in formatted)
        indented = [(name, text.replace("\n", "\n" + " " * (width + 4))) for name, text in formatted]
        return "\n".join(
            [type(self).__name__, *(f"  {name:{width}}  {text}".rstrip() for name, text in indented)]
        )

    def _repr_html_(self) -> str:
        """Return the text of a result that has its own, or else its fields as a table, for notebooks."""
        if type(self).__str__ is not Result.__str__:
            style = "font-family:monospace;white-space:pre;word-break:normal;overflow-x:auto"
            return f'<pre style="{style}">{html.escape(str(self))}</pre>'
        rows = (
            f'<tr><th scope="row">{html.escape(name)}</th><td>{html.escape(_format(value))}</td></tr>'
            for name, value in _fields(self).items()
        )
        return f"<table><caption>{type(self).__name__}</caption><tbody>{''.join(rows)}</tbody></table>"


def _fields(result: Result) -> dict[str, Any]:
    return {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}  # type: ignore[arg-type]


def _flatten(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields, with nested results replaced by their own fields."""
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, Result):
            flat |= {f"{name}.{key}": item for key, item in _flatten(_fields(value)).items()}
        else:
            flat[name] = value
    return flat


def _to_plain(value: Any) -> Any:
    if isinstance(value, Result):
        return value.to_dict()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if _is_table(value):
        return _to_plain(value.to_dict("records"))
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(key): _to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(item) for item in value]
    return value


def _is_table(value: Any) -> bool:
    return hasattr(value, "columns") and hasattr(value, "to_dict")  # a DataFrame; pandas is not imported


def _format(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"array{value.shape}"
    if _is_table(value):
        return f"table{value.shape}"
    return str(value) if isinstance(value, (Result, str, np.generic)) else repr(value)
