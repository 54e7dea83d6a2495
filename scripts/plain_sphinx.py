"""Build the site with plain Sphinx and the newest MyST-NB: ``python scripts/plain_sphinx.py FOLDER``.

Jupyter Book 1 requires Sphinx below 8. This build does not use it; it runs once a week to show that
`_config.yml`, contents, and extensions also work with newer versions. It needs the dependency group `sphinx`,
and the notebooks that `make book` has executed.
"""

import sys
from pathlib import Path
from typing import Any

import yaml
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
#: Extensions that Jupyter Book loads and this book uses.
EXTENSIONS = ("myst_nb", "sphinx_book_theme", "sphinx_copybutton", "sphinx_design", "sphinx_external_toc")
EXTENSIONS += ("sphinx_togglebutton", "sphinxcontrib.bibtex")


def configuration(book: dict[str, Any]) -> dict[str, Any]:
    """Return the settings in `_config.yml` under Sphinx's names."""
    sphinx, parse = book["sphinx"], book["parse"]
    values = {
        "author": book["author"],
        "bibtex_bibfiles": book["bibtex_bibfiles"],
        "exclude_patterns": book["exclude_patterns"],
        "extensions": [*EXTENSIONS, *sphinx["extra_extensions"], *sphinx["local_extensions"]],
        "external_toc_exclude_missing": book["only_build_toc_files"],
        "external_toc_path": (ROOT / "_toc.yml").as_posix(),
        "html_favicon": book["html"]["favicon"],
        "html_static_path": ["_static"],
        "html_theme": "sphinx_book_theme",
        "html_theme_options": {"home_page_in_toc": True, "launch_buttons": book["launch_buttons"]},
        "html_title": book["title"],
        "myst_enable_extensions": parse["myst_enable_extensions"],
        "myst_heading_anchors": parse["myst_heading_anchors"],
        "nb_execution_mode": book["execute"]["execute_notebooks"],
        "nitpicky": True,
        "use_multitoc_numbering": True,
    }
    return values | sphinx["config"]


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "book"), str(ROOT / "book" / "_ext")]
    target = Path(sys.argv[1]).resolve()
    values = configuration(yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8")))
    application = Sphinx(ROOT / "book", None, target, target / ".doctrees", "html", values, parallel=2)
    application.build()
    raise SystemExit(application.statuscode)
