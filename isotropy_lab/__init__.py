"""Measures of the geometry of embeddings.

The wings are subpackages: `isotropy_lab.isotropy` measures how uniformly a cloud of points fills its space,
`isotropy_lab.association` how much word lists have in common, `isotropy_lab.projection` how faithful a projection of
data is, `isotropy_lab.retrieval` how well questions find their answers, `isotropy_lab.comparison` how far two sets of
vectors agree. `report_card` measures any vectors and writes everything on one page, `compare` sets several models side by side, `isotropy_lab.plots` draws them.
`isotropy_lab.vectors` holds bundled word vectors, loaders and an encoder, `isotropy_lab.moments` one-pass means and
covariances, `isotropy_lab.transforms` transformers that raise isotropy. Everything is imported on first use, so that
``import isotropy_lab`` stays quick.
"""

from __future__ import annotations

import importlib
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isotropy_lab import association as association
    from isotropy_lab import comparison as comparison
    from isotropy_lab import isotropy as isotropy
    from isotropy_lab import moments as moments
    from isotropy_lab import plots as plots
    from isotropy_lab import projection as projection
    from isotropy_lab import retrieval as retrieval
    from isotropy_lab import transforms as transforms
    from isotropy_lab import vectors as vectors
    from isotropy_lab.association.weat import weat as weat
    from isotropy_lab.isotropy import isoscore as isoscore
    from isotropy_lab.isotropy import isoscore_interval as isoscore_interval
    from isotropy_lab.isotropy import isotropy_scores as isotropy_scores
    from isotropy_lab.projection import projection_quality as projection_quality
    from isotropy_lab.report import compare as compare
    from isotropy_lab.report import report_card as report_card

try:
    __version__ = metadata.version("isotropy-lab")
except metadata.PackageNotFoundError:  # a source tree that was never installed
    __version__ = "0+unknown"

if sys.platform == "emscripten":  # a browser, where NumPy has no BLAS
    from isotropy_lab import _webassembly

    _webassembly.install()

_MODULES = (
    "association",
    "comparison",
    "isotropy",
    "moments",
    "plots",
    "projection",
    "retrieval",
    "transforms",
    "vectors",
)
_HOMES = {
    "compare": "report",
    "isoscore": "isotropy",
    "isoscore_interval": "isotropy",
    "isotropy_scores": "isotropy",
    "projection_quality": "projection",
    "report_card": "report",
    "weat": "association",
}

__all__ = [
    "__version__",
    "association",
    "compare",
    "comparison",
    "isoscore",
    "isoscore_interval",
    "isotropy",
    "isotropy_scores",
    "moments",
    "plots",
    "projection",
    "projection_quality",
    "report_card",
    "retrieval",
    "transforms",
    "vectors",
    "weat",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
