"""Figures show what the tables hold, in a form that does not need color, and fit a phone."""

from __future__ import annotations

import matplotlib as mpl

from tests.reanalyses import figure_rules

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from scipy import stats

from reanalyses.roychowdhury2024 import experiments, figures
from reanalyses.roychowdhury2024.experiments.grouped_accuracy import accuracy_of_groups
from tests.reanalyses.roychowdhury2024.variants_for_tests import GOLD, some_variants


@pytest.fixture(scope="module")
def data():
    """Every table that a figure is drawn from, small where it can be."""
    variants = some_variants()
    few = variants[:3]
    ranks = experiments.ranks_of(few, GOLD)
    samples = experiments.samples_of(variants[3], GOLD)
    scores = experiments.variant_scores(variants, GOLD, n_resamples=40)
    return {
        "widths": experiments.width_against_questions(
            ranks["plain 2"], sizes=(50, 100, 400), n_resamples=100
        ),
        "draws": {
            "few": experiments.bootstrap_draws(ranks["plain 2"], n_resamples=100, n_questions=100),
            "many": experiments.bootstrap_draws(ranks["plain 2"], n_resamples=2000),
        },
        "by_accuracy": experiments.width_by_accuracy((0.5, 0.7, 0.9), n_repeats=100),
        "printed_widths": experiments.printed_widths(n_repeats=50),
        "performance": experiments.performance_table(ranks, n_resamples=100, n_questions=100),
        "changes": experiments.printed_width_changes(),
        "at_k": experiments.accuracy_at_k(ranks, ks=(1, 5, 10), n_resamples=100),
        "pairs": experiments.paired_and_single(ranks, n_resamples=100),
        "steps": experiments.threshold_steps(samples),
        "densities": experiments.similarity_distributions(few, GOLD),
        "cost": experiments.threshold_curves(few, GOLD, psi=range(0, 60, 10)),
        "losses": experiments.printed_threshold_losses(),
        "overlaps": experiments.overlap_curves(few, GOLD, n_resamples=50),
        "parts": experiments.overlap_parts(variants, GOLD),
        "spread": experiments.random_spread(variants, GOLD),
        "adaptation": experiments.adaptation_table(ranks, baseline="plain 0", n_resamples=100),
        "transforms": experiments.printed_transforms(),
        "correlations": experiments.correlation_table(scores, interval="fisher"),
        "groups": accuracy_of_groups(ranks, np.arange(len(GOLD)) % 3, ["few", "some", "many"]),
        "modules": experiments.accuracy_by_group(ranks["plain 2"], np.arange(len(GOLD)) % 6, n_least=2),
        "prices": {
            "each document": (np.linspace(0, 0.2, 80), np.linspace(0, 0.5, 80)),
            "the list": (np.linspace(0, 0.1, 90), np.linspace(0, 1, 90)),
        },
        "price_bands": {
            "each document": (np.linspace(0, 0.4, 80), np.linspace(0.1, 0.6, 80)),
            "the list": (np.linspace(0, 0.9, 90), np.linspace(0.2, 1, 90)),
        },
        "best": {"ours": np.linspace(0.3, 0.9, 200), "foreign": np.linspace(0.1, 0.6, 40)},
        "families": pd.DataFrame(
            {
                "family": ["a", "a", "b", "b"] * 2,
                "transform": ["Baseline"] * 4 + ["Whitened"] * 4,
                "accuracy": [50.0, 60.0, 30.0, 40.0, 45.0, 50.0, 35.0, 20.0],
                "i_a": [0.1, 0.3, 0.2, 0.25, 0.9, 0.95, 0.92, 0.99],
                "i_b": [0.1, 0.2, 0.15, 0.25, 0.9, 0.95, 0.92, 0.99],
            }
        ),
        "memory": pd.DataFrame(
            {
                "pull": [np.nan, 0.5, 0.5, 8.0, 8.0],
                "scored_on": ["as published", "seen", "new", "seen", "new"],
                "accuracy": [75.0, 99.0, 74.0, 90.0, 78.0],
            }
        ),
        "whitening": pd.DataFrame(
            [
                (encoder, side, floor, at + 10 * i, at + 10 * i - 2, at + 10 * i + 3)
                for encoder, at in (("GloVe", 5.0), ("E5", -9.0))
                for side in ("documents", "both sides")
                for i, floor in enumerate((0.01, 0.1, 1.0))
            ],
            columns=["encoder", "fitted_on", "floor", "gain", "low", "high"],
        ),
        "distances": experiments.separation_distances(experiments.separations(variants)),
    }


