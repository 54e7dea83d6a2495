"""Tables and figures of the stored simulations for the book.

The results are stored in ``benchmarks/calibration`` by ``python -m benchmarks.calibration``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from isotropy_lab import moments
from isotropy_report.card.measures import excess_kurtosis
from reanalyses import style as drawing
from reanalyses.roychowdhury2024.datasets.encoders import load as load_encoder
from reanalyses.style import style

_RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "calibration"
TAILS = ("Gaussian", "exponential", "t5", "lognormal")
#: Names of measures as shown on the page.
_WORDS = {
    "isoscore_corrected": "IsoScore, corrected",
    "dimensions_used_corrected": "dimensions used",
    "average_cosine": "average cosine",
}


def load() -> dict[str, Any]:
    """Return the results of all simulations, by part."""
    found: dict[str, Any] = {}
    for file in sorted(_RESULTS.glob("*.json")):
        found |= json.loads(file.read_text(encoding="utf-8"))
    return found


def levels(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of samples in which each test rejects a true null hypothesis at level 0.05.

    Columns test, tail, N, share, low, high, n.
    """
    rows = []
    for row in results["comparison levels"]["rows"]:
        rows.append((f"{row['test']}, {_sides(row)}", row["tail"], row["N"], row["rejects"]))
    for row in results["model levels"]["rows"]:
        name = f"{_WORDS[row['measure']]}, {_spectrum(row['exponent'])}"
        rows.append((name, row["tail"], row["N"], row["rejects"]))
    for row in results["retrieval"]["rows"]:
        if row["accuracies"][0] == row["accuracies"][1]:
            for test, rejects in row["rejects"].items():
                name = f"accuracies, {test}, {row['N']:,} questions"
                rows.append((name, "right or wrong", row["N"], rejects))
    return pd.DataFrame({"test": test, "tail": tail, "N": N, **rejects} for test, tail, N, rejects in rows)


#: The 95% intervals: part, name, target, and the key under which a row has the coverage.
_INTERVALS = (
    ("scores", "IsoScore, corrected", "population", "covers/isoscore_corrected"),
    ("scores", "average cosine", "population", "covers/average_cosine"),
    ("groups", "IsoScore, related rows", "population", "covers"),
    ("centered cosines", "average cosine about the origin", "population", "covers"),
    ("intrinsic dimension", "intrinsic dimension", "all rows", "covers"),
    ("cka coverage", "CKA", "population", "covers"),
    ("overlap coverage", "shared neighbors", "samples", "covers"),
    ("unrelated coverage", "CKA, unrelated", "population", "covers/cka"),
    ("unrelated coverage", "shared neighbors, unrelated", "population", "covers/overlap"),
    ("compression coverage", "neighbors lost", "samples", "covers"),
    ("model coverage", "difference: {measure}", "population", "covers"),
    ("retrieval", "difference: accuracies", "population", "covers"),
)


