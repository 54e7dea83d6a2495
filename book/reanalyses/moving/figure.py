"""What every figure that moves is: a title, a sentence, data and a script, which stand in the page by themselves."""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

__all__ = ["MovingFigure"]


@dataclasses.dataclass(frozen=True)
class MovingFigure:
    """A figure that computes in the page: on the site, in JupyterLab and in the tab, with no library and no network."""

    name: str  #: Of its script beside this module: ``cloud`` has ``cloud.js``.
    #: title, notice: above the figure: what it is, and one sentence of what to notice.
    title: str
    notice: str
    alternative: str  #: What the figure shows, for readers without scripts.
    data: Mapping[str, Any]  #: What the script gets; it must fit into JSON.

    def _repr_html_(self) -> str:
        """Return the figure as one element of a page."""
        # Text in a script element ends at "</script", wherever that stands.
        data = json.dumps(self.data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        start = (
            f"document.querySelectorAll('.il-moving[data-figure=\"{self.name}\"]:not([data-ready])').forEach((root) => {{\n"
            '  root.dataset.ready = "";\n'
            "  figure(root, JSON.parse(root.querySelector(\"script[type='application/json']\").textContent));\n});"
        )
        script = (
            f'(() => {{\n"use strict";\n{_asset("shared.js")}\n{_asset(f"{self.name}.js")}\n{start}\n}})();'
        )
        return (
            f'<div class="il-moving" data-figure="{self.name}" role="group" aria-label="{html.escape(self.title)}">'
            f"<style>{_asset('moving.css')}</style>"
            f'<p class="ilm-title">{html.escape(self.title)}</p><p class="ilm-notice">{html.escape(self.notice)}</p>'
            f"<noscript><p>{html.escape(self.alternative)}</p></noscript>"
            f'<script type="application/json">{data}</script><script>{script}</script></div>'
        )


def _asset(name: str) -> str:
    return resources.files("reanalyses.moving").joinpath(name).read_text(encoding="utf-8")