def moved(gains):
    return gains.dropna(subset=["difference"]).assign(difference=1.0, low=0.0, high=3.0)


@pytest.fixture(scope="module")
def drawn(data):
    found = {
        "interval_widths": figures.interval_widths(data["widths"]),
        "bootstrap_histogram": figures.bootstrap_histogram(data["draws"], estimate=0.5),
        "winners_leads": figures.winners_leads(np.array([0.0, 1, 3]), np.array([-2.0, 0, 1])),
        "printed_widths": figures.printed_widths(
            data["by_accuracy"], data["printed_widths"], data["performance"]
        ),
        "widths_after_adaptation": figures.widths_after_adaptation(data["changes"]),
        "accuracy_curves": figures.accuracy_curves(data["at_k"]),
        "paired_intervals": figures.paired_intervals(data["pairs"]),
        "threshold_steps": figures.threshold_steps(data["steps"]),
        "similarity_densities": figures.similarity_densities(data["densities"]),
        "threshold_cost": figures.threshold_cost(data["cost"]),
        "printed_losses": figures.printed_losses(data["losses"]),
        "overlap_curves": figures.overlap_curves(data["overlaps"]),
        "overlap_parts": figures.overlap_parts(data["parts"]),
        "random_spread": figures.random_spread(data["spread"]),
        "adaptation": figures.adaptation(data["adaptation"]),
        "gains_side_by_side": figures.gains_side_by_side(
            {"at home": data["adaptation"], "away": moved(data["adaptation"])}, baseline="MiniLM"
        ),
        "isotropy_and_accuracy": figures.isotropy_and_accuracy(data["transforms"]),
        "correlation_intervals": figures.correlation_intervals(data["correlations"]),
        "accuracy_by_group": figures.accuracy_by_group(data["groups"], xlabel="words in common"),
        "accuracy_of_modules": figures.accuracy_of_modules(data["modules"], overall=0.6),
        "silence": figures.silence(data["best"], marks={"low": 0.3, "high": 0.5}),
        "price_of_silence": figures.price_of_silence(
            data["prices"], bands=data["price_bands"], marks={"few": 0.01, "three": 0.03}
        ),
        "families": figures.families(data["families"]),
        "families_by_transform": figures.families_by_transform(data["families"], score="i_b", pool="all"),
        "memory": figures.memory(data["memory"]),
        "whitening_by_floor": figures.whitening_by_floor(data["whitening"]),
        "separations": figures.separations(data["distances"]),
    }
    for figure in found.values():
        FigureCanvasAgg(figure).draw()  # once: laying out is slow
    return found


def test_every_figure_is_drawn(drawn):
    figure_rules.assert_all_are_drawn(drawn, figures.__all__)


def test_text_is_readable_and_the_ground_white(drawn):
    figure_rules.assert_readable(drawn)


def test_few_panels_to_a_row(drawn):
    figure_rules.assert_few_panels(drawn, {})


def test_no_two_texts_of_a_figure_overlap(drawn):
    figure_rules.assert_no_texts_overlap(drawn)


def sign(handle):
    """Kind of artist, marker and dashes."""
    if not hasattr(handle, "get_marker"):
        return type(handle).__name__
    return handle.get_marker(), handle.get_linestyle()