def coverage(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the coverage of each 95% interval."""
    rows = []
    for part, name, about, path in _INTERVALS:
        for row in results[part]["rows"]:
            covers = row
            for key in path.split("/"):
                covers = covers[key]
            rows.append(
                {
                    "interval": name.format(measure=_WORDS.get(row.get("measure"))),
                    "about": about,
                    "spectrum": row.get("spectrum") or _spectrum(row.get("exponent", row.get("exponents"))),
                    "tail": row.get("tail", "Gaussian"),
                    **{key: row.get(key) for key in ("N", "n")},
                    **{key: covers[key] for key in ("share", "low", "high")},
                }
            )
    return pd.DataFrame(rows)


def summary(covered: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest and largest coverage of each interval, and the number of settings at 93% to 97%."""
    within = covered["share"].between(0.93, 0.97)
    table = covered.assign(within=within).groupby(["interval", "about"], sort=False)
    shares, counts = table["share"], table["within"].agg(["size", "sum"])
    found = counts.assign(lowest=shares.min(), highest=shares.max()).reset_index()
    return found.rename(columns={"about": "holds", "size": "cells", "sum": "93 to 97%"})


def corrections(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return root mean squared errors of the published and corrected IsoScore, and of a choice between them.

    Columns spectrum, tail, N, n, published, corrected, rule.
    """
    return pd.DataFrame(
        {"spectrum": _spectrum(row["exponent"])}
        | {key: row[key] for key in ("tail", "N", "n")}
        | row["error"]
        for row in results["scores"]["rows"]
    )


def tied_sets(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of tied sets that omit the best of four models, and the mean size of these sets."""
    return pd.DataFrame(
        {
            "exponents": ", ".join(f"{one:g}" for one in row["exponents"]),
            "score": _WORDS[row["measure"]],
            "tails": row["tail"],
            "lacks the best": row["lacks_the_best"]["share"],
            "models": row["mean_size"],
        }
        for row in results["tied sets"]["rows"]
    )


def minimum_detectable(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of new samples in which the reported minimum detectable ratio or shift is detected."""
    rows = [
        {"named by": "compare", "tails": row["tail"], "rows": row["N"], "least": row["least"], **row["found"]}
        for row in results["least differences"]["rows"]
    ]
    rows += [
        {
            "named by": "drift_power",
            "tails": row["tail"],
            "rows": row["N"],
            "least": row["least_shift"],
            **row["power"],
        }
        for row in results["least shifts"]["rows"]
    ]
    return pd.DataFrame(rows).drop(columns="n").rename(columns={"share": "found"})


def thresholds(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of thresholds that violate their guarantee, and the fraction of the loss used."""
    part = results["thresholds"]
    return pd.DataFrame(
        {
            "metric": {"mrr": "MRR", "ndcg": "NDCG"}.get(row["metric"], row["metric"])
            + ("" if row["groups"] == "none" else f", groups {row['groups']}"),
            "population": row["population"],
            "sample": row["n"],
            "broken": row["broken"]["share"],
            "overstated": row["overstated"]["share"],
            "refused": row["refused"] / part["simulations"],
            "used": row["given"],
        }
        for row in part["rows"]
    )


def regions(results: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the fraction of faultless maps with a reported region, and the fraction of planted faults found."""
    false = [
        {"map": row["map"], "gets a region": row["region"]["share"], "n": row["region"]["n"]}
        for row in results["map-false-regions"]["rows"]
    ]
    found = [
        {
            "fault": row["fault"], "found": row["power"]["share"], "points found": row["points_found"],
            "right": row["points_right"],
        }
        for row in results["map-planted-regions"]["rows"]
    ]  # fmt: skip
    return pd.DataFrame(false), pd.DataFrame(found)


def drift(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return, by shift, the fraction of samples in which the drift test detects it, with an interval."""
    return pd.DataFrame(
        {"shift": row["shift"], "tail": row["tail"], **row["rejects"]}
        for row in results["drift powers"]["rows"]
    )


def alarms(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of alarms by Evidently and by our test: method, shift, share, low, high, n."""
    return pd.DataFrame(
        {
            "method": row["method"],
            "shift": f"mean moved by {row['shift']:.2g} radii".replace("0.", ".")
            if row["shift"]
            else "no drift",
            **row["rejects"],
        }
        for row in results["Evidently"]["rows"]
    )


def encoder_tails() -> pd.DataFrame:
    """Return the excess kurtosis of the YANG definitions under six encoders."""
    return pd.DataFrame(
        {
            "encoder": name,
            "excess kurtosis": excess_kurtosis(moments(load_encoder(name, "yang").documents[0], fourth=True)),
        }
        for name in ("MiniLM", "E5", "USE", "SmolLM2", "word2vec", "GloVe")
    )


def shares_figure(
    table: pd.DataFrame, *, by: str, sign: str, label: str, band: tuple[float, float] | None = None
) -> Figure:
    """Draw fractions with exact intervals and a band: one row per `by`, and one marker per `sign`."""
    names = list(dict.fromkeys(table[by]))
    with style():
        fig, (ax,) = drawing.rows(1, height=0.6 + 0.27 * len(names))
        _band(ax, band)
        signs = sorted(set(table[sign]), key=lambda one: (*TAILS, *table[sign]).index(one))
        of_rows = {name: [one for one in signs if one in set(part[sign])] for name, part in table.groupby(by)}
        for i, value in enumerate(signs):
            part = table[table[sign] == value]
            places = [
                names.index(name) + 0.17 * (of_rows[name].index(value) - (len(of_rows[name]) - 1) / 2)
                for name in part[by]
            ]
            look = drawing.look(i) | {"linestyle": "none", "elinewidth": 1.2, "markersize": 5}
            reach = [part["share"] - part["low"], part["high"] - part["share"]]
            ax.errorbar(part["share"], places, xerr=reach, label=str(value), **look)
        _finish_rows(ax, names, label)
        return drawing.finish(fig, ax, columns=4)


def coverage_figure(table: pd.DataFrame) -> Figure:
    """Draw coverages in one row per interval, one marker per setting; values below 75% appear at the edge."""
    names = list(dict.fromkeys(table["interval"]))
    with style():
        fig, (ax,) = drawing.rows(1, height=0.6 + 0.27 * len(names))
        _band(ax, (0.93, 0.97))
        for i, tail in enumerate(TAILS):
            part = table[table["tail"] == tail]
            places = [names.index(name) + 0.19 * (i - 1.5) for name in part["interval"]]
            look = drawing.look(i) | {"linestyle": "none", "markersize": 4}
            ax.plot(part["share"].clip(lower=0.75), places, label=tail, **look)
        ax.axvline(0.95, color="0.35", linewidth=0.8, zorder=0)
        ax.set_xlim(0.74, 1.006)
        _finish_rows(ax, names, "intervals of 95% that hold it")
        return drawing.finish(fig, ax, columns=4)


def errors_figure(table: pd.DataFrame) -> Figure:
    """Draw the errors of the published score, the corrected score, and the rule against rows per dimension."""
    spectra = list(dict.fromkeys(table["spectrum"]))
    lines = dict(zip(("Gaussian", "lognormal"), ("-", "--"), strict=True))
    with style():
        fig, axes = drawing.rows(len(spectra), height=2.4, sharex=True)
        for ax, spectrum in zip(axes, spectra, strict=True):
            for tail, line in lines.items():
                part = table[(table["spectrum"] == spectrum) & (table["tail"] == tail)]
                for i, kind in enumerate(("published", "corrected", "rule")):
                    look = drawing.look(i) | {"linestyle": line}
                    ax.loglog(part["N"] / part["n"], part[kind], label=f"{kind}, {tail}", **look)
            ax.set(title=spectrum, xlabel="rows for a dimension", ylabel="error")
            ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
            ax.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.yaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
            ax.set_xticks([1, 2, 4, 10, 40])
            ax.minorticks_off()
        return drawing.finish(fig, axes[0], columns=3)


def _band(ax: Axes, ends: tuple[float, float] | None) -> None:
    if ends is not None:
        ax.axvspan(*ends, color="0.86", zorder=0)


def _finish_rows(ax: Axes, names: list[str], label: str) -> None:
    drawing.name_rows([ax], names)
    ax.set_xlabel(label)
    ax.xaxis.set_major_formatter(mpl.ticker.PercentFormatter(1.0, decimals=0))
    ax.grid(visible=False, axis="y")
    for place in range(1, len(names), 2):
        ax.axhspan(place - 0.5, place + 0.5, color="0.97", zorder=-1)


def _spectrum(exponent: Any) -> str:
    if exponent is None:
        return "one"
    if isinstance(exponent, list):
        return " and ".join(_spectrum(one) for one in exponent)
    return {0.0: "flat spectrum", 0.5: "variances 1/√j", 1.0: "variances 1/j", 2.0: "variances 1/j²"}.get(
        exponent, f"variances 1/j^{exponent:g}"
    )


def _sides(row: Mapping[str, Any]) -> str:
    return f"{row['N']} + {row['M']} rows" if "M" in row else f"{row['N']} rows"
