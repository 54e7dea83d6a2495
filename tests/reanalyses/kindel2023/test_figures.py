"""Figures show what the tables hold, in a form that does not need color, and fit a phone."""

from __future__ import annotations

import subprocess
import sys

import matplotlib as mpl

from tests.reanalyses import figure_rules

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from isotropy_lab.association import keywords
from isotropy_lab.association.lattice import subset_similarities
from reanalyses.kindel2023 import experiments, figures, spaces

SPACE = "googlenews-weat"
POOLS = pd.DataFrame(
    columns=["lists", "pool", "null", "quantity", "observed", "low", "mean", "high"],
    data=[("a / b", "all", "both random", "canonical", 0.5, 0.1, 0.2, 0.3)],
)


@pytest.fixture(scope="module")
def data():
    """Every table that a figure is drawn from, small where it can be."""
    k = np.arange(5, 13)
    growing = pd.concat(
        [pd.DataFrame({"list": "pleasant", "q": q, "k": k, "expected_weak": 0.95 ** (k - q)}) for q in (2, 4)]
    )
    return {
        "weat_table": experiments.weat_table(SPACE),
        "within": experiments.within_lattices(SPACE),
        "consistency": experiments.consistency_table(SPACE),
        "conditions": experiments.condition_table(SPACE),
        "growing": growing,
        "between": experiments.between_lattices(SPACE),
        "matrices": experiments.between_matrices(SPACE),
        "permutation": experiments.permutation_distribution(SPACE, "weat-7"),
        "nulls": experiments.congruence_nulls(SPACE, n_resamples=50),
        "pools": experiments.pool_sensitivity(SPACE, sizes=(1_000, 5_000), n_resamples=30),
        "partial": experiments.partial_randomization(SPACE, n_resamples=20),
        "pairs": experiments.design_pairs("glove-weat", attribute="D"),
        "judged": experiments.judged_differences("glove-weat"),
        "local": experiments.local_similarity_table("glove-weat"),
        "distortion": experiments.decomposition_table("glove-weat"),
        "as_k_reaches_p": experiments.as_k_reaches_p(k=(1, 20, 50, 80, 99)),
        "separability": experiments.separability_as_lists_grow(SPACE),
        "effect_sizes": {
            name: experiments.effect_sizes(space, tests=["weat-6", "weat-10"])
            for name, space in (("GoogleNews", SPACE), ("GloVe", "glove-weat"))
        },
        "chance_levels": experiments.chance_levels({"GoogleNews": experiments.weat_components(SPACE)}),
    }


@pytest.fixture(scope="module")
def drawn(data):
    return {
        "weat_scores": figures.weat_scores(data["weat_table"]),
        "within_lattices": figures.within_lattices(data["within"]),
        "beaten_triples": figures.beaten_triples(
            {
                "mean cosine": data["within"]["unpleasant"][2],
                "canonical": experiments.within_lattices(SPACE, similarity="canonical")["unpleasant"][2],
            },
            keywords.find("gender-sentiment", spaces.load(SPACE)).words["D"],
        ),
        "consistency": figures.consistency(data["consistency"]),
        "condition_numbers": figures.condition_numbers(data["conditions"]),
        "consistency_as_lists_grow": figures.consistency_as_lists_grow(data["growing"]),
        "between_lattices": figures.between_lattices(data["between"]),
        "between_heatmaps": figures.between_heatmaps(data["matrices"]),
        "permutation_distribution": figures.permutation_distribution(data["permutation"]),
        "congruence_nulls": figures.congruence_nulls(data["nulls"]),
        "pool_sensitivity": figures.pool_sensitivity(data["pools"]),
        "partial_randomization": figures.partial_randomization(data["partial"]),
        "inner_products": figures.inner_products(
            data["pairs"], experiments.inner_product_lines(data["pairs"])
        ),
        "cosine_table": figures.cosine_table(
            data["pairs"].pivot(index="a", columns="b", values="cosine").iloc[:4, :4]
        ),
        "null_draws": figures.null_draws({"one pool": [0.1, 0.2, 0.3], "another": [0.2, 0.3]}, 0.25),
        "false_positives": figures.false_positives({"pairs": [0.01, 0.5], "words": [0.2, 1.0]}),
        "overlaps": figures.overlaps([1.5, 1.9]),
        "extrapolation": figures.extrapolation(data["pairs"], experiments.ratio_lines(data["pairs"])),
        "differences": figures.differences(data["judged"]),
        "local_similarity": figures.local_similarity(data["local"]),
        "distortion": figures.distortion(data["distortion"]),
        "as_k_reaches_p": figures.as_k_reaches_p(data["as_k_reaches_p"]),
        "separability_as_lists_grow": figures.separability_as_lists_grow(data["separability"]),
        "two_planes": figures.two_planes(experiments.two_planes_at()),
        "effect_sizes": figures.effect_sizes(data["effect_sizes"]),
        "chance_levels": figures.chance_levels(data["chance_levels"]),
        "effect_size_limit": figures.effect_size_limit(experiments.effect_sizes_and_gaps()),
        "word_associations": figures.word_associations(experiments.word_association_table(SPACE)),
    }


