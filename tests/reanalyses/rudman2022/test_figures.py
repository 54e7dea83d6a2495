"""Figures show what the tables hold, in a form that does not need color, and fit a phone."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import matplotlib as mpl

from tests.reanalyses import figure_rules

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from isotropy_lab.isotropy import isoscore_interval
from reanalyses import style as drawing
from reanalyses.rudman2022 import clouds, experiments, figures, layer_scores
from reanalyses.rudman2022.claims import six_tests
from reanalyses.rudman2022.experiments import marks


@pytest.fixture(scope="module")
def curves():
    return six_tests()


@pytest.fixture(scope="module")
def layers():
    makers = [clouds.power_law_spectrum(200, 8, exponent=x, rng=1) + x for x in (0.0, 0.5, 1.0)]
    return experiments.scores_by_layer(makers)


def _states() -> SimpleNamespace:
    """Three layers of 90 tokens in six dimensions, each with another mean; a third of the tokens are alike."""
    tokens = np.array(["the", "a", "of"] * 30)
    made = [clouds.isotropic_gaussian(90, 6, mean=mean, rng=0) for mean in (0.5, 1.0, 5.0)]
    return SimpleNamespace(layers=made, token=tokens)


def _all(curves, layers) -> dict[str, Figure]:
    reference = pd.DataFrame({"model": "M", "layer": [1, 2, 3, 4], "isoscore": [0.1, 0.2, 0.1, 0.05]})
    coverage = experiments.interval_coverage(cells=((5, 40), (5, 80)), n_repeats=5, n_resamples=20)
    laws = ("uniform", "poisson", "student-t", "chi-square")
    return {
        "line_disk_ball": figures.line_disk_ball(*(clouds.uniform_ball(100, k, rng=0) for k in (1, 2, 3))),
        "zero_mean_effect": figures.zero_mean_effect(clouds.isotropic_gaussian(100, 2, mean=6.0, rng=0)),
        "long_axis": figures.long_axis((1, 3, 75)),
        "agreement": figures.agreement(marks.agreement(curves, tolerances=(0.01, 0.1, 0.25, 0.4))),
        "bootstrap_scores": figures.bootstrap_scores(
            np.linspace(0.4, 0.6, 50),
            isoscore_interval(clouds.power_law_spectrum(60, 5, rng=0)),
            plug_in=0.5,
            reference=0.7,
        ),
        "rotations": figures.rotations(clouds.correlated_pair(100, rng=0)),
        "skewered_meatball": figures.skewered_meatball(
            clouds.skewered_meatball(90, n_line=30, rng=0), n_line=30
        ),
        "invariance_tests": figures.invariance_tests(curves),
        "dimensions_and_stability": figures.dimensions_and_stability(curves),
        "isotropic_distributions": figures.isotropic_distributions(
            {law: clouds.independent_coordinates(law, 100, rng=0) for law in laws}
        ),
        "scores_by_layer": figures.scores_by_layer(layers.assign(model="ours"), reference=reference),
        "finite_sample_bias": figures.finite_sample_bias(
            experiments.finite_sample_bias(n_dimensions=(5, 10), n_points=(20, 40), n_repeats=3)
        ),
        "interval_coverage": figures.interval_coverage(coverage),
        "six_changes": figures.six_changes(curves, marks.derive(curves)),
        "first_tokens": figures.first_tokens(layer_scores.decoder_layer()),
        "layers_from_the_origin": figures.layers_from_the_origin(_states(), [0, 2, 1]),
        "property_marks": figures.property_marks(marks.derive(curves)),
        "spread_angles": figures.spread_angles([(1, 1), (3, 1), (75, 1)]),
        "spectrum": figures.spectrum(
            {"flat": np.ones(20), "1/j": clouds.power_law_eigenvalues(20)}, truth=0.05
        ),
    }


@pytest.fixture(scope="module")
def drawn(curves, layers):
    return _all(curves, layers)


def test_every_figure_is_drawn(drawn):
    figure_rules.assert_all_are_drawn(drawn, figures.__all__)


def test_text_is_readable_and_the_ground_white(drawn):
    figure_rules.assert_readable(drawn)


def test_few_panels_to_a_row(drawn):
    # three clouds whose axes need not be read
    figure_rules.assert_few_panels(drawn, {"line_disk_ball": 3})


def test_no_two_texts_of_a_figure_overlap(drawn):
    figure_rules.assert_no_texts_overlap(drawn)


def test_color_is_never_the_only_sign(drawn):
    for name in ("invariance_tests", "dimensions_and_stability", "finite_sample_bias", "spectrum"):
        for ax in drawn[name].axes:
            lines = [line for line in ax.get_lines() if line.get_marker() not in ("None", None, "")]
            looks = [
                (line.get_marker(), str(line.get_linestyle()), str(line._dash_pattern)) for line in lines
            ]
            assert len({marker for marker, _, _ in looks}) == len(looks), name
            assert len({(style, dashes) for _, style, dashes in looks}) == len(looks), name


def test_arrows_point_where_the_variances_do(drawn):
    texts = drawn["spread_angles"].axes[0].texts
    ends = [text.xy for text in texts if text.arrow_patch is not None]
    np.testing.assert_allclose(
        ends, [(0.5**0.5, 0.5**0.5), (0.9**0.5, 0.1**0.5), (0.99991, 0.01333)], atol=1e-4
    )
    said = " ".join(text.get_text() for text in texts)
    assert "(1, 1): 0°\nshare 1.00" in said
    assert "(3, 1): 27°\nshare 0.80" in said
    assert "(75, 1): 44°\nshare 0.51" in said


def test_curves_are_the_numbers(drawn, curves):
    ax = drawn["invariance_tests"].axes[2]
    curve = curves["maximum_variance"].query("score == 'isoscore'")
    x, y = ax.get_lines()[0].get_data()
    np.testing.assert_array_equal(x, curve["parameter"].astype(float))
    np.testing.assert_array_equal(y, curve["value"])
    labels = [t.get_text() for t in figure_rules.legend_of(drawn["invariance_tests"]).get_texts()]
    assert labels == list(figures.LABELS.values())


def test_layer_figure_shows_values_and_intervals(drawn, layers):
    axes = [ax for ax in drawn["scores_by_layer"].axes if ax.axison]
    assert [ax.get_title() for ax in axes] == list(figures.LABELS.values())
    rows = layers.query("score == 'isoscore'")
    np.testing.assert_array_equal(axes[0].get_lines()[0].get_ydata(), rows["value"])
    band = axes[0].collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(rows["high"].max())
    assert band[:, 1].min() == pytest.approx(rows["low"].min())
    assert len(axes[0].get_lines()) == 2  # ours and the reference


def test_small_scores_can_have_a_logarithmic_axis(layers):
    one = layers.query("score in ['isoscore', 'varex_score']").assign(low=1e-5)
    axes = figures.scores_by_layer(one, log_scale=["isoscore"]).axes[:2]
    assert [ax.get_yscale() for ax in axes] == ["log", "linear"]
    assert axes[0].get_ylim()[0] < 1e-5


def test_the_interval_in_the_legend_has_the_color_of_the_widest():
    table = experiments.by_token_set(
        layer_scores.decoder_scores().query("score == 'isoscore'"), layer_scores.few_tokens()
    )
    figure = figures.scores_by_layer(table, log_scale=["isoscore"])
    legend = figure_rules.legend_of(figure)
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == [*dict.fromkeys(table["model"]), "95% interval"]
    swatch, band = legend.get_patches()[0], figure.axes[0].collections[1]
    assert to_hex(swatch.get_facecolor()) == to_hex(band.get_facecolor()[0])


def test_property_figure_has_thirty_marks_and_a_box_for_each_difference(drawn, curves):
    ax = drawn["property_marks"].axes[0]
    table = marks.derive(curves)
    texts = [t.get_text() for t in ax.texts]
    assert (texts.count("✓"), texts.count("×")) == (table["derived"].sum(), (~table["derived"]).sum())
    assert len(ax.patches) == (~table["agrees"]).sum()


def test_grid_of_changes_has_each_curve_in_its_cell_and_the_derived_marks(drawn, curves):
    ax = drawn["six_changes"].axes[0]
    table = marks.derive(curves)
    texts = [t.get_text() for t in ax.texts if t.get_text()[0] in "✓×"]
    assert [text[0] for text in texts] == ["✓" if derived else "×" for derived in table["derived"]]
    # Each cross says why, and no tick does.
    assert all((len(text) > 2) == (text[0] == "×") for text in texts)
    found = [line for line in ax.get_lines() if line.get_marker() in ("None", None, "")]
    assert len(found) == 30
    row, column = 4, 3  # dimensions used, ID score
    values = curves["dimensions_used_fraction"].query("score == 'id_score'")["value"].to_numpy()
    line = found[5 * row + column]
    heights = line.get_ydata()
    np.testing.assert_allclose(
        (heights[0] - heights) / (heights[0] - heights[-1]), (values - values[0]) / (values[-1] - values[0])
    )
    assert (np.abs(line.get_xdata() - column) < 0.5).all()
    assert (np.abs(heights - row) < 0.5).all()


def test_outlines_are_two_standard_deviations_out(drawn):
    for x, line in zip((1, 3, 75), drawn["long_axis"].axes[0].get_lines(), strict=True):
        across, up = line.get_data()
        np.testing.assert_allclose(across**2 / x + up**2, 4)


def test_marks_by_tolerance_are_counted(drawn, curves):
    every, isoscore_only = (
        line for line in drawn["agreement"].axes[0].get_lines() if len(line.get_xdata()) == 4
    )
    table = marks.agreement(curves, tolerances=(0.01, 0.1, 0.25, 0.4)).query("meatball_start == 'at-zero'")
    np.testing.assert_array_equal(every.get_ydata(), table["agreeing"])
    assert list(every.get_ydata())[1] == marks.derive(curves)["agrees"].sum()
    at_last = marks.derive(curves, tolerance=0.4).query("score == 'isoscore'")["agrees"].sum()
    assert isoscore_only.get_ydata()[-1] == at_last


def test_resamples_stand_beside_the_interval(drawn):
    ax = drawn["bootstrap_scores"].axes[0]
    assert sum(bar.get_height() for bar in ax.patches) == 50
    interval = isoscore_interval(clouds.power_law_spectrum(60, 5, rng=0))
    (segment,) = ax.containers[1].lines[2][0].get_segments()
    np.testing.assert_allclose(segment[:, 0], [interval.low, interval.high])


def test_layer_with_and_without_first_tokens_counts_what_it_hides(drawn):
    with_first, without = drawn["first_tokens"].axes[:2]
    assert "1.02 of 576" in with_first.get_title()
    assert "82 of 576" in without.get_title()
    assert [len(c.get_offsets()) for c in with_first.collections] == [9_146, 300]
    hidden = 9_146 - len(without.collections[0].get_offsets())
    assert [t.get_text() for t in without.texts] == [f"{hidden} more outside"]
    assert 0 < hidden < 10


def test_layers_stand_as_far_from_the_origin_as_their_mean(drawn):
    states = _states()
    for ax, index in zip(drawn["layers_from_the_origin"].axes, [0, 2, 1], strict=False):
        points, alike = (np.asarray(c.get_offsets()) for c in ax.collections)
        np.testing.assert_allclose(
            points.mean(axis=0), [np.linalg.norm(states.layers[index].mean(axis=0)), 0], atol=1e-9
        )
        np.testing.assert_array_equal(alike, points[::3])


def test_the_origin_takes_the_ink_of_a_dark_page():
    figure = figures.zero_mean_effect(clouds.isotropic_gaussian(2_000, 2, mean=6.0, rng=0))
    drawing.svg(figure)  # many points become pixels
    for ax in figure.axes:
        assert ax.collections[0].get_rasterized()
        (origin,) = (line for line in ax.get_lines() if line.get_marker() == "+")
        assert not origin.get_rasterized()


def test_figures_are_closed_and_settings_left_alone(curves):
    before = dict(mpl.rcParams)
    figures.invariance_tests(curves)
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_importing_the_package_does_not_import_matplotlib():
    code = "import isotropy_lab, isotropy_lab.isotropy, reanalyses.rudman2022.experiments, reanalyses.ledger, sys; "
    code += "sys.exit(any(m.split('.')[0] in ('matplotlib', 'seaborn') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.invariance_tests({}), "missing: mean_agnostic, scalar_covariance, maximum_variance"),
        (lambda: figures.rotations(np.ones((5, 3))), "cloud must have 2 columns"),
        (lambda: figures.skewered_meatball(np.ones((5, 3)), n_line=6), "n_line is 6"),
        (
            lambda: figures.finite_sample_bias(pd.DataFrame({"mean": [1.0]})),
            "table lacks the columns n_dimensions",
        ),
        (lambda: figures.spectrum({"bad": [1.0, -1.0]}), "eigenvalues of 'bad' has a negative value"),
        (lambda: figures.isotropic_distributions({}), "nothing to draw"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    assert plt.get_fignums() == []
