"""Report the cost of smaller vectors: fewer dimensions, PCA, or one byte or one bit for each number.

FILE is any input of `isotropy-lab report`. PCA and the ranges of int8 are fitted to half of the rows (PCA
multiplies unit-norm rows by the components, and does not subtract the mean), and the nearest neighbors of the
other half are compared before and after compression, by cosine. Int8 numbers are decoded before the search;
compare the codes themselves, if your index does, with `isotropy-lab compare`. With --questions and --gold,
the report also counts the questions that lose their document. The first sentence names the smallest vectors
that lose little enough, or the best ones if none do: the documents of at most 2% of the questions, by an
exact bound, or without questions at most 10% of the neighbors. The table has all others.

Example: isotropy-lab costs documents.npy --dimensions 256 --questions questions.npy --gold gold.txt
"""

from __future__ import annotations

import argparse

from isotropy_report._output import deliver
from isotropy_report.cli import arguments
from isotropy_report.cli.inputs import check_rows, read_option, read_vectors, show_progress, use_file_names
from isotropy_report.measures import compression_costs


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments to the parser."""
    arguments.add_source(parser)
    arguments.add_input(parser, "--questions")
    arguments.add_input(parser, "--gold")
    parser.add_argument("--dimensions", metavar="D", type=arguments.integer(1), nargs="+")
    arguments.add_integer(parser, "-k", default=10)
    arguments.add_reading_arguments(parser)
    arguments.add_measure_arguments(parser, 10_000)
    arguments.add_output_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Print the costs or write them to a file."""
    check_rows(options)
    arguments.check_requires(options, "gold", "questions", "the vectors of the questions")
    arguments.check_requires(options, "questions", "gold", "the relevant documents of the questions")
    vectors = read_vectors(options, options.file)
    questions = None if options.questions is None else read_vectors(options, options.questions, rows=False)
    arrays = {} if questions is None else {"questions": questions.array}
    with show_progress(quiet=options.quiet), use_file_names(options, X=vectors.array, **arrays):
        costs = compression_costs(
            vectors.array,
            dimensions=options.dimensions,
            questions=None if questions is None else questions.array,
            gold=read_option(options, "gold"),
            k=options.k,
            max_rows=options.sample,
            confidence_level=options.confidence_level,
            rng=options.seed,
        )
    deliver(costs.to_json() if options.json else f"{costs}\n", options.output)
    return 0