@pytest.mark.parametrize(
    "name",
    [
        "accuracy_curves",
        "similarity_densities",
        "overlap_curves",
        "random_spread",
        "isotropy_and_accuracy",
        "families",
        "families_by_transform",
        "memory",
        "whitening_by_floor",
        "separations",
        "silence",
        "price_of_silence",
        "accuracy_of_modules",
        "overlap_parts",
        "interval_widths",
        "widths_after_adaptation",
    ],
)
def test_color_is_never_the_only_sign(drawn, name):
    signs = [sign(handle) for handle in figure_rules.legend_of(drawn[name]).legend_handles]
    assert len(set(signs)) == len(signs)


@pytest.mark.parametrize(
    ("name", "n"), [("adaptation", 2), ("paired_intervals", 3), ("correlation_intervals", 3)]
)
def test_intervals_have_markers_of_their_own(drawn, name, n):
    assert len(figure_rules.legend_of(drawn[name]).legend_handles) == n
    lines = [line for ax in drawn[name].axes for line in ax.get_lines()]
    assert len({line.get_marker() for line in lines} & set("osDX")) == n


def test_lines_of_variants_differ_in_dashes_too(drawn):
    for name in ("threshold_cost", "accuracy_curves", "similarity_densities"):
        lines = [line for line in drawn[name].axes[0].get_lines() if len(line.get_xdata()) > 2]
        assert len({str(line._dash_pattern) for line in lines}) == len(lines), name


def test_marks_are_the_numbers(drawn, data):
    line = next(one for one in drawn["printed_losses"].axes[0].get_lines() if one.get_marker() == "h")
    table = data["losses"]
    np.testing.assert_array_equal(line.get_ydata(), table.loc[table["model"].str.startswith("bge"), "loss"])
    line = next(one for one in drawn["interval_widths"].axes[0].get_lines() if one.get_marker() == "o")
    np.testing.assert_allclose(line.get_ydata(), 100 * data["widths"]["bootstrap"])
    printed = next(
        one for one in drawn["correlation_intervals"].axes[0].get_lines() if one.get_marker() == "X"
    )
    np.testing.assert_array_equal(printed.get_xdata(), data["correlations"]["printed"])
    least = drawn["threshold_steps"].axes[0].get_lines()[-1]
    np.testing.assert_array_equal(least.get_xdata(), data["steps"].least)
    total = sum(patch.get_height() for patch in drawn["bootstrap_histogram"].axes[1].patches)
    assert total == 2000


def test_draws_in_which_the_winner_is_behind_are_hatched():
    figure = figures.winners_leads(np.array([0.0, 1.0, 1.0, 4.0]), np.array([-2.0, -1.0, 0.0, 1.0]))
    for ax, hatched in zip(figure.axes, (0, 2), strict=True):
        assert sum(bar.get_height() for bar in ax.patches) == 4
        assert sum(bar.get_height() for bar in ax.patches if bar.get_hatch()) == hatched
    plt.close(figure)


def test_tables_that_lack_columns_are_refused(data):
    with pytest.raises(ValueError, match="table lacks the columns psi"):
        figures.threshold_cost(data["cost"].drop(columns="psi"))
    with pytest.raises(ValueError, match="nothing to draw"):
        figures.bootstrap_histogram({})
    assert not plt.get_fignums()


def test_small_random_overlaps_can_be_told_apart(drawn, data):
    """Overlaps with random documents of a few in a thousand are not drawn as zero."""
    ax = drawn["overlap_curves"].axes[1]
    assert ax.get_yscale() == "log"
    values = data["overlaps"]["roe_full"]
    low, high = ax.get_ylim()
    assert low < values[values > 0].min()
    assert high > values.max()


