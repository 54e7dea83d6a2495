"""Report where a two-dimensional map misrepresents the vectors, and write a page that shows it.

VECTORS are the vectors, in any format that `isotropy-lab report` reads, and each MAP has one row of two
coordinates for each vector, such as the result of UMAP or t-SNE. The output says what may be concluded from
the map, and what must not: regions that it invented or tore apart, and neighbors, distances, and densities
that the data do not have. Distances in the data are Euclidean; --metric cosine normalizes the vectors, for
maps that were made with cosines. It compares the map with t-SNE and PCA maps of the same points, and several
maps with one another. The page shows the map, and the true neighbors of a point that is clicked.

Example: isotropy-lab map vectors.npy map.npy -o map.html
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isotropy_lab._core import checks
from isotropy_report._options import use_command_names
from isotropy_report._output import check_output, replace_file
from isotropy_report.card.words import rename_in_errors
from isotropy_report.cli import arguments, inputs_of
from isotropy_report.cli.compare import names_of_files
from isotropy_report.cli.inputs import deliver_page, read_option, read_vectors, show_progress
from isotropy_report.maps import MapPage, map_page


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    arguments.add_input(parser, "file", metavar="VECTORS")
    arguments.add_input(parser, "maps", metavar="MAP", nargs="+")
    arguments.add_input(parser, "--labels")
    arguments.add_input(parser, "--texts")
    arguments.add_integer(parser, "-k", default=10)
    parser.add_argument("--metric", choices=("euclidean", "cosine"), default="euclidean")
    parser.add_argument("--points", metavar="FILE", type=Path)
    parser.add_argument("--notes", action="store_true")
    arguments.add_reading_arguments(parser)
    arguments.add_seed_and_quiet(parser)
    arguments.add_output_arguments(parser, page=True)


def run(options: argparse.Namespace) -> int:
    """Measure the maps, write the page, and print the text."""
    if options.points is not None:
        if options.points.suffix not in (".parquet", ".csv"):
            raise ValueError(f"--points is {options.points}; expected a file that ends in .parquet or .csv")
        output = {} if options.output is None else {"--output": options.output}
        check_output(options.points, inputs_of(options) | output, name="--points")
    paths = (options.file, *options.maps)
    page = page_of(options, [read_vectors(options, path, rows=False).array for path in paths])
    if options.points is not None:
        texts, table = read_option(options, "texts"), page.points
        table = table if texts is None else table.assign(text=[str(texts[i]) for i in table.row])
        parquet = options.points.suffix == ".parquet"
        content = table.to_parquet(index=False) if parquet else table.to_csv(index=False, lineterminator="\n")
        replace_file(options.points, content, name="--points")
    closing = f"{page.options['points']:,} points, {checks.how_many(options.k, 'neighbor')}."
    closing += f" The page with the picture: {options.output}" * str(options.output).endswith(".html")
    closing += "\nAdd --notes for definitions and how regions are found." * (not options.notes)
    deliver_page(page, options, closing, notes=options.notes)
    return 0


def page_of(options: argparse.Namespace, arrays: Sequence[Any]) -> MapPage:
    """Return the page for vectors and maps that have been read; errors name the files."""
    labels, texts = (read_option(options, name) for name in ("labels", "texts"))
    names = {f"map {i}": path for i, path in enumerate(options.maps, 1)} | {"X": options.file}
    names |= {name: f"--{name} {getattr(options, name)}" for name in ("labels", "texts")}
    with show_progress(quiet=options.quiet), use_command_names(), rename_in_errors(names):
        return map_page(
            *arrays, names=names_of_files(options.maps), labels=labels, texts=texts, n_neighbors=options.k,
            metric=options.metric, rng=options.seed,
        )  # fmt: skip
