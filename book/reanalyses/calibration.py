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
from reanalyses import style
from reanalyses.roychowdhury2024.datasets.encoders import load as load_encoder

_RESULTS = Path(__file__).resolve().parents[2] / "benchmarks" / "calibration"
TAILS = ("Gaussian", "exponential", "t5", "lognormal")
#: Names of measures as shown on the page.
_MEASURE_NAMES = {
    "isoscore_corrected": "IsoScore, corrected",
    "dimensions_used_corrected": "dimensions used",
    "average_cosine": "average cosine",
    "accuracy": "accuracies",
    "ndcg": "NDCG",
}


def load() -> dict[str, Any]:
    """Return the results of all simulations, by part."""
    results: dict[str, Any] = {}
    for file in sorted(_RESULTS.glob("*.json")):
        results |= json.loads(file.read_text(encoding="utf-8"))
    return results


def rejection_rates(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of samples in which each test rejects a true null hypothesis at level 0.05.

    The columns are test, tail, N (rows or questions), share (with low and high, its interval), and n (samples).
    """
    rows = []
    for row in results["comparison levels"]["rows"]:
        rows.append((f"{row['test']}, {_sample_sizes(row)}", row["tail"], row["N"], row["rejects"]))
    for row in results["model levels"]["rows"]:
        name = f"{_MEASURE_NAMES[row['measure']]}, {_spectrum_name(row['exponent'])}"
        rows.append((name, row["tail"], row["N"], row["rejects"]))
    for row in results["retrieval"]["rows"]:
        if row["accuracies"][0] == row["accuracies"][1] or "rare losses" in row:
            name = f"{_MEASURE_NAMES[row['measure']]}, {row['N']:,} questions"
            name += ", rare losses" * ("rare losses" in row)
            rows.append((name, "right or wrong", row["N"], row["rejects"]))
    return pd.DataFrame({"test": test, "tail": tail, "N": N, **rejects} for test, tail, N, rejects in rows)


#: The 95% intervals: part of the results, name, target of coverage, and keys that lead to the coverage in a row.
_INTERVALS = (
    ("scores", "IsoScore, corrected", "population", "covers/isoscore_corrected"),
    ("scores", "average cosine", "population", "covers/average_cosine"),
    ("groups", "IsoScore, related rows", "population", "covers"),
    ("unequal groups", "IsoScore, unequal groups", "center", "covers"),
    ("centered cosines", "average cosine about the origin", "population", "covers"),
    ("intrinsic dimension", "intrinsic dimension", "all rows", "covers"),
    ("cka coverage", "CKA", "population", "covers"),
    ("overlap coverage", "shared neighbors", "samples", "covers"),
    ("unrelated coverage", "CKA, unrelated", "population", "covers/cka"),
    ("unrelated coverage", "shared neighbors, unrelated", "population", "covers/overlap"),
    ("compression coverage", "neighbors lost", "samples", "covers"),
    ("model coverage", "difference: {measure}", "population", "covers"),
    ("retrieval", "difference: {measure}", "population", "covers"),
)


def coverage(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the coverage of each 95% interval in each simulated setting."""
    rows = []
    for key, name, target, path in _INTERVALS:
        for row in results[key]["rows"]:
            covers = row
            for field in path.split("/"):
                covers = covers[field]
            rows.append(
                {
                    "interval": name.format(measure=_MEASURE_NAMES.get(row.get("measure"))),
                    "about": target,
                    "spectrum": row.get("spectrum")
                    or _spectrum_name(row.get("exponent", row.get("exponents"))),
                    "tail": row.get("tail", "Gaussian"),
                    **{key: row.get(key) for key in ("N", "n")},
                    **{key: covers[key] for key in ("share", "low", "high")},
                }
            )
    return pd.DataFrame(rows)


def summarize_coverage(covered: pd.DataFrame) -> pd.DataFrame:
    """Return the smallest and largest coverage of each interval, and the number of settings at 93% to 97%."""
    within = covered["share"].between(0.93, 0.97)
    groups = covered.assign(within=within).groupby(["interval", "about"], sort=False)
    shares, counts = groups["share"], groups["within"].agg(["size", "sum"])
    table = counts.assign(lowest=shares.min(), highest=shares.max()).reset_index()
    return table.rename(columns={"about": "holds", "size": "cells", "sum": "93 to 97%"})


def corrections(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return root mean squared errors of the published and corrected IsoScore, and of a choice between them.

    The columns are spectrum, tail, N (rows), n (dimensions), published, corrected, and rule (the choice).
    """
    return pd.DataFrame(
        {"spectrum": _spectrum_name(row["exponent"])}
        | {key: row[key] for key in ("tail", "N", "n")}
        | row["error"]
        for row in results["scores"]["rows"]
    )


def tied_sets(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of tied sets that omit the best of four models, and the mean size of these sets."""
    return pd.DataFrame(
        {
            "exponents": ", ".join(f"{exponent:g}" for exponent in row["exponents"]),
            "score": _MEASURE_NAMES[row["measure"]],
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
    record = results["thresholds"]
    return pd.DataFrame(
        {
            "metric": {"mrr": "MRR", "ndcg": "NDCG"}.get(row["metric"], row["metric"])
            + ("" if row["groups"] == "none" else f", groups {row['groups']}"),
            "population": row["population"],
            "sample": row["n"],
            "broken": row["broken"]["share"],
            "overstated": row["overstated"]["share"],
            "refused": row["refused"] / record["simulations"],
            "used": row["given"],
        }
        for row in record["rows"]
    )


def region_rates(results: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables: maps without faults that get a region, and planted faults that are detected."""
    false_regions = [
        {"map": row["map"], "gets a region": row["region"]["share"], "n": row["region"]["n"]}
        for row in results["map-false-regions"]["rows"]
    ]
    detected_faults = [
        {
            "fault": row["fault"], "found": row["power"]["share"], "points found": row["points_found"],
            "right": row["points_right"],
        }
        for row in results["map-planted-regions"]["rows"]
    ]  # fmt: skip
    return pd.DataFrame(false_regions), pd.DataFrame(detected_faults)


def drift_detection_rates(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return, by shift, the fraction of samples in which the drift test detects it, with an interval."""
    return pd.DataFrame(
        {"shift": row["shift"], "tail": row["tail"], **row["rejects"]}
        for row in results["drift powers"]["rows"]
    )


def alarm_rates(results: Mapping[str, Any]) -> pd.DataFrame:
    """Return the fraction of samples with an alarm by Evidently and by our test, for each shift of the mean."""
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


def fractions_figure(
    table: pd.DataFrame, *, by: str, sign: str, label: str, band: tuple[float, float] | None = None
) -> Figure:
    """Draw fractions with exact intervals: one row per value of column `by`, one marker per value of `sign`."""
    names = list(dict.fromkeys(table[by]))
    with style.style():
        fig, (ax,) = style.rows(1, height=0.6 + 0.27 * len(names))
        _shade_band(ax, band)
        values = sorted(set(table[sign]), key=[*TAILS, *table[sign]].index)
        values_of = {name: [v for v in values if v in set(group[sign])] for name, group in table.groupby(by)}
        for i, value in enumerate(values):
            group = table[table[sign] == value]
            heights = [
                names.index(name) + 0.17 * (values_of[name].index(value) - (len(values_of[name]) - 1) / 2)
                for name in group[by]
            ]
            look = style.look(i) | {"linestyle": "none", "elinewidth": 1.2, "markersize": 5}
            bar_lengths = [group["share"] - group["low"], group["high"] - group["share"]]
            ax.errorbar(group["share"], heights, xerr=bar_lengths, label=str(value), **look)
        _finish_rows(ax, names, label)
        return style.finish(fig, ax, columns=4)


def coverage_figure(table: pd.DataFrame) -> Figure:
    """Draw coverages in one row per interval, one marker per setting; values below 75% appear at the edge."""
    names = list(dict.fromkeys(table["interval"]))
    with style.style():
        fig, (ax,) = style.rows(1, height=0.6 + 0.27 * len(names))
        _shade_band(ax, (0.93, 0.97))
        for i, tail in enumerate(TAILS):
            group = table[table["tail"] == tail]
            heights = [names.index(name) + 0.19 * (i - 1.5) for name in group["interval"]]
            look = style.look(i) | {"linestyle": "none", "markersize": 4}
            ax.plot(group["share"].clip(lower=0.75), heights, label=tail, **look)
        ax.axvline(0.95, color="0.35", linewidth=0.8, zorder=0)
        ax.set_xlim(0.74, 1.006)
        _finish_rows(ax, names, "intervals of 95% that hold it")
        return style.finish(fig, ax, columns=4)


def errors_figure(table: pd.DataFrame) -> Figure:
    """Draw the errors of the published score, the corrected score, and the rule against rows per dimension."""
    spectra = list(dict.fromkeys(table["spectrum"]))
    linestyles = dict(zip(("Gaussian", "lognormal"), ("-", "--"), strict=True))
    with style.style():
        fig, axes = style.rows(len(spectra), height=2.4, sharex=True)
        for ax, spectrum in zip(axes, spectra, strict=True):
            for tail, linestyle in linestyles.items():
                group = table[(table["spectrum"] == spectrum) & (table["tail"] == tail)]
                for i, score in enumerate(("published", "corrected", "rule")):
                    look = style.look(i) | {"linestyle": linestyle}
                    ax.loglog(group["N"] / group["n"], group[score], label=f"{score}, {tail}", **look)
            ax.set(title=spectrum, xlabel="rows for a dimension", ylabel="error")
            ax.xaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
            ax.yaxis.set_major_locator(mpl.ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
            ax.yaxis.set_major_formatter(mpl.ticker.FuncFormatter(lambda value, _: f"{value:g}"))
            ax.set_xticks([1, 2, 4, 10, 40])
            ax.minorticks_off()
        return style.finish(fig, axes[0], columns=3)


def _shade_band(ax: Axes, limits: tuple[float, float] | None) -> None:
    if limits is not None:
        ax.axvspan(*limits, color="0.86", zorder=0)


def _finish_rows(ax: Axes, names: list[str], label: str) -> None:
    style.name_rows([ax], names)
    ax.set_xlabel(label)
    ax.xaxis.set_major_formatter(mpl.ticker.PercentFormatter(1.0, decimals=0))
    ax.grid(visible=False, axis="y")
    for row in range(1, len(names), 2):
        ax.axhspan(row - 0.5, row + 0.5, color="0.97", zorder=-1)


def _spectrum_name(exponent: Any) -> str:
    if exponent is None:
        return "one"
    if isinstance(exponent, list):
        return " and ".join(map(_spectrum_name, exponent))
    return {0.0: "flat spectrum", 0.5: "variances 1/√j", 1.0: "variances 1/j", 2.0: "variances 1/j²"}.get(
        exponent, f"variances 1/j^{exponent:g}"
    )


def _sample_sizes(row: Mapping[str, Any]) -> str:
    return f"{row['N']} + {row['M']} rows" if "M" in row else f"{row['N']} rows"
