"""The paired interval of a ratio of scores: against the definition, and by simulated coverage."""

import math

import numpy as np
import pytest

from isotropy_lab import report_card
from isotropy_lab.isotropy import dimensions_used, isoscore
from isotropy_lab.report.comparison import _distinct
from isotropy_lab.report.measures import spread_of, variance_fractions
from isotropy_lab.report.paired import Model, compare_scores
from isotropy_lab.report.rows import Rows
from isotropy_lab.report.survey import survey


def differences(A, B, groups=None):
    models = []
    for name, X in (("a", A), ("b", B)):
        rows = Rows(np.asarray(X))
        found = survey(rows, sample_size=1, rng=np.random.default_rng(0))
        models.append(Model(name, rows, found, variance_fractions(found.moments)))
    paired = len(A) == len(B)
    compared = compare_scores(models, paired=paired, groups=groups, confidence_level=0.95)
    return {one.measure: one for one in compared.differences}


def compared(A, B, **options):
    return differences(A, B, **options)["isoscore_corrected"]


def pair(rng, n_points, n, n_other=None):
    """Two clouds that share most of what makes their samples differ, and their true scores."""
    n_other = n if n_other is None else n_other
    z = rng.standard_normal((n_points, max(n, n_other)))
    scales = 1 / np.sqrt(np.arange(1, n + 1)), np.linspace(1, 2, n_other)
    noise = rng.standard_normal((n_points, n_other))
    A = z[:, :n] * scales[0]
    B = (0.9 * z[:, :n_other] + math.sqrt(0.19) * noise) * scales[1]
    return A, B, score(scales[0]) / score(scales[1])


def score(scales):
    ratio = (scales**2).sum() ** 2 / (scales**4).sum()
    return (ratio - 1) / (scales.size - 1)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("grouped", [False, True])
def test_it_is_the_jackknife_of_the_log_ratio(rng, grouped):
    """Everything computed anew without each row, or group, of both at once."""
    A, B, _ = pair(rng, 120, 5, 9)
    groups = np.arange(120) // 8 if grouped else None
    found = compared(A, B, groups=groups)

    def log_ratio(keep):
        parts = [isoscore(X[keep], estimator="corrected") for X in (A, B)]
        return math.log(parts[0] / parts[1])

    labels = np.arange(120) if groups is None else groups
    without = np.array([log_ratio(labels != g) for g in np.unique(labels)])
    G = without.size
    error = math.sqrt((G - 1) / G * ((without - without.mean()) ** 2).sum())
    from scipy import stats

    reach = stats.t.ppf(0.975, G - 1) * error
    assert found.paired
    assert math.log(found.estimate) == pytest.approx(log_ratio(labels >= 0), rel=1e-9)
    assert math.log(found.high) == pytest.approx(math.log(found.estimate) + reach, rel=1e-7)
    assert math.log(found.low) == pytest.approx(math.log(found.estimate) - reach, rel=1e-7)
    used = [dimensions_used(X, estimator="corrected") for X in (A, B)]
    ratio = differences(A, B, groups=groups)["dimensions_used_corrected"]
    assert ratio.estimate == pytest.approx(used[0] / used[1])


def test_a_cloud_beside_itself(rng):
    X = pair(rng, 100, 6)[0]
    found = compared(X, X)
    assert (found.estimate, found.low, found.high) == (1.0, 1.0, 1.0)


def test_the_other_way_round(rng):
    A, B, _ = pair(rng, 100, 6)
    one, other = compared(A, B), compared(B, A)
    assert one.low == pytest.approx(1 / other.high)
    assert one.estimate == pytest.approx(1 / other.estimate)


def test_it_does_not_depend_on_unit_place_or_rotation(rng):
    A, B, _ = pair(rng, 100, 6)
    Q = np.linalg.qr(rng.standard_normal((6, 6)))[0]
    one, other = compared(A, B), compared(7 * A @ Q + 2, B - 5)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-7)


def test_pairing_pays(rng):
    """Where the second cloud is the first with a little noise, as with two versions of one model."""
    A = pair(rng, 201, 20)[0]
    B = A + 0.1 * rng.standard_normal(A.shape)
    paired, unpaired = compared(A, B), compared(A, B[:-1])
    assert not unpaired.paired
    assert math.log(paired.high / paired.low) < 0.3 * math.log(unpaired.high / unpaired.low)


@pytest.mark.parametrize(("n_points", "n", "drop"), [(40, 10, 0), (60, 60, 0), (200, 20, 0), (100, 20, 1)])
def test_coverage(n_points, n, drop):
    """The 95% interval holds the truth in 95% of samples; below 90% in 250 would be 3.6 standard deviations off."""
    rng = np.random.default_rng(7)
    held = 0
    for _ in range(250):
        A, B, truth = pair(rng, n_points, n)
        found = compared(A, B[drop:])
        held += found.low <= truth <= found.high
    assert held >= 225


def test_coverage_of_the_average_cosine():
    rng = np.random.default_rng(3)
    n_points, n, mean = 60, 10, 0.5
    many = rng.standard_normal((300_000, n)) + mean
    truth = float(np.square((many / np.linalg.norm(many, axis=1)[:, None]).mean(axis=0)).sum())
    held = 0
    for _ in range(250):
        rows = Rows(rng.standard_normal((n_points, n)) + mean)
        found = survey(rows, sample_size=1, rng=rng)
        reach = spread_of(rows, found, groups=None, confidence_level=0.95).cosine_reach
        held += abs(found.average_cosine - truth) <= reach
    assert held >= 225


def test_a_line_has_no_ratio(rng):
    line = rng.standard_normal((50, 1)) @ np.ones((1, 4))
    other = rng.standard_normal((50, 4))
    assert "isoscore_corrected" not in differences(line, other)
    card = report_card(other, compare=line, pictures=False, transformations=False)
    assert card.value("isoscore_ratio") is None
    assert "corrected IsoScore of one of the two is 0" in card.line("isoscore_ratio").note


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (("a", "b"), ("a", "b")),
        (("a", "a"), ("a (first)", "a (second)")),
        (("a", "measure"), ("a (first)", "measure (second)")),
    ],
)
def test_columns_are_called_as_the_files_unless_that_says_nothing(names, columns):
    assert _distinct(names) == columns