def test_every_figure_is_drawn(drawn):
    figure_rules.assert_all_are_drawn(drawn, figures.__all__)


def test_text_is_readable_and_the_ground_white(drawn):
    figure_rules.assert_readable(drawn)


def test_few_panels_to_a_row(drawn):
    # heatmaps without axes to read
    figure_rules.assert_few_panels(drawn, {"within_lattices": 4, "between_heatmaps": 4})


def test_no_two_texts_of_a_figure_overlap(drawn):
    figure_rules.assert_no_texts_overlap(drawn)


def test_color_is_never_the_only_sign(drawn):
    for name in ("consistency", "consistency_as_lists_grow", "between_lattices", "partial_randomization"):
        for ax in drawn[name].axes:
            lines = [line for line in ax.get_lines() if line.get_marker() not in ("None", None, "")]
            looks = [(line.get_marker(), str(line._dash_pattern)) for line in lines]
            assert len(looks) >= 2, name
            assert len({marker for marker, _ in looks}) == len(looks), name
            assert len({dashes for _, dashes in looks}) == len(looks), name


def test_scores_are_the_numbers_and_printed_ones_hollow(drawn, data):
    for ax, column in zip(drawn["weat_scores"].axes, ("weat_mcs", "weat_canonical"), strict=True):
        ours, printed = ax.get_lines()[:2]
        np.testing.assert_array_equal(ours.get_xdata(), data["weat_table"][column])
        np.testing.assert_array_equal(printed.get_xdata(), data["weat_table"][f"printed_{column}"])
        assert to_hex(printed.get_markerfacecolor()) == "#ffffff"
        assert to_hex(ours.get_markerfacecolor()) != "#ffffff"


def test_crosses_of_the_lattice_are_the_beaten_sublists(drawn, data):
    counts = experiments.consistency_counts(data["consistency"])
    shown = {(list_, q): 0 for list_ in data["within"] for q in range(1, 8)}
    axes = iter(drawn["within_lattices"].axes)
    for q in range(1, 8):
        for label, levels in data["within"].items():
            ax = next(axes)
            (crosses,) = ax.get_lines()
            columns, rows = crosses.get_data()
            values = levels[q - 1].values
            assert (values[rows, columns] > np.diagonal(values)[rows]).all()
            shown[label, q] = len(rows)
            assert ax.get_xlabel() == f"{len(rows)} of {len(values)}"
    for (label, q), found in shown.items():
        assert found == counts.at[label, q]


def test_a_consistent_lattice_has_no_cross():
    words = np.random.default_rng(3).standard_normal((4, 30))
    figure = figures.within_lattices(
        {"random": [subset_similarities(words, q, similarity="canonical") for q in range(1, len(words))]}
    )
    assert all(len(ax.get_lines()[0].get_xdata()) == 0 for ax in figure.axes)