def test_groups_stand_in_order_with_their_accuracies(drawn, data):
    axes = drawn["accuracy_by_group"].axes[0]
    names = [label.get_text().split("\n")[0] for label in axes.get_xticklabels()]
    assert names == ["few", "some", "many"]
    expected = 100 * data["groups"]["accuracy"].iloc[:3]
    heights = np.asarray(axes.containers[0].lines[0].get_ydata(), dtype=float)
    np.testing.assert_allclose(heights, expected.to_numpy())


def test_gains_on_two_sets_of_questions_have_a_panel_each_and_one_order(drawn, data):
    home, away = drawn["gains_side_by_side"].axes[:2]
    assert [home.get_title(), away.get_title()] == ["at home", "away"]
    rows = data["adaptation"].dropna(subset=["difference"])
    assert [label.get_text() for label in home.get_yticklabels()] == list(rows["model"])
    assert home.get_ylim() == away.get_ylim()
    assert home.get_xlim() == away.get_xlim()
    for ax, expected in ((home, rows["difference"]), (away, np.ones(len(rows)))):
        shown = np.asarray(ax.containers[0].lines[0].get_xdata(), dtype=float)
        np.testing.assert_allclose(shown, np.asarray(expected, dtype=float))
        assert "MiniLM" in ax.get_xlabel()


def test_gains_of_other_models_are_refused(data):
    tables = {"at home": data["adaptation"], "away": data["adaptation"].iloc[::-1]}
    with pytest.raises(ValueError, match="same order"):
        figures.gains_side_by_side(tables, baseline="MiniLM")


def test_the_marked_pull_is_a_vertical_line(data):
    lines = figures.memory(data["memory"], marked=8.0).axes[0].get_lines()
    assert [8.0, 8.0] in [list(line.get_xdata()) for line in lines]


def test_intervals_of_a_learned_map_are_a_band_around_its_line(data):
    ends = data["memory"].assign(low=data["memory"]["accuracy"] - 2, high=data["memory"]["accuracy"] + 3)
    ax = figures.memory(ends).axes[0]
    assert len(ax.collections) == 2
    for band, (_, rows) in zip(ax.collections, ends.dropna().groupby("scored_on", sort=False), strict=True):
        corners = {(x, y) for x, y in band.get_paths()[0].vertices}
        assert set(zip(rows["pull"], rows["low"], strict=True)) <= corners
        assert set(zip(rows["pull"], rows["high"], strict=True)) <= corners
    assert not figures.memory(data["memory"]).axes[0].collections


def test_a_map_without_a_pull_is_a_level_line(drawn, data):
    lines = {line.get_label(): line for line in drawn["memory"].axes[0].get_lines()}
    assert set(lines["as published"].get_ydata()) == {75.0}
    for name in ("seen", "new"):
        rows = data["memory"].query("scored_on == @name")
        np.testing.assert_array_equal(lines[name].get_xdata(), rows["pull"])
        np.testing.assert_array_equal(lines[name].get_ydata(), rows["accuracy"])


def test_whitening_has_a_panel_for_what_it_is_fitted_on_and_a_line_for_each_encoder(drawn, data):
    axes = [ax for ax in drawn["whitening_by_floor"].axes if ax.get_title()]
    assert [ax.get_title() for ax in axes] == ["fitted on documents", "fitted on both sides"]
    for ax, side in zip(axes, ("documents", "both sides"), strict=True):
        lines = {line.get_label(): line for line in ax.get_lines()}
        for encoder, band in zip(("GloVe", "E5"), ax.collections, strict=True):
            table = data["whitening"]
            rows = table[(table["fitted_on"] == side) & (table["encoder"] == encoder)]
            np.testing.assert_array_equal(lines[encoder].get_xdata(), rows["floor"])
            np.testing.assert_array_equal(lines[encoder].get_ydata(), rows["gain"])
            corners = {(x, y) for x, y in band.get_paths()[0].vertices}
            for end in ("low", "high"):
                assert set(zip(rows["floor"], rows[end], strict=True)) <= corners


