"""Tests of the scores in the six tests, of the marks, and of layer scores, bias, and coverage."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from isotropy_lab.isotropy import average_cosine_score, id_score, isoscore, partition_score, varex_score
from reanalyses.rudman2022 import clouds, experiments
from reanalyses.rudman2022.claims import six_tests
from reanalyses.rudman2022.experiments import marks
from reanalyses.rudman2022.experiments.layers import _assign_groups


@pytest.fixture(scope="module")
def curves():
    return six_tests()


# Values measured once at 100,000 points with other code; tolerances are for 10,000 points.
@pytest.mark.rest
@pytest.mark.parametrize(
    ("test", "score", "parameter", "value", "tolerance"),
    [
        ("mean_agnostic", "isoscore", 20, 0.9995, 0.002),
        ("mean_agnostic", "average_cosine_score", 20, 0.0022, 0.0005),
        # VarEx of an isotropic sample is about 1 − √(n/N): 0.988 at 100,000 points, 0.962 here.
        ("mean_agnostic", "varex_score", 20, 0.962, 0.01),
        ("scalar_covariance", "average_cosine_score", 1, 0.084, 0.005),
        ("scalar_covariance", "average_cosine_score", 25, 0.74, 0.01),
        ("scalar_covariance", "isoscore", 25, 1.0, 0.002),
        ("maximum_variance", "isoscore", 75, 0.0280, 0.0012),
        ("maximum_variance", "varex_score", 75, 0.327, 0.005),
        ("dimensions_used_fraction", "isoscore", 12, 11 / 24, 0.005),
        ("dimensions_used_fraction", "varex_score", 1, 7 / 25, 1e-9),
        ("dimensions_used_fraction", "id_score", 1, 1 / 25, 0.002),
        ("dimensions_used_high", "average_cosine_score", 100, 1.0, 0.001),
        ("skewered_meatball", "isoscore", 0, 0.0, 1e-9),
        ("skewered_meatball", "isoscore", 1_000, 0.5, 0.045),
        ("skewered_meatball", "isoscore", 150_000, 1.0, 0.005),
        ("skewered_meatball", "varex_score", 0, 1 / 3, 1e-9),
        ("skewered_meatball", "id_score", 0, 1 / 3, 0.015),
    ],
)
def test_curves_have_known_values(curves, test, score, parameter, value, tolerance):
    rows = curves[test].query("score == @score and parameter == @parameter")
    assert rows["value"].tolist() == pytest.approx([value], abs=tolerance)


def test_five_scores_equal_public_functions():
    X = clouds.power_law_spectrum(400, 12, rng=0) + 0.2
    scores = {name: f(X) for name, f in experiments.five_scores(n_queries=400).items()}
    expected = {
        f.__name__: f(X) for f in (isoscore, average_cosine_score, partition_score, id_score, varex_score)
    }
    assert scores == pytest.approx(expected, rel=1e-9)


def perfect_curves(**values: list[float]) -> dict[str, pd.DataFrame]:
    """Return all seven curves of a perfect score, with some of them replaced."""
    perfect = {
        "mean_agnostic": ([0, 20], [1, 1]),
        "scalar_covariance": ([1, 25], [1, 1]),
        "maximum_variance": ([1, 10, 75], [1, 0.5, 0]),
        "rotation_invariance": (["X", "X PCA"], [0.4, 0.4]),
        "dimensions_used_fraction": ([1, 2, 3], [0, 0.5, 1]),
        "dimensions_used_high": ([2, 100], [1, 1]),
        "skewered_meatball": ([0, 1_000, 15_000], [0, 0.5, 1]),
    }
    frames = {}
    for name, (parameters, best) in perfect.items():
        frames[name] = pd.concat(
            pd.DataFrame({"test": name, "parameter": parameters, "score": s, "value": values.get(name, best)})
            for s in marks.SCORES
        )
    return frames


def test_property_rule_accepts_only_perfect_scores():
    assert marks.property_table(perfect_curves())["derived"].all()
    faults = {
        "mean_agnostic": [1, 0.89],
        "scalar_covariance": [0.89, 1],
        "maximum_variance": [1, 0.5, 0.11],
        "rotation_invariance": [0.4, 0.51],
        "dimensions_used_fraction": [0, 0.61, 1],
        "dimensions_used_high": [1, 0.89],
        "skewered_meatball": [0, 0.61, 1],
    }
    for name, values in faults.items():
        table = marks.property_table(perfect_curves(**{name: values}))
        assert (~table["derived"]).sum() == 5, name
    increasing = marks.property_table(perfect_curves(maximum_variance=[1, 1.05, 0]))
    assert not increasing.loc[increasing["test"].str.startswith("3"), "derived"].any()
    near_perfect = marks.property_table(perfect_curves(skewered_meatball=[0.09, 0.5, 0.95]))
    assert near_perfect["derived"].all()


def random_layers(n_sentences: int = 60, length: int = 8, n: int = 10) -> SimpleNamespace:
    generator = np.random.default_rng(0)
    sentence = np.repeat(np.arange(n_sentences), length)
    topic = generator.standard_normal((n_sentences, n))[sentence]
    first = generator.standard_normal((len(sentence), n)) + topic + 0.5
    return SimpleNamespace(layers=[first, first * np.linspace(1, 4, n)], sentence=sentence)


def test_layer_values_equal_public_functions():
    states = random_layers()
    table = experiments.scores_by_layer(states, n_queries=None).set_index(["layer", "score"])["value"]
    for i, X in enumerate(states.layers):
        for f in (isoscore, average_cosine_score, partition_score, id_score, varex_score):
            assert table[i, f.__name__] == pytest.approx(f(X), rel=1e-9), f.__name__


def test_layer_intervals_equal_group_jackknife():
    states = random_layers()
    table = experiments.scores_by_layer(states, n_groups=6, n_queries=None, rng=5)
    groups = _assign_groups(states.sentence, 6, np.random.default_rng(5))
    for score in (isoscore, average_cosine_score, partition_score, id_score, varex_score):
        logs = np.log([score(states.layers[1][groups != g]) for g in range(6)])
        error = np.sqrt(5 / 6 * np.sum((logs - logs.mean()) ** 2))
        row = table.loc[(table["layer"] == 1) & (table["score"] == score.__name__)].iloc[0]
        assert row["standard_error"] == pytest.approx(error, rel=1e-6), score.__name__
        assert row["low"] == pytest.approx(row["value"] * np.exp(-2.570582 * error), rel=1e-5)
        assert row["low"] <= row["value"] <= min(row["high"] + 1e-12, 1.0)


def test_correction_removes_predicted_plug_in_bias():
    table = experiments.finite_sample_bias(n_dimensions=(40,), n_points=(40, 120), n_repeats=60)
    for n_points, rows in table.groupby("n_points"):
        rows = rows.set_index("estimator")
        n, m = 40, n_points - 1
        predicted = (n * (1 + 2 / (n * m)) / (1 + (n + 1) / m) - 1) / (n - 1)
        assert rows.loc["plug-in", "mean"] == pytest.approx(predicted, abs=0.01)
        assert rows.loc["plug-in", "bias"] < -0.2
        assert abs(rows.loc["corrected", "bias"]) < 0.05  # slightly negative because of clipping at 1


def test_jackknife_covers_and_bootstrap_does_not():
    table = experiments.interval_coverage(cells=((60, 120),), n_repeats=40, n_resamples=100).set_index(
        "method"
    )
    assert table.loc["jackknife", "coverage"] >= 0.85  # 0.95 minus three standard errors of 40 draws
    assert table.loc["bootstrap", "coverage"] <= 0.2
    assert (table["low"] <= table["coverage"]).all()
    assert (table["coverage"] <= table["high"]).all()
    assert (table[["covered", "below", "above"]].sum(axis=1) == 40).all()
