"""Tests that public functions document parameters, results, and errors, and that their examples run."""

import doctest
import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import isotropy_lab
import isotropy_report
import reanalyses


def module_names(package):
    return sorted(
        info.name
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if "._" not in info.name
    )


MODULES = [*module_names(isotropy_lab), *module_names(isotropy_report)]
SUBPACKAGES = (
    "isotropy_lab.isotropy",
    "isotropy_lab.association",
    "isotropy_lab.projection",
    "isotropy_lab.retrieval",
    "isotropy_report.measures",
)


def load(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("isotropy_lab", "isotropy_report", "reanalyses"):
            raise
        pytest.skip(f"needs {error.name}")


def public_objects(module):
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if getattr(value, "__module__", None) == module.__name__:
            yield value


@pytest.mark.parametrize("name", [*MODULES, *module_names(reanalyses)])
def test_examples_run(name):
    module = load(name)
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for test in doctest.DocTestFinder(exclude_empty=True).find(module):
        if any("importorskip" in example.source for example in test.examples):
            pytest.importorskip("torch")
        failed, _ = doctest.DocTestRunner(optionflags=options).run(test)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")
        assert failed == 0, test.name


@pytest.mark.parametrize("name", MODULES)
def test_public_functions_are_documented(name):
    for value in public_objects(load(name)):
        text = inspect.getdoc(value) or ""
        label = f"{name}.{getattr(value, '__name__', value)}"
        assert text, label
        if inspect.isfunction(value):
            returns = not inspect.isgeneratorfunction(inspect.unwrap(value))  # unlike a context manager
            expected = ["Returns"] * returns + (["Parameters"] if inspect.signature(value).parameters else [])
            for section in expected:
                assert f"{section}\n{'-' * len(section)}" in text, f"{label} lacks {section}"


@pytest.mark.parametrize("subpackage", SUBPACKAGES)
def test_options_are_keyword_only(subpackage):
    """Only data and percentages of overlap may be positional."""
    module = importlib.import_module(subpackage)
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value):
            parameters = inspect.signature(value).parameters.values()
            options = {
                p.name for p in parameters if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY
            }
            assert options <= {"psi"}, f"{subpackage}.{name}: a bare star belongs before {options}"


def test_import_loads_no_heavy_packages():
    code = (
        "import sys, isotropy_lab, isotropy_lab.isotropy; isotropy_lab.isoscore([[0., 1.], [1., 0.], [2., "
        "2.]]); heavy = ('matplotlib', 'seaborn', 'torch', 'dask', 'gensim', 'sklearn', 'scipy', 'pandas', "
        "'numba'); print([m for m in heavy if m in sys.modules]); from isotropy_lab.association import "
        "keywords; keywords.load('weat-1'); print([m for m in ('gensim', 'matplotlib', 'statsmodels') if m "
        "in sys.modules])"
    )
    completed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert completed.stdout.split() == ["[]", "[]"]
    assert set(isotropy_lab.__all__) <= set(dir(isotropy_lab))
    assert isotropy_lab.__version__
    with pytest.raises(AttributeError, match="'isoscor'"):
        isotropy_lab.isoscor  # noqa: B018