def test_the_triples_that_beat_most_others_are_named(drawn, data):
    figure = drawn["beaten_triples"]
    large, small = figure.axes
    by, beaten = large.get_lines()[0].get_data()
    assert large.get_title() == f"mean cosine: {len(beaten)} of 56"
    assert len(small.get_lines()[0].get_xdata()) == 0
    diagonal = large.get_lines()[1].get_xydata()
    np.testing.assert_array_equal(diagonal, [(0, 0), (55, 55)])
    ticks = large.get_xticks().astype(int)
    wins = [int((by == tick).sum()) for tick in ticks]
    assert wins == sorted(np.unique(by, return_counts=True)[1], reverse=True)[:3]
    words = keywords.find("gender-sentiment", spaces.load(SPACE)).words["D"]
    triples = [", ".join(words[i] for i in data["within"]["unpleasant"][2].subsets[tick]) for tick in ticks]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [f"{triple}: beats {n}" for triple, n in zip(triples, wins, strict=True)]


def test_a_word_of_both_lists_is_drawn_once_and_black(drawn):
    ax = drawn["two_planes"].axes[0]
    marks = [line for line in ax.get_lines() if line.get_marker() == "D"]
    assert {line.get_color() for line in marks} == {"black"}
    ends = {tuple(np.round(line.get_xydata()[0], 9)) for line in marks}
    assert ends == {tuple(np.round(figures._seen_from_the_side([1.0, 0.0, 0.0]), 9))}


def test_curves_between_lists_are_the_numbers(drawn, data):
    ax = drawn["between_lattices"].axes[0]
    rows = data["between"].query("lists == 'male / pleasant' and metric == 'canonical, scaled'")
    np.testing.assert_array_equal(ax.get_lines()[0].get_ydata(), rows["mean"])
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (rows["minimum"].min(), rows["maximum"].max())


def test_diamonds_are_the_congruences_and_lines_their_intervals(drawn, data):
    ax = drawn["congruence_nulls"].axes[1]
    rows = data["nulls"].congruences.query("lists == 'male / unpleasant'")
    diamonds = next(line for line in ax.get_lines() if line.get_marker() == "D")
    np.testing.assert_array_equal(diamonds.get_ydata(), rows.query("null == 'A random'")["observed"])
    ends = np.concatenate([[path.vertices[:, 1] for path in c.get_paths()] for c in ax.collections])
    wanted = np.concatenate([rows.loc[rows["null"] == null, ["low", "high"]] for null in figures._NULLS])
    np.testing.assert_array_equal(ends, wanted)


def test_every_pool_has_its_interval(drawn, data):
    figure = drawn["pool_sensitivity"]
    titles = [ax.get_title().split(" / ") for ax in figure.axes]
    assert [first for first, _ in titles] == ["male", "male", "female", "female"]
    assert [second for _, second in titles] == ["pleasant", "unpleasant"] * 2
    pools = ["top 1,000 words", "top 5,000 words", "similar frequency", "random subspaces"]
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == pools
    rows = data["pools"].query(
        "quantity == 'canonical' and null == 'both random' and lists == 'male / pleasant'"
    )
    np.testing.assert_array_equal(figure.axes[0].get_lines()[0].get_xdata(), rows["mean"])


def test_hatched_arrangements_are_the_p_value(drawn, data):
    scores = data["permutation"]["score"]
    observed = scores[0]
    ax = drawn["permutation_distribution"].axes[0]
    hatched = sum(bar.get_height() for bar in ax.patches if bar.get_hatch())
    assert hatched == (scores >= observed - 1e-12).sum()
    assert sum(bar.get_height() for bar in ax.patches) == len(scores)


def test_bars_are_the_terms_and_end_at_the_difference(drawn, data):
    for ax, (_, part) in zip(
        drawn["distortion"].axes,
        data["distortion"].query("reading == 'derived'").groupby("design", sort=False),
        strict=True,
    ):
        np.testing.assert_allclose([bar.get_width() for bar in ax.patches], part["value"])
        hatched = [bar.get_width() for bar in ax.patches if bar.get_hatch()]
        np.testing.assert_allclose(hatched, part["alpha_1"].iloc[:1], atol=1e-12)
    printed = figures.distortion(data["distortion"], reading="printed")
    assert "β2·cov" in printed.axes[0].get_yticklabels()[1].get_text()


