"""Additions to Jupyter Book: address, version line, assets, reading times, and a check for alt text.

All addresses that contain the public address of the repository derive from ``[project.urls]`` in pyproject.toml.
"""

import datetime
import functools
import html
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx_proof.domain import ProofDomain

from reanalyses import lessons

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = "appendix/glossary"
PHRASES = ROOT / "book" / "search.toml"
logger = logging.getLogger(__name__)


def project() -> dict[str, Any]:
    """Return the ``[project]`` table in pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def configure_site(app: Sphinx, config: Config) -> None:
    """Set the address, version, and year for the theme; the build adds the commit to pages."""
    metadata = project()
    options = config.html_theme_options
    options["repository_url"] = metadata["urls"]["Repository"]
    # The sidebar already has the search field.
    options["navbar_persistent"] = []
    config.html_context.setdefault("default_mode", "auto")
    options["logo"] = {"text": config.html_title}  # text next to the logo
    config.html_baseurl = metadata["urls"]["Documentation"] + "/"
    options["repository_branch"] = "main"
    options["path_to_docs"] = "book"
    options["use_repository_button"] = options["use_issues_button"] = True
    options["extra_footer"] = (
        f'<p class="il-version">isotropy_lab {metadata["version"]}, not signed. '
        "Text and code: MIT license. Bundled data keep their own licenses.</p>"
    )
    config.copyright = f"{datetime.date.today().year}, {config.author}"
    config.version = config.release = metadata["version"]
    # Not under _static: Jupyter Book would load every script there on every page, twice for MathJax.
    config.html_static_path = [*config.html_static_path, "_vendor"]
    config.html_search_scorer = str(ROOT / "book" / "_ext" / "search_scorer.js")
    config.mathjax_path = "mathjax/tex-mml-chtml.js"


def read_in_parallel(app: Sphinx, env: BuildEnvironment, pages: list[str]) -> None:
    """Declare that extensions without a declaration support reading in parallel."""
    # Theorems are stored in the environment, which is merged, and not in their domain.
    ProofDomain.merge_domaindata = lambda *_: None
    for name in ("sphinx_jupyterbook_latex", "sphinx_multitoc_numbering"):
        if name in app.extensions:
            app.extensions[name].parallel_read_safe = True


def write_all_if_titles_changed(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Return all pages if the title of a page or section has changed, since other pages may show it."""
    titles = {page: title.astext() for page, title in env.titles.items()}
    labels = env.get_domain("std").labels
    current = repr((titles, sorted(labels.items()), env.toc_secnumbers))
    file = Path(app.doctreedir, "names.txt")
    if file.exists() and file.read_text(encoding="utf-8") == current:
        return []
    # If a page is given, the others are not written.
    if not os.environ.get("ISOTROPY_LAB_PAGE"):
        file.write_text(current, encoding="utf-8")
    return list(env.all_docs)


