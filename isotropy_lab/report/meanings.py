"""Label, meaning and chapter of every number of the card."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType


@dataclasses.dataclass(frozen=True)
class Meaning:
    """Name of a number, what it means in a sentence, and the chapter (a key of `CHAPTERS`) that explains it."""

    label: str
    sentence: str
    chapter: str = ""


CHAPTERS: Mapping[str, str] = MappingProxyType(
    {
        "isotropy/what-isotropy-is": "What isotropy is",
        "isotropy/five-scores-six-tests": "Five scores, six tests",
        "isotropy/layer-by-layer": "Layer by layer",
        "isotropy/how-many-points": "How many points are enough",
        "association/weat-and-what-it-measures": "WEAT and what it measures",
        "association/how-surprising": "How surprising is an association?",
        "projection/stress-and-scale": "Stress and the size of the picture",
        "projection/kl-and-scale": "KL divergence and the size of the picture",
        "retrieval/accuracy-with-intervals": "How accurate is it, really?",
        "retrieval/thresholds-and-overlaps": "Thresholds and overlaps",
        "retrieval/adaptation-and-isotropy": "Domain adaptation and isotropy",
        "report/your-own-vectors": "Your own vectors",
    }
)
"""Chapters that the card refers to, with their titles."""

_WHAT, _FIVE, _MANY = (
    "isotropy/what-isotropy-is",
    "isotropy/five-scores-six-tests",
    "isotropy/how-many-points",
)
_STRESS, _KL = "projection/stress-and-scale", "projection/kl-and-scale"
_ACCURACY, _OVERLAP = "retrieval/accuracy-with-intervals", "retrieval/thresholds-and-overlaps"

MEANINGS: Mapping[str, Meaning] = MappingProxyType(
    {
        # the data
        "n_points": Meaning("Rows", "Points in the file, N."),
        "n_dimensions": Meaning("Columns", "Dimensions of each point, n."),
        "dtype": Meaning("Type", "How the numbers are stored."),
        "mean_length": Meaning("Mean length", "Mean Euclidean length of the rows."),
        "n_zero": Meaning(
            "Zero rows", "Rows of zeros; they have no direction and are left out where cosines are taken."
        ),
        "n_unit": Meaning("Unit rows", "Rows whose length is 1 within a thousandth."),
        "n_duplicates": Meaning("Repeated rows", "Rows that are exactly equal to an earlier row."),
        "mean_fraction": Meaning(
            "Fraction in the mean vector",
            "Fraction of the mean squared length that lies in the mean vector: 0 for a cloud around the origin, 1 if all "
            "rows are equal.",
            _FIVE,
        ),
        # isotropy
        "isoscore": Meaning(
            "IsoScore",
            "How evenly the variance fills the n dimensions, from 0 for a line to 1 for a ball; the published plug-in "
            "score, which is too low for few rows per dimension.",
            _MANY,
        ),
        "isoscore_corrected": Meaning(
            "IsoScore, corrected",
            "IsoScore with most of the small-sample bias removed; where the spectrum is steep or tails are heavy it can be "
            "worse than the plug-in score.",
            _MANY,
        ),
        "dimensions_used_corrected": Meaning(
            "Dimensions used, corrected",
            "The number of dimensions of equal variance that would have the same corrected IsoScore.",
            _WHAT,
        ),
        "isotropy_defect": Meaning(
            "Isotropy defect",
            "Distance of the spectrum from a level one, 0 for a ball and 1 for a line; not corrected.",
            _WHAT,
        ),
        "varex_score": Meaning(
            "Variance explained",
            "The fraction of components that are the leading 30%, over the fraction of variance in them: 1 for a ball.",
            _FIVE,
        ),
        "average_cosine": Meaning(
            "Average cosine",
            "Mean cosine between two different rows, over all pairs; it reflects the mean vector, not the shape of the "
            "cloud.",
            _FIVE,
        ),
        "average_cosine_score": Meaning(
            "Average cosine score",
            "1 minus its magnitude, which has been read as isotropy and is not.",
            _FIVE,
        ),
        "average_cosine_centered": Meaning(
            "Average cosine, centered",
            "The same after subtracting the mean vector; the difference is what the mean vector does.",
            _FIVE,
        ),
        "partition_score": Meaning(
            "Partition score",
            "Least over largest of the sums of exp(c·x) over principal directions c; it depends on the unit of the data.",
            _FIVE,
        ),
        "partition_score_second_order": Meaning(
            "Partition score, second order",
            "Its approximation without exponentials, which a large mean makes negative.",
            _FIVE,
        ),
        "intrinsic_dimension": Meaning(
            "Intrinsic dimension",
            "Dimension of the surface on which the nearest neighbors lie, by the method of Levina and Bickel; too low in "
            "many dimensions.",
            _FIVE,
        ),
        "id_score": Meaning("ID score", "Intrinsic dimension over n, at most 1.", _FIVE),
        # projection
        "normalized_stress": Meaning(
            "Normalized stress",
            "Mismatch of distances at the size that the projection happens to have: it measures the size, too.",
            _STRESS,
        ),
        "scale_normalized_stress": Meaning(
            "Scale-normalized stress",
            "Mismatch of distances at the best size of the projection, 0 to 1; 0 is best.",
            _STRESS,
        ),
        "optimal_scale": Meaning(
            "Best scale", "The factor for the projection that minimizes its stress.", _STRESS
        ),
        "shepard_goodness": Meaning(
            "Shepard goodness",
            "Rank correlation between distances in the data and in the projection; 1 is best.",
            _STRESS,
        ),
        "nonmetric_stress": Meaning(
            "Non-metric stress",
            "Mismatch left after the best monotone function of the distances; 0 is best.",
            _STRESS,
        ),
        "scale_normalized_kl": Meaning(
            "Scale-normalized KL",
            "Smallest divergence of neighborhoods over all sizes of the projection; 0 is best.",
            _KL,
        ),
        "kl_divergence": Meaning(
            "KL divergence",
            "Divergence of neighborhoods at the size that the projection happens to have.",
            _KL,
        ),
        "trustworthiness": Meaning(
            "Trustworthiness",
            "Whether neighbors in the projection are neighbors in the data; 1 is best.",
            _STRESS,
        ),
        "continuity": Meaning(
            "Continuity", "Whether neighbors in the data are neighbors in the projection; 1 is best.", _STRESS
        ),
        # labels
        "between_fraction": Meaning(
            "Fraction between labels",
            "Fraction of the variance that lies between the means of the labels.",
            "isotropy/layer-by-layer",
        ),
        # retrieval
        "n_questions": Meaning("Questions", "Rows of the file of questions."),
        "n_documents": Meaning("Documents", "Rows of the file of documents."),
        "median_rank": Meaning(
            "Median rank", "Half of the answers are found at this rank or a better one.", _ACCURACY
        ),
        "mrr": Meaning("Mean reciprocal rank", "Mean of 1/rank of the answer; 1 is best.", _ACCURACY),
        "median_similarity": Meaning(
            "Median similarity",
            "Half of the questions have at least this cosine with their right document.",
            _OVERLAP,
        ),
        "threshold": Meaning(
            "Similarity threshold",
            "Documents below this cosine may be left out without losing much accuracy.",
            _OVERLAP,
        ),
        "n_equal_documents": Meaning(
            "Repeated documents",
            "Documents that equal an earlier one; which of them comes first is then arbitrary.",
            _ACCURACY,
        ),
        # association
        "effect_size": Meaning(
            "Effect size",
            "Difference of the two target lists' associations, in standard deviations of the words'.",
            "association/weat-and-what-it-measures",
        ),
        "pvalue": Meaning(
            "Permutation p",
            "Proportion of the divisions of the target words that score as high.",
            "association/how-surprising",
        ),
        # comparison
        "isoscore_ratio": Meaning(
            "Ratio of IsoScores", "IsoScore of the first file over that of the second, both corrected.", _MANY
        ),
        "dimensions_ratio": Meaning(
            "Ratio of dimensions used",
            "Dimensions used by the first file over those used by the second, both corrected.",
            _MANY,
        ),
    }
)
"""Every number of the card by its key."""


def chapter_address(chapter: str) -> str | None:
    """Return the public address of a chapter, from the addresses that the package declares.

    Where the package declares a site (``Documentation``), it is the page there; otherwise the notebook in the
    repository.
    """
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
