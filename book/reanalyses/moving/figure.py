"""Base class of interactive figures: a title, a sentence, data, and a script, embedded in the page."""

from __future__ import annotations

import dataclasses
import html
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any


@dataclasses.dataclass(frozen=True)
class MovingFigure:
    """An interactive figure that computes in the page, without libraries or network access."""

    name: str  #: Name of its script in this folder: ``cloud`` uses ``cloud.js``.
    #: title, notice: the title above the figure, and one sentence on what to notice.
    title: str
    notice: str
    alternative: str  #: Description of the figure for readers without scripts.
    data: Mapping[str, Any]  #: Input to the script, in types that JSON can represent.

    def _repr_html_(self) -> str:
        """Return the figure as one HTML element."""
        # A script element would end at any "</script" in its text.
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