def remove_thebe(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Remove the theme's Thebe scripts, which require a server to run code; `isotropy_lab_live` does not."""

    def is_needed(script: Any) -> bool:
        text = f"{getattr(script, 'filename', script)} {getattr(script, 'attributes', {}).get('body', '')}"
        return "thebe" not in text.lower()

    context["script_files"] = [script for script in context.get("script_files", []) if is_needed(script)]
    if "body" in context:
        context["body"] = re.sub(
            r'(?s)<script type="text/x-thebe-config">.*?</script>\s*<script>kernelName = .*?</script>',
            "",
            context["body"],
        )


def require_alt_text(app: Sphinx, doctree: nodes.document) -> None:
    """Warn about (and so fail the build for) images without alt text."""
    for image in doctree.findall(nodes.image):
        alt = image.get("alt", "")
        uri = Path(image.get("uri", ""))
        if len(alt.split()) < 4 or (uri.stem and uri.stem in alt):
            logger.warning("Image %s has no alt text", uri.name, location=image, type="alt")


def show_reading_time(app: Sphinx, doctree: nodes.document) -> None:
    """Show below the title of a lesson how long it takes."""
    file = Path(app.env.doc2path(app.env.docname))
    if file.suffix != ".ipynb":
        return
    page = lessons.read(file)
    title = next(doctree.findall(nodes.title), None)
    if page.kind != "lesson" or title is None:
        return
    sentence = (
        f"About {page.minutes_with_code} minutes: {page.minutes} for the text and the waits, and a minute and a half for each "
        f"cell (an estimate, at {lessons.WORDS_PER_MINUTE} words a minute). The {page.exercises} exercises take about "
        f"{page.exercise_minutes} more."
    )
    line = nodes.paragraph("", sentence, classes=["il-reading-time"])
    title.parent.insert(title.parent.index(title) + 1, line)


def add_phrases(app: Sphinx, doctree: nodes.document) -> None:
    """Add phrases that people search for but that a page may word differently."""
    app.env.note_dependency(str(PHRASES))
    if phrases := search_phrases().get(app.env.docname):
        entries = [("single", phrase, "", "main", None) for phrase in phrases]
        doctree.insert(0, addnodes.index(entries=entries))


@functools.cache
def search_phrases() -> dict[str, list[str]]:
    """Return the search phrases of each page."""
    pages = tomllib.loads(PHRASES.read_text(encoding="utf-8"))
    return {page: entry["phrases"] for page, entry in pages.items()}


def position_in_part(app: Sphinx, page: str) -> tuple[int, int] | None:
    """Return the position of a lesson in its part, and the number of lessons of the part."""
    lessons_of_part = [
        candidate
        for candidate in app.env.toctree_includes.get("index", [])
        if candidate.startswith(page.split("/")[0] + "/") and is_lesson(app, candidate)
    ]
    return (lessons_of_part.index(page) + 1, len(lessons_of_part)) if page in lessons_of_part else None


def is_lesson(app: Sphinx, page: str) -> bool:
    """Return whether a page is a lesson."""
    file = app.env.doc2path(page)
    return file.endswith(".ipynb") and kind_of(file) == "lesson"


@functools.cache
def kind_of(file: str) -> str:
    """Return the kind of a notebook, cached because each page requests all kinds."""
    return lessons.read(file).kind


def count_lessons(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Show the number of a lesson within its part before its minutes."""
    position = position_in_part(app, docname)
    for line in doctree.findall(nodes.paragraph):
        if position and "il-reading-time" in line["classes"]:
            line.insert(0, nodes.Text("Lesson {} of {}. ".format(*position)))


def link_only_lessons(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Make the links at the end of a lesson lead to lessons and first pages of parts, not to case files."""
    pages = app.env.toctree_includes.get("index", [])
    if pagename not in pages:
        return
    sequence = [neighbor for neighbor in pages if neighbor.endswith("/index") or is_lesson(app, neighbor)]
    if pagename not in sequence:
        return
    position = sequence.index(pagename)
    for name, neighbors in (("prev", sequence[:position][-1:]), ("next", sequence[position + 1 :])):
        for neighbor in neighbors[:1]:
            context[name] = {
                "link": app.builder.get_relative_uri(pagename, neighbor),
                "title": html.escape(app.env.titles[neighbor].astext()),
            }


def define_terms(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add the definition as the title of links to the glossary, which terms.js shows."""
    if docname == GLOSSARY or GLOSSARY not in app.env.found_docs:
        return
    definitions = definitions_of(app)
    for link in doctree.findall(nodes.reference):
        address, _, term = link.get("refuri", "").partition("#")
        if address.endswith("glossary.html") and term in definitions:
            link["reftitle"] = definitions[term]


def definitions_of(app: Sphinx) -> dict[str, str]:
    """Return the definitions in the glossary, without formulas, keyed by the addresses of terms."""
    if not hasattr(app, "isotropy_lab_definitions"):
        definitions: dict[str, str] = {}
        entries = app.env.get_doctree(GLOSSARY).findall(nodes.definition_list_item)
        for entry in entries:
            *terms, definition = entry.children
            if not any(definition.findall(nodes.math)):
                text = " ".join(definition.astext().split())
                definitions |= {name: text for term in terms for name in term["ids"]}
        app.isotropy_lab_definitions = definitions
    return app.isotropy_lab_definitions


def split_joint_attributes(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Split "low, high : float" into two entries, since Sphinx would parse the first name as a type."""
    if "Attributes" not in lines:
        return
    start = lines.index("Attributes") + 2
    entries: list[str] = []
    remaining = lines[start:]
    while remaining:
        entry = [remaining.pop(0)]
        while remaining and (remaining[0].startswith(" ") or not remaining[0]):
            entry.append(remaining.pop(0))
        match = re.fullmatch(r"(\w+(?:, \w+)+)( : .*)?", entry[0])
        if match is None:
            entries += entry
            continue
        for attribute in match[1].split(", "):
            entries += [attribute + (match[2] or ""), *entry[1:]]
    lines[start:] = entries


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers."""
    app.connect("config-inited", configure_site, priority=900)
    app.connect("env-before-read-docs", read_in_parallel)
    app.connect("env-updated", write_all_if_titles_changed, priority=950)
    app.connect("html-page-context", remove_thebe, priority=900)
    app.connect("doctree-read", require_alt_text)
    app.connect("doctree-read", show_reading_time)
    app.connect("doctree-read", add_phrases)
    app.connect("doctree-resolved", count_lessons)
    app.connect("doctree-resolved", define_terms)
    app.connect("html-page-context", link_only_lessons)
    app.connect("autodoc-process-docstring", split_joint_attributes, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
