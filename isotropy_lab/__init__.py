"""Measures of the geometry of embeddings.

There is one subpackage per topic: `isotropy_lab.isotropy` measures how uniformly a cloud of points fills its
space, `isotropy_lab.association` how similar word lists are, `isotropy_lab.projection` how faithful a
projection is, and `isotropy_lab.retrieval` how well questions find their answers. `isotropy_lab.transforms`
contains transformers that increase isotropy, and `moments` computes means and covariances in one pass. All
modules are imported on first use, so that ``import isotropy_lab`` is fast. To analyze your own files, use the
package `isotropy_report`.
"""

from __future__ import annotations

import importlib
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isotropy_lab import association as association
    from isotropy_lab import isotropy as isotropy
    from isotropy_lab import projection as projection
    from isotropy_lab import retrieval as retrieval
    from isotropy_lab import transforms as transforms
    from isotropy_lab._core.moments import Moments as Moments
    from isotropy_lab._core.moments import moments as moments
    from isotropy_lab.association import weat as weat
    from isotropy_lab.isotropy import isoscore as isoscore
    from isotropy_lab.isotropy import isoscore_interval as isoscore_interval
    from isotropy_lab.isotropy import isotropy_scores as isotropy_scores
    from isotropy_lab.projection import projection_quality as projection_quality

try:
    __version__ = metadata.version("isotropy-lab")
except metadata.PackageNotFoundError:  # running from a source tree that is not installed
    __version__ = "0+unknown"

_SUBPACKAGES = ("association", "isotropy", "projection", "retrieval", "transforms")
_MODULES = {
    "Moments": "_core.moments",
    "isoscore": "isotropy",
    "isoscore_interval": "isotropy",
    "isotropy_scores": "isotropy",
    "moments": "_core.moments",
    "projection_quality": "projection",
    "weat": "association",
}

__all__ = ["__version__", *_SUBPACKAGES, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _MODULES:
        return getattr(importlib.import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__]
