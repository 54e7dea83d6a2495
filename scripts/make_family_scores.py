"""Store accuracy and isotropy of eleven encoders: ``python scripts/make_family_scores.py`` (half a minute).

The lesson *Isotropy and accuracy* shows these 55 rows: eleven encoders, untransformed and after four
transformations. Computing them takes too long in a browser; the case file computes them in each build.
"""

import datetime
import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "book"))

from reanalyses.roychowdhury2024 import experiments  # noqa: E402
from reanalyses.roychowdhury2024.datasets import encoders, family_scores  # noqa: E402
from reanalyses.roychowdhury2024.experiments.across_variants import HEADINGS  # noqa: E402

DATA = ROOT / "book" / "reanalyses" / "roychowdhury2024" / "data"


def main() -> None:
    """Write the table and its record."""
    embeddings = {name: encoders.load(name, "yang") for name in encoders.ENCODERS}
    scores = experiments.family_scores(
        embeddings, experiments.collection().gold, transforms=tuple(family_scores.TRANSFORMATIONS)
    )
    names = {HEADINGS[key]: name for key, name in family_scores.TRANSFORMATIONS.items()}
    scores["transform"] = scores["transform"].map(names)
    columns = ["encoder", "family", "transform", "accuracy", "i_a", "i_b"]
    file = DATA / "family-scores.csv"
    scores[columns].to_csv(file, index=False, float_format="%.10g")
    record = {
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "script": "scripts/make_family_scores.py",
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "source": (
            "Computed by this project with the script above from the embeddings of encoder-*.npz and "
            "adapted-*.npz"
        ),
        "version": "as the records of these files say",
        "license": "MIT, as this project",
        "columns": "encoder; family; transform; accuracy@10 in percent; I_A; I_B, which is IsoScore",
        "missing": "intervals, and encoders whose embeddings the repository does not have",
    }
    file.with_suffix(".json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
