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


def modules(package):
    return sorted(
        info.name
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if "._" not in info.name
    )


MODULES = [*modules(isotropy_lab), *modules(isotropy_report)]
WINGS = (
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


def public(module):
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if getattr(thing, "__module__", None) == module.__name__:
            yield thing


@pytest.mark.parametrize("name", [*MODULES, *modules(reanalyses)])
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
    for thing in public(load(name)):
        text = inspect.getdoc(thing) or ""
        label = f"{name}.{getattr(thing, '__name__', thing)}"
        assert text, label
        if inspect.isfunction(thing):
            gives = not inspect.isgeneratorfunction(inspect.unwrap(thing))  # a context manager gives nothing
            expected = ["Returns"] * gives + (["Parameters"] if inspect.signature(thing).parameters else [])
            for section in expected:
                assert f"{section}\n{'-' * len(section)}" in text, f"{label} lacks {section}"


@pytest.mark.parametrize("wing", WINGS)
def test_options_are_keywords(wing):
    """Only data stand in a place of their own, and percentages of overlap."""
    module = importlib.import_module(wing)
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isfunction(thing):
            parameters = inspect.signature(thing).parameters.values()
            options = {
                p.name for p in parameters if p.default is not p.empty and p.kind is not p.KEYWORD_ONLY
            }
            assert options <= {"psi"}, f"{wing}.{name}: a bare star belongs before {options}"


def test_importing_the_package_is_light():
    code = (
        "import sys, isotropy_lab, isotropy_lab.isotropy; isotropy_lab.isoscore([[0., 1.], [1., 0.], [2., "
        "2.]]); heavy = ('matplotlib', 'seaborn', 'torch', 'dask', 'gensim', 'sklearn', 'scipy', 'pandas', "
        "'numba'); print([m for m in heavy if m in sys.modules]); from isotropy_lab.association import "
        "keywords; keywords.load('weat-1'); print([m for m in ('gensim', 'matplotlib', 'statsmodels') if m "
        "in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[]", "[]"]
    assert set(isotropy_lab.__all__) <= set(dir(isotropy_lab))
    assert isotropy_lab.__version__
    with pytest.raises(AttributeError, match="'isoscor'"):
        isotropy_lab.isoscor  # noqa: B018