def test_points_of_the_groups_are_the_pairs(drawn, data):
    for ax in drawn["inner_products"].axes:
        female, male = ax.collections[:2]
        for points, x in ((female, 0), (male, 1)):
            rows = data["pairs"].loc[data["pairs"]["X"] == x, ["lnw", "inner_product"]]
            np.testing.assert_array_equal(points.get_offsets(), rows)
        assert female.get_paths()[0].vertices.shape != male.get_paths()[0].vertices.shape
    forced = drawn["inner_products"].axes[0].get_lines()[0]
    assert (forced.get_xdata()[0], forced.get_ydata()[0]) == (0, 0)
    local = drawn["local_similarity"].axes[0].collections[0].get_offsets()
    rows = data["local"].query("design == 'pleasant' and X == 0")[["cosine", "sim_local"]]
    np.testing.assert_array_equal(local, rows)


def test_the_gap_at_infinite_length_is_the_corrected_difference(drawn, data):
    ax = drawn["extrapolation"].axes[0]
    gap = next(line for line in ax.get_lines() if list(line.get_xdata()) == [0, 0])
    beta = data["judged"].query("design == 'unpleasant' and reading == 'at infinite length'")["difference"]
    assert np.diff(gap.get_ydata())[0] == pytest.approx(beta.iloc[0], abs=1e-12)
    means = [line.get_ydata()[0] for line in ax.get_lines() if len(line.get_xdata()) == 1]
    np.testing.assert_allclose(means, data["pairs"].groupby("X")["cosine"].mean())


def test_bars_reach_two_errors_to_each_side(drawn, data):
    for ax, (_, part) in zip(
        drawn["differences"].axes, data["judged"].groupby("design", sort=False), strict=True
    ):
        assert [tick.get_text() for tick in ax.get_yticklabels()] == part["reading"].tolist()
        for bars, column in zip(ax.containers, ("error_pairs", "error_words"), strict=True):
            ends = np.array([path.vertices[:, 0] for path in bars[2][0].get_paths()])
            wanted = part["difference"].to_numpy()[:, None] + 2 * np.outer(part[column], [-1, 1])
            np.testing.assert_allclose(ends, wanted)


def test_a_word_left_out_has_rings_and_the_line_of_the_others(data):
    pairs = data["pairs"]
    lines = experiments.ratio_lines(pairs)
    ax = figures.extrapolation(pairs, lines, left_out="hers").axes[0]
    (line,) = (line for line in ax.get_lines() if line.get_label() == "female without hers")
    others = experiments.ratio_lines(pairs[pairs["a"] != "hers"]).query("X == 0")
    np.testing.assert_allclose(line.get_xdata(), others["reciprocal"].iloc[[0, 2]])
    np.testing.assert_allclose(line.get_ydata(), others["cosine"].iloc[[0, 2]])
    own = pairs[pairs["a"] == "hers"]
    rings = np.asarray(ax.collections[-1].get_offsets())
    np.testing.assert_allclose(rings, np.column_stack([1 / own["lnw"], own["cosine"]]))


def test_figures_are_closed_and_settings_left_alone(data):
    before = dict(mpl.rcParams)
    figures.weat_scores(data["weat_table"])
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_importing_the_experiments_does_not_import_matplotlib():
    code = "import reanalyses.kindel2023.experiments, sys; "
    code += "sys.exit(any(m.split('.')[0] in ('matplotlib', 'seaborn') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_effect_sizes_are_ours_filled_and_the_published_ones_hollow(drawn, data):
    for ax, table in zip(drawn["effect_sizes"].axes, data["effect_sizes"].values(), strict=True):
        hollow, filled = ax.get_lines()[:2]
        assert hollow.get_markerfacecolor() == "none" != filled.get_markerfacecolor()
        np.testing.assert_array_equal(hollow.get_xdata(), table["published"])
        np.testing.assert_array_equal(filled.get_xdata(), table["effect_size"])


