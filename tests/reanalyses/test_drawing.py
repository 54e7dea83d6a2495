"""Tests of figure helpers: labels of lines, and frames that equal the drawn figure."""

import json
import re
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.figure import Figure

from reanalyses import drawing, explore, style


def show_power(power: int = 2, kind: str = "line", grid: bool = False) -> Figure:
    fig, ax = plt.subplots()
    ax.plot(np.arange(5.0) ** power, "-" if kind == "line" else "o")
    ax.grid(visible=grid)
    ax.set_title(f"Power {power} as {kind}, grid {grid}", loc="left")
    return fig


def parts_of(made: Any) -> dict[str, Any]:
    found = re.search(r'(?s)<script type="application/json">(.*?)</script>', made._repr_html_())
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_each_frame_is_what_the_function_draws() -> None:
    before = plt.get_fignums()
    made = explore(show_power, power=(1, 3), kind=["line", "dots"], grid=True)
    data = parts_of(made)
    assert data["values"] == [["1", "2", "3"], ["line", "dots"], ["no", "yes"]]
    assert data["at"] == [1, 0, 0]
    assert len(data["frames"]) == 12
    for n, at in enumerate(np.ndindex(3, 2, 2)):
        picture, said = json.loads(drawing.frame("show_power", at))
        assert "".join(data["parts"][i] for i in data["frames"][n]) == picture
        kind, grid = ("line", "dots")[at[1]], (False, True)[at[2]]
        assert data["said"][n] == said == f"Power {at[0] + 1} as {kind}, grid {grid}"
    assert plt.get_fignums() == before


@pytest.mark.parametrize("constrained", [True, False])
def test_panels_stay_where_they_are(constrained: bool) -> None:
    seen = []

    def show_range(top: int = 1) -> Figure:
        fig, ax = plt.subplots(layout="constrained" if constrained else None)
        ax.plot([0, 10**top])
        seen.append(ax)
        return fig

    made = explore(show_range, top=(0, 7))
    for top in (1, 7):
        made.frame_at({"top": top})
    assert seen[0].get_position().bounds == seen[1].get_position().bounds
    assert seen[0].get_ylim() != seen[1].get_ylim()


@pytest.mark.parametrize(
    "controls", [{"power": (1, 2, 3, 4)}, {"power": []}, {"power": 3}, {"exponent": (1, 3)}]
)
def test_other_controls_are_refused(controls: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected"):
        explore(show_power, **controls)


def test_too_many_frames_are_refused() -> None:
    with pytest.raises(ValueError, match=str(drawing.MAX_FRAMES)):
        explore(show_power, power=(0, 100))._repr_html_()


def test_names_stand_at_their_lines_in_whatever_order_they_were_drawn() -> None:
    """seaborn draws the lines of `ecdfplot` in the reverse order of its legend."""
    table = pd.DataFrame(
        {name: np.random.default_rng(0).normal(at, 1, 50) for name, at in (("low", 0), ("high", 9))}
    )
    fig, ax = plt.subplots()
    sns.ecdfplot(table, ax=ax)
    expected = {}
    for line in ax.get_lines():
        expected["low" if np.nanmax(line.get_xdata()[1:]) < 5 else "high"] = line.get_color()
    drawing.label_lines(ax)
    found = {text.get_text(): text.get_color() for text in ax.texts}
    assert found == expected
    assert ax.get_legend() is None
    plt.close(fig)


def test_a_wide_figure_takes_the_column() -> None:
    for width, kind in ((drawing.WIDTH, "il-drawn il-full"), (style.WIDTH, "il-drawn")):
        fig = plt.figure(figsize=(width, 2))
        assert style.svg(fig).startswith(f'<svg class="{kind}"')
        plt.close(fig)