def test_named_encoders_have_their_name_in_their_panel(data):
    table = data["families"].assign(encoder=["one", "two", "three", "four"] * 2)
    second = table["transform"].iloc[-1]
    drawn = figures.families_by_transform(table, named={second: ["two"]})
    notes = [(ax.get_title(), note.get_text(), note.xy) for ax in drawn.axes for note in ax.texts]
    row = table[(table["encoder"] == "two") & (table["transform"] == second)].iloc[0]
    assert [(title.split(",")[0], *rest) for title, *rest in notes] == [
        (second, "two", (row["i_a"], row["accuracy"]))
    ]


def test_every_transformation_has_a_panel_with_its_own_trend(drawn, data):
    table = data["families"]
    axes = [ax for ax in drawn["families_by_transform"].axes if ax.get_title()]
    for ax, (name, rows) in zip(axes[:-1], table.groupby("transform", sort=False), strict=True):
        lines = {line.get_label(): line for line in ax.get_lines()}
        slope, start = np.polyfit(rows["i_b"], rows["accuracy"], 1)
        x, y = lines["trend"].get_data()
        np.testing.assert_allclose(y, start + slope * np.asarray(x))
        np.testing.assert_allclose(lines["b"].get_ydata(), rows["accuracy"][2:])
        r = np.corrcoef(rows["i_b"], rows["accuracy"])[0, 1]
        assert ax.get_title() == f"{name}, $r$ = {r:.2f}".replace("-", "−")


def test_the_pool_has_all_rows_on_one_axis_and_a_sign_for_each_transformation(drawn, data):
    table = data["families"]
    ax = [ax for ax in drawn["families_by_transform"].axes if ax.get_title()][-1]
    r = np.corrcoef(table["i_b"], table["accuracy"])[0, 1]
    assert ax.get_title() == f"all, $r$ = {r:.2f}".replace("-", "−")
    lines = {line.get_label(): line for line in ax.get_lines()}
    slope, start = np.polyfit(table["i_b"], table["accuracy"], 1)
    x, y = lines.pop("trend").get_data()
    np.testing.assert_allclose(y, start + slope * np.asarray(x))
    assert set(lines) == set(table["transform"])
    for name, line in lines.items():
        rows = table[table["transform"] == name]
        np.testing.assert_array_equal(line.get_xdata(), rows["i_b"])
        np.testing.assert_array_equal(line.get_ydata(), rows["accuracy"])
    legends = [*drawn["families_by_transform"].legends]
    legends += [one.get_legend() for one in drawn["families_by_transform"].axes if one.get_legend()]
    signs = [(one.get_marker(), one.get_linestyle()) for legend in legends for one in legend.legend_handles]
    assert len(signs) == len(set(signs)) == 1 + 2 + 2
    alone = figures.families_by_transform(table)
    assert [ax.get_title().split(",")[0] for ax in alone.axes] == ["Baseline", "Whitened"]


def test_samples_may_be_of_another_thing_than_accuracy(data):
    drawn = figures.bootstrap_histogram(data["draws"], xlabel="correlation")
    assert {ax.get_xlabel() for ax in drawn.axes} == {"correlation"}


def test_trends_of_families_are_least_squares(drawn, data):
    table = data["families"]
    for ax, score in zip(drawn["families"].axes, ("i_a", "i_b"), strict=True):
        lines = {line.get_label(): line for line in ax.get_lines()}
        for label, rows in (("trend, as they are", table[:4]), ("trend, all points", table)):
            slope, start = np.polyfit(rows[score], rows["accuracy"], 1)
            x, y = lines[label].get_data()
            np.testing.assert_allclose(y, start + slope * np.asarray(x))
        np.testing.assert_allclose(lines["b"].get_ydata(), [30, 40])