def test_every_word_has_its_association(drawn):
    table = experiments.word_association_table(SPACE)
    for ax, (label, part) in zip(
        drawn["word_associations"].axes, table.groupby("list", sort=False), strict=True
    ):
        assert ax.get_title() == label
        assert [tick.get_text() for tick in ax.get_yticklabels()] == part["word"].tolist()
        np.testing.assert_array_equal(ax.get_lines()[0].get_xdata(), part["association"])


def test_both_panels_of_associations_have_both_means(drawn):
    table = experiments.word_association_table(SPACE)
    means = table.groupby("list", sort=False)["association"].mean()
    for ax, own in zip(drawn["word_associations"].axes, means, strict=True):
        at = {line.get_linestyle(): line.get_xdata()[0] for line in ax.get_lines()[2:]}
        (other,) = set(means) - {own}
        assert at == {"--": own, ":": other}


def test_curves_are_as_far_apart_as_the_effect_size_says(drawn):
    for ax, size in zip(drawn["overlaps"].axes, (1.5, 1.9), strict=True):
        tops = [line.get_xdata()[np.argmax(line.get_ydata())] for line in ax.get_lines()]
        d = size / np.sqrt(1 - size**2 / 4)
        assert tops[1] - tops[0] == pytest.approx(d, abs=0.04)  # two steps of the grid
        assert f"d = {d:.1f}" in ax.get_title()


def test_a_small_tail_is_drawn_again_enlarged():
    table = experiments.permutation_distribution("glove-weat", "weat-7")
    (tail,) = figures.permutation_distribution(table).axes[0].child_axes
    shown = sum(bar.get_height() for bar in tail.patches)
    assert shown == (table["score"] >= table.loc[table["observed"], "score"].iloc[0] - 1e-12).sum()
    assert f"{shown:.0f}," in tail.get_title()


def test_points_lie_at_their_level_by_chance(drawn, data):
    table = data["chance_levels"]
    for ax, (_, part) in zip(drawn["chance_levels"].axes, table.groupby("space", sort=False), strict=True):
        points = np.concatenate([np.asarray(scatter.get_offsets()) for scatter in ax.collections])
        expected = part[["chance", "canonical"]].to_numpy()
        np.testing.assert_allclose(points[np.lexsort(points.T)], expected[np.lexsort(expected.T)])
        x, y = ax.get_lines()[0].get_data()
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.two_planes({"A": np.eye(2, 3)}), "lists lack tilted"),
        (lambda: figures.chance_levels(pd.DataFrame({"space": []})), "table lacks the columns n, chance"),
        (lambda: figures.effect_sizes({"x": pd.DataFrame()}), "a table lacks the columns test"),
        (lambda: figures.effect_sizes({}), "there is nothing to draw"),
        (lambda: figures.weat_scores(pd.DataFrame({"test": []})), "table lacks the columns weat_mcs"),
        (lambda: figures.within_lattices({}), "lattices holds no list"),
        (lambda: figures.between_heatmaps({}), "matrices holds no lattice"),
        (lambda: figures.distortion(pd.DataFrame({"design": []})), "table lacks the columns reading"),
        (lambda: figures.differences(pd.DataFrame({"design": []})), "table lacks the columns reading"),
        (lambda: figures.extrapolation(pd.DataFrame({"X": []}), None), "pairs lacks the columns group"),
        (lambda: figures.local_similarity(pd.DataFrame({"design": []})), "table lacks the columns group"),
        (lambda: figures.pool_sensitivity(POOLS, quantity="cosine"), "quantity is 'cosine'"),
        (lambda: figures.partial_randomization(POOLS), "table lacks the columns randomize, n_random"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_curve_of_effect_sizes_stays_below_its_limit_and_the_tests_on_it(drawn):
    ax = drawn["effect_size_limit"].axes[0]
    curve, _, limit, dots = ax.get_lines()
    assert set(limit.get_ydata()) == {2}
    assert max(curve.get_ydata()) < 2
    on_curve = np.interp(dots.get_xdata(), curve.get_xdata(), curve.get_ydata())
    np.testing.assert_allclose(dots.get_ydata(), on_curve, rtol=0.05)
