"""Metadata of the site: descriptions of pages, sitemap.xml, llms.txt, versions.json, and citations."""

import functools
import html
import json
import subprocess
from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx

from isotropy_lab_book import ROOT, project
from reanalyses import lessons


def store_description(app: Sphinx, doctree: nodes.document) -> None:
    """Store the first long paragraph outside boxes, other than the reading time, as the description."""
    for paragraph in doctree.findall(nodes.paragraph):
        in_text = isinstance(paragraph.parent, (nodes.section, nodes.document))
        text = " ".join(paragraph.astext().split())
        if in_text and len(text) > 40 and not paragraph["classes"]:
            app.env.metadata[app.env.docname]["description"] = text
            return


def address(pagename: str) -> str:
    """Return the address of a page of the published site."""
    return f"{project()['urls']['Documentation']}/{pagename}.html"


def add_metadata(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Add the description to a page's head for search engines and schema.org, and data to cite.html."""
    if doctree is not None:
        cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        context["citation"] = yaml.safe_load(cff)
        context["site_versions"] = versions()
    text = app.env.metadata.get(pagename, {}).get("description")
    if doctree is None or text is None:
        return
    kind = "Book" if pagename == "index" else "Chapter"
    facts = {
        "@context": "https://schema.org",
        "@type": ["LearningResource", kind],
        "name": app.env.titles[pagename].astext(),
        "description": text,
        "url": address(pagename),
        "isPartOf": {"@type": "Book", "name": app.config.html_title},
        "author": {"@type": "Organization", "name": app.config.author},
        "license": "https://opensource.org/license/mit",
        "version": app.config.release,
        "inLanguage": "en",
    }
    file = app.env.doc2path(pagename)
    if file.endswith(".ipynb") and lessons.read(file).kind == "lesson":
        facts["timeRequired"] = f"PT{lessons.minutes(file)}M"
    data = json.dumps(facts, ensure_ascii=False).replace("</", "<\\/")
    context["metatags"] = (
        f'{context.get("metatags", "")}<meta name="description" property="og:description" '
        f'content="{html.escape(text)}">\n'
        f'<script type="application/ld+json">{data}</script>\n'
    )


@functools.cache
def versions() -> list[dict[str, str]]:
    """Return the versions: the newest at the root of the site, and each tag in a folder of its name."""
    root, current = project()["urls"]["Documentation"], project()["version"]
    command = ["git", "-C", str(ROOT), "tag", "-l", "v*", "--sort=-v:refname"]
    try:
        tags = subprocess.check_output(command, text=True, stderr=subprocess.DEVNULL).split()
    except (OSError, subprocess.CalledProcessError):
        tags = []  # not a Git checkout
    tagged = {tag.removeprefix("v"): f"{root}/{tag}/" for tag in tags}
    newest = {"newest" if current in tagged else current: f"{root}/"}
    entries = (newest | tagged).items()
    return [{"version": name, "url": url} for name, url in entries]


def write_lists(app: Sphinx, exception: Exception | None) -> None:
    """Write the lists of pages and versions, and the contents in Markdown for language models."""
    if exception is not None or app.builder.name != "html":
        return
    pages = sorted(app.env.found_docs)
    entries = "".join(f"<url><loc>{address(page)}</loc></url>\n" for page in pages)
    sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{entries}</urlset>\n'
    lines = [f"# {app.config.html_title}", "", f"> {app.env.metadata['index'].get('description', '')}", ""]
    for page in pages:
        text = app.env.metadata.get(page, {}).get("description", "")
        lines.append(f"- [{app.env.titles[page].astext()}]({address(page)}): {text}".rstrip(": "))
    Path(app.outdir, "sitemap.xml").write_text(sitemap, encoding="utf-8")
    Path(app.outdir, "versions.json").write_text(json.dumps(versions(), indent=1), encoding="utf-8")
    Path(app.outdir, "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the Sphinx event handlers."""
    app.connect("doctree-read", store_description)
    app.connect("html-page-context", add_metadata)
    app.connect("build-finished", write_lists)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
