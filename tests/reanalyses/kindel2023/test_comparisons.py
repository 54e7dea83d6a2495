"""Tests of two planes, chance levels, and permutation tests against closed forms, simulations, and loops."""

import itertools

import numpy as np
import pytest

from isotropy_lab.association import keywords
from isotropy_lab.association._weat import weat
from reanalyses.kindel2023 import experiments
from reanalyses.kindel2023.experiments.spaces import list_vectors

SPACE = "googlenews-weat"


@pytest.mark.parametrize("angle", [0.0, 25.0, 60.0, 90.0])
def test_two_planes_agree_with_closed_forms(angle: float) -> None:
    cosine = np.cos(np.deg2rad(angle))
    table = experiments.two_planes(angle).set_index("A_with")
    expected = {
        "itself": (0.5, 1.0, 1.0, 1.0, 1.0),
        "same plane": (np.sqrt(0.5) / 2, np.sqrt(0.5), 1.0, 1.0, 1.0),
        "tilted": ((1 + cosine) / 4, (1 + cosine) / 2, (1 + cosine**2) / 2, 1.0, cosine),
        "one word reversed": ((1 - cosine) / 4, (1 - cosine) / 2, (1 + cosine**2) / 2, 1.0, cosine),
    }
    assert table.index.tolist() == list(expected)
    np.testing.assert_allclose(table.to_numpy(), list(expected.values()), atol=1e-12)


def test_chance_levels_equal_means_over_random_subspaces() -> None:
    components = experiments.weat_components(SPACE)
    table = experiments.chance_levels({"GoogleNews": components})
    published = table.query("space == 'as printed'")
    assert len(published) == 40
    assert len(table) == 80
    np.testing.assert_array_equal(published["canonical"], components["printed_canonical"])
    for row in published.itertuples():
        sizes = keywords.load(row.test).sizes()
        x, y = row.component.upper()
        assert row.chance == pytest.approx(np.sqrt(sizes[x] * sizes[y]) / 300)
        assert row.n == min(sizes.values())
    rng = np.random.default_rng(0)
    ours = table.query("space == 'GoogleNews' and test == 'weat-5'").iloc[0]
    k = components.query("test == 'weat-5'").iloc[0][["k_1", "k_2"]].astype(int)
    traces = []
    for _ in range(400):
        bases = [np.linalg.qr(rng.standard_normal((300, n)))[0] for n in k]
        traces.append(np.sum((bases[0].T @ bases[1]) ** 2) / np.sqrt(k.prod()))
    error = np.std(traces) / np.sqrt(len(traces))
    assert abs(np.mean(traces) - ours["chance"]) < 5 * error


def test_permutation_p_values_equal_a_loop() -> None:
    table = experiments.permutation_by_similarity(SPACE, tests=["weat-9"]).iloc[0]
    a, b, c, d = list_vectors(SPACE, "weat-9", spelling="tested").values()
    words, observed = np.concatenate([a, b]), {}
    counts = dict.fromkeys(("mean-cosine", "canonical"), 0)
    for chosen in itertools.combinations(range(12), 6):
        rest = [i for i in range(12) if i not in chosen]
        for similarity in counts:
            score = weat(words[list(chosen)], words[rest], c, d, similarity=similarity).score
            counts[similarity] += score >= observed.setdefault(similarity, score) - 1e-12
    for similarity, count in counts.items():
        assert table[similarity] == count / 924
    assert table["smallest_p"] == 1 / 924
    assert table["method"] == "exact"
