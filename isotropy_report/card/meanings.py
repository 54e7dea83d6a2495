"""Label, meaning and chapter of every number of the card."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Meaning(NamedTuple):
    """Label of a number, its meaning in a sentence, and the chapter that explains it (may be empty)."""

    label: str
    sentence: str
    chapter: str


CHAPTERS: Mapping[str, str] = MappingProxyType(
    {
        "isotropy/what-isotropy-is": "What isotropy is",
        "isotropy/five-scores-six-tests": "Five scores, six tests",
        "isotropy/layer-by-layer": "Layer by layer",
        "isotropy/how-many-points": "How many points are enough",
        "association/weat-and-what-it-measures": "WEAT and what it measures",
        "association/how-surprising": "How surprising is an association?",
        "projection/stress-and-scale": "Stress and size",
        "projection/kl-and-scale": "KL divergence and size",
        "retrieval/accuracy-with-intervals": "How accurate is it, really?",
        "retrieval/thresholds-and-overlaps": "Thresholds: when a search should show nothing",
        "retrieval/isotropy-and-accuracy": "Isotropy and accuracy",
        "report/your-own-vectors": "Your own vectors",
    }
)
"""Chapters that the card refers to, with their titles."""

_SENTENCES: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "": {
        "n_points": ("Rows", "Points in the file, N."),
        "n_dimensions": ("Columns", "Dimensions of each point, n."),
        "dtype": ("Type", "How the numbers are stored."),
        "mean_length": ("Mean length", "Mean Euclidean length of the rows."),
        "n_zero": (
            "Zero rows",
            "Rows of zeros; they have no direction and are left out where cosines are taken.",
        ),
        "n_unit": ("Unit rows", "Rows whose length is 1 within a thousandth."),
        "n_duplicates": ("Repeated rows", "Rows that are exactly equal to an earlier row."),
        "n_questions": ("Questions", "Rows of the file of questions."),
        "n_documents": ("Documents", "Rows of the file of documents."),
    },
    "isotropy/five-scores-six-tests": {
        "mean_fraction": (
            "Fraction in the mean vector",
            "Fraction of the mean squared length that lies in the mean vector: 0 for a cloud around the "
            "origin, 1 if all rows are equal.",
        ),
        "varex_score": (
            "Variance explained",
            "The fraction of components that are the leading 30%, over the fraction of variance in them: 1 "
            "for a ball.",
        ),
        "average_cosine": (
            "Average cosine",
            "Mean cosine between two different rows, over all pairs; it reflects the mean vector, not the "
            "shape of the cloud.",
        ),
        "average_cosine_score": (
            "Average cosine score",
            "1 minus its magnitude, which has been read as isotropy and is not.",
        ),
        "average_cosine_centered": (
            "Average cosine, centered",
            "The same after subtracting the mean vector; the difference is what the mean vector does.",
        ),
        "partition_score": (
            "Partition score",
            "Least over largest of the sums of exp(c·x) over principal directions c; it depends on the unit "
            "of the data.",
        ),
        "partition_score_second_order": (
            "Partition score, second order",
            "Its approximation without exponentials, which a large mean makes negative.",
        ),
        "intrinsic_dimension": (
            "Intrinsic dimension",
            "Dimension of the surface on which the nearest neighbors lie, by the method of Levina and "
            "Bickel; too low in many dimensions.",
        ),
        "id_score": ("ID score", "Intrinsic dimension over n, at most 1."),
    },
    "isotropy/how-many-points": {
        "isoscore": (
            "IsoScore",
            "How evenly the variance fills the n dimensions, from 0 for a line to 1 for a ball; the "
            "published plug-in score, which is too low for few rows per dimension.",
        ),
        "isoscore_corrected": (
            "IsoScore, corrected",
            "IsoScore with most of the small-sample bias removed; where the spectrum is steep or tails are "
            "heavy it can be worse than the plug-in score.",
        ),
    },
    "isotropy/what-isotropy-is": {
        "dimensions_used_corrected": (
            "Dimensions used, corrected",
            "The number of dimensions of equal variance that would have the same corrected IsoScore.",
        ),
        "isotropy_defect": (
            "Isotropy defect",
            "Distance of the spectrum from a level one, 0 for a ball and 1 for a line; not corrected.",
        ),
    },
    "projection/stress-and-scale": {
        "normalized_stress": (
            "Normalized stress",
            "Mismatch of distances at the size that the projection happens to have: it measures the size, "
            "too.",
        ),
        "scale_normalized_stress": (
            "Scale-normalized stress",
            "Mismatch of distances at the best size of the projection, 0 to 1; 0 is best.",
        ),
        "optimal_scale": ("Best scale", "The factor for the projection that minimizes its stress."),
        "shepard_goodness": (
            "Shepard goodness",
            "Rank correlation between distances in the data and in the projection; 1 is best.",
        ),
        "nonmetric_stress": (
            "Non-metric stress",
            "Mismatch left after the best monotone function of the distances; 0 is best.",
        ),
        "trustworthiness": (
            "Trustworthiness",
            "Whether neighbors in the projection are neighbors in the data; 1 is best.",
        ),
        "continuity": (
            "Continuity",
            "Whether neighbors in the data are neighbors in the projection; 1 is best.",
        ),
    },
    "projection/kl-and-scale": {
        "scale_normalized_kl": (
            "Scale-normalized KL",
            "Smallest divergence of neighborhoods over all sizes of the projection; 0 is best.",
        ),
        "kl_divergence": (
            "KL divergence",
            "Divergence of neighborhoods at the size that the projection happens to have.",
        ),
    },
    "isotropy/layer-by-layer": {
        "variance_of_few": (
            "Variance in 1% of the rows",
            "Fraction of the variance in the rows farthest from the mean: 1% to 8% for a Gaussian cloud, "
            "much more where a few huge rows decide the scores.",
        ),
        "between_fraction": (
            "Fraction between labels",
            "Fraction of the variance that lies between the means of the labels.",
        ),
    },
    "retrieval/accuracy-with-intervals": {
        "median_rank": (
            "Median rank",
            "Half of the questions find a right document at this rank or a better one.",
        ),
        "mrr": ("Mean reciprocal rank", "Mean of 1/rank of the first right document; 1 is best."),
        "map": (
            "Mean average precision",
            "Mean, over a question's right documents, of the fraction of right ones down to the rank of "
            "each; 1 is best.",
        ),
        "n_equal_documents": (
            "Repeated documents",
            "Documents that equal an earlier one; which of them comes first is then arbitrary.",
        ),
    },
    "retrieval/thresholds-and-overlaps": {
        "median_similarity": (
            "Median similarity",
            "Half of the questions have at least this cosine with a right document.",
        ),
        "threshold": (
            "Similarity threshold",
            "Documents below this cosine may be left out without losing much accuracy.",
        ),
    },
    "association/weat-and-what-it-measures": {
        "effect_size": (
            "Effect size",
            "Difference of the two target lists' associations, in standard deviations of the words'.",
        ),
    },
    "association/how-surprising": {
        "pvalue": ("Permutation p", "Proportion of the divisions of the target words that score as high."),
    },
}
"""Chapter → key of a number → its label, and what it means."""

MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {
        key: Meaning(*texts, chapter)
        for chapter, explained in _SENTENCES.items()
        for key, texts in explained.items()
    }
)
"""Every number of the card by its key."""


WARNINGS: Mapping[str, str] = MappingProxyType(
    {
        "huge_rows": "a few huge rows",
        "few_rows": "few rows for so many columns",
        "beyond_a_ball": "more even than a ball",
        "mean_drives_cosine": "the mean drives the cosine",
        "duplicates": "repeated rows",
        "constant_columns": "columns that never change",
        "outlier_dimensions": "a few coordinates dominate",
        "float16_overflow": "too long for float16",
        "not_unit": "lengths that are not 1",
        "zero_rows": "rows of zeros",
        # of a comparison of models
        "found_by_chance": "answers found as if by chance",
        "heavy_tails": "heavy tails",
        "no_differences": "no differences were computed",
        "unrelated": "neighbors in common as if by chance",
        "zero_documents": "documents of zeros",
    }
)
"""Every kind of warning in a few words."""


def chapter_address(chapter: str) -> str | None:
    """Return the address of a chapter on the declared site, or of its notebook in the repository."""
    addresses = _declared()
    if site := addresses.get("documentation"):
        return f"{site.rstrip('/')}/{chapter}.html"
    if repository := addresses.get("repository"):
        return f"{repository.rstrip('/')}/blob/main/book/{chapter}.ipynb"
    return None


def _declared() -> dict[str, str]:
    from importlib import metadata

    try:
        entries = metadata.metadata("isotropy-lab").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return {}
    pairs = (entry.partition(",") for entry in entries)
    return {name.strip().lower(): address.strip() for name, _, address in pairs}
