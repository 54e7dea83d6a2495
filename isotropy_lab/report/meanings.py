"""What each number of the card is called and means, in one sentence, and the chapter that explains it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["CHAPTERS", "MEANINGS", "Meaning", "chapter_address"]


@dataclasses.dataclass(frozen=True)
class Meaning:
    """How a number is called and what it says.

    Attributes
    ----------
    label : str
        Its name on the card.
    sentence : str
        What it means.
    chapter : str
        The chapter of the book that explains it, a key of `CHAPTERS`; empty where none is needed.
    """

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
        "mean_share": Meaning(
            "Share of the mean vector",
            "How much of the mean squared length lies in the mean vector: 0 for a cloud around the origin, 1 if all "
            "rows are equal.",
            _FIVE,
        ),
        # isotropy
        "isoscore": Meaning(
            "IsoScore",
            "How evenly the variance fills the n dimensions, from 0 for a line to 1 for a ball, corrected for the number "
            "of rows.",
            _MANY,
        ),
        "dimensions_used": Meaning(
            "Dimensions used",
            "So many dimensions of equal variance would have the same IsoScore; corrected for the number of rows.",
            _WHAT,
        ),
        "isoscore_plug_in": Meaning(
            "IsoScore as published",
            "The same from the covariance of the sample as it is, which is too low for few rows per dimension.",
            _MANY,
        ),
        "isotropy_defect": Meaning(
            "Isotropy defect",
            "Distance of the spectrum from a level one, 0 for a ball and 1 for a line; not corrected.",
            _WHAT,
        ),
        "varex_score": Meaning(
            "Variance explained",
            "The share of components that are the leading 30%, over the share of variance in them: 1 for a ball.",
            _FIVE,
        ),
        "average_cosine": Meaning(
            "Average cosine",
            "Mean cosine between two different rows, over all pairs; it tells of the mean vector, not of the shape of "
            "the cloud.",
            _FIVE,
        ),
        "average_cosine_score": Meaning(
            "Average cosine score", "1 less its magnitude, which has been read as isotropy and is not.", _FIVE
        ),
        "average_cosine_centered": Meaning(
            "Average cosine, centered",
            "The same once the mean vector is taken off; the difference is what the mean vector does.",
            _FIVE,
        ),
        "partition_score": Meaning(
            "Partition score",
            "Least over largest of the sums of exp(c·x) over principal directions c; it changes with the unit of the data.",
            _FIVE,
        ),
        "partition_score_second_order": Meaning(
            "Partition score, second order",
            "Its approximation without exponentials, which a large mean makes negative.",
            _FIVE,
        ),
        "intrinsic_dimension": Meaning(
            "Intrinsic dimension",
            "Dimensions of the surface on which the nearest neighbors lie, by the method of Levina and Bickel; it comes "
            "out too low in many dimensions.",
            _FIVE,
        ),
        "id_score": Meaning("ID score", "Intrinsic dimension over n, at most 1.", _FIVE),
        # projection
        "normalized_stress": Meaning(
            "Normalized stress",
            "Mismatch of distances at the size that the picture happens to have: it measures the size, too.",
            _STRESS,
        ),
        "scale_normalized_stress": Meaning(
            "Scale-normalized stress",
            "Mismatch of distances at the best size of the picture, 0 to 1; 0 is best.",
            _STRESS,
        ),
        "optimal_scale": Meaning(
            "Best scale", "The factor for the picture that makes its stress least.", _STRESS
        ),
        "shepard_goodness": Meaning(
            "Shepard goodness",
            "Rank correlation between distances in the data and in the picture; 1 is best.",
            _STRESS,
        ),
        "nonmetric_stress": Meaning(
            "Non-metric stress",
            "Mismatch left after the best increasing function of the distances; 0 is best.",
            _STRESS,
        ),
        "scale_normalized_kl": Meaning(
            "Scale-normalized KL",
            "Least divergence of neighborhoods over all sizes of the picture; 0 is best.",
            _KL,
        ),
        "kl_divergence": Meaning(
            "KL divergence", "Divergence of neighborhoods at the size that the picture happens to have.", _KL
        ),
        "trustworthiness": Meaning(
            "Trustworthiness",
            "Whether neighbors in the picture are neighbors in the data; 1 is best.",
            _STRESS,
        ),
        "continuity": Meaning(
            "Continuity", "Whether neighbors in the data are neighbors in the picture; 1 is best.", _STRESS
        ),
        # labels
        "between_share": Meaning(
            "Share between labels",
            "How much of the variance lies between the means of the labels: 0 to 1.",
            "isotropy/layer-by-layer",
        ),
        # retrieval
        "n_questions": Meaning("Questions", "Rows of the file of questions."),
        "n_documents": Meaning("Documents", "Rows of the file of documents."),
        "median_rank": Meaning(
            "Median rank", "Half of the answers are found at this rank or a better one.", _ACCURACY
        ),
        "mrr": Meaning(
            "Mean reciprocal rank", "Mean of one over the rank of the answer; 1 is best.", _ACCURACY
        ),
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
        "p_value": Meaning(
            "Permutation p",
            "Share of all divisions of the target words that score as high.",
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

    Parameters
    ----------
    chapter : str
        A key of `CHAPTERS`.

    Returns
    -------
    str or None
        None if the package was not installed, so that nothing is declared.

    Examples
    --------
    >>> address = chapter_address("isotropy/what-isotropy-is")
    >>> address is None or "isotropy/what-isotropy-is" in address
    True
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