def test_groups_need_no_lines_and_ndcg_can_be_left_out(data):
    plain = figures.accuracy_by_group(data["groups"], xlabel="words", joined=False)
    assert {box.lines[0].get_linestyle() for box in plain.axes[0].containers} == {"None"}
    widths = figures.interval_widths(data["widths"], ndcg=False, marked=77)
    names = [text.get_text() for text in figure_rules.legend_of(widths).get_texts()]
    assert not any("NDCG" in name for name in names)
    assert "our 77 questions" in names
    cost = figures.threshold_cost(data["cost"], metrics=("accuracy",))
    assert [ax.get_title() for ax in cost.axes if ax.get_visible()] == ["accuracy"]
    plt.close("all")


def test_modules_stand_from_the_hardest_to_the_easiest(drawn, data):
    axes = drawn["accuracy_of_modules"].axes[0]
    dots = next(line for line in axes.get_lines() if line.get_marker() == "o")
    np.testing.assert_allclose(dots.get_xdata(), 100 * data["modules"]["accuracy"])
    bars = np.array([segment[:, 0] for segment in axes.collections[0].get_segments()])
    assert (bars[:, 0] <= dots.get_xdata() + 1e-9).all()
    assert (bars[:, 1] >= dots.get_xdata() - 1e-9).all()


def test_silence_counts_the_questions_whose_best_document_is_below(drawn, data):
    axes = drawn["silence"].axes[0]
    for line, values in zip(axes.get_lines(), data["best"].values(), strict=False):
        for tau, share in zip(line.get_xdata()[::40], line.get_ydata()[::40], strict=True):
            assert share == pytest.approx(100 * (values < tau).mean())


def test_thresholds_are_marked_where_they_are(drawn):
    low, high = drawn["silence"].axes[0].get_lines()[2:]
    assert set(low.get_xdata()) == {0.3}
    assert set(high.get_xdata()) == {0.5}


def test_bands_of_silence_are_those_of_clopper_and_pearson(drawn, data):
    axes = drawn["silence"].axes[0]
    for band, values in zip(axes.collections, data["best"].values(), strict=False):
        n, corners = len(values), band.get_paths()[0].vertices
        for tau in np.unique(corners[:, 0])[::40]:
            k = (values < tau).sum()
            ends = stats.beta.ppf([0.025, 0.975], [k, k + 1], [n - k + 1, n - k])
            ends = np.where(np.isnan(ends), [0, 1], ends)  # nothing below, or everything
            of_band = corners[corners[:, 0] == tau, 1]
            assert [of_band.min(), of_band.max()] == pytest.approx(100 * ends, abs=1e-9)


def test_the_price_of_silence_is_drawn_in_percent_with_bands_and_marks(drawn, data):
    axes = drawn["price_of_silence"].axes[0]
    *curves, few, three = axes.get_lines()
    for curve, values in zip(curves, data["prices"].values(), strict=True):
        np.testing.assert_allclose(curve.get_data(), 100 * np.array(values))
    for band, (low, high) in zip(axes.collections, data["price_bands"].values(), strict=True):
        corners = band.get_paths()[0].vertices
        assert [corners[:, 1].min(), corners[:, 1].max()] == pytest.approx(
            [100 * low.min(), 100 * high.max()]
        )
    assert set(few.get_xdata()) == {1}
    assert set(three.get_xdata()) == {3}


def test_modules_may_have_a_band_of_chance(data):
    chance = np.sort(np.random.default_rng(0).random((200, len(data["modules"]))), axis=1)
    figure = figures.accuracy_of_modules(data["modules"], overall=0.6, chance=chance)
    band = next(one for one in figure.axes[0].collections if one.get_label() == "by chance, 95%").get_datalim(
        figure.axes[0].transData
    )
    ends = 100 * np.percentile(chance, [2.5, 97.5], axis=0)
    assert band.x0 == pytest.approx(ends[0, 0])
    assert band.x1 == pytest.approx(ends[1, -1])
    plt.close("all")
