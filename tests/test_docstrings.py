"""Every public function says what it takes, returns and raises, and its examples run."""

import doctest
import importlib
import inspect
import pkgutil
import re
import sys

import pytest

import isotropy_lab
import reanalyses


def modules(package):
    return sorted(
        info.name
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        if "._" not in info.name
    )


MODULES = modules(isotropy_lab)
#: Measures: what a wing exports, and the two modules of foundations. Their docstrings are complete.
WINGS = ("isotropy", "association", "projection", "retrieval", "comparison")


def load(name):
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("isotropy_lab", "reanalyses"):
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


@pytest.mark.parametrize("name", modules(reanalyses))
def test_experiments_say_what_they_return(name):
    for thing in public(load(name)):
        assert inspect.getdoc(thing), f"{name}.{getattr(thing, '__name__', thing)}"


@pytest.mark.parametrize("wing", WINGS)
def test_measures_name_their_errors(wing):
    """Exported functions say which input they refuse."""
    module = importlib.import_module(f"isotropy_lab.{wing}")
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isfunction(thing):
            text = inspect.getdoc(thing)
            assert "Raises\n------" in text, f"{wing}.{name} lacks Raises"
            assert not re.search(r"\bAs (for|in) `", text.split("Raises\n------")[1].split("\n\n")[0]), name


def test_the_public_names_of_the_isotropy_wing():
    from isotropy_lab import isotropy

    for name in isotropy.__all__:
        thing = getattr(isotropy, name)
        if inspect.isfunction(thing):
            assert "Examples\n--------\n>>>" in inspect.getdoc(thing) or "\n>>> " in inspect.getdoc(thing), (
                name
            )
            parameters = list(inspect.signature(thing).parameters.values())
            assert parameters[0].kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
            rest = [p for p in parameters[1:] if p.name != "Y"]  # partners are data
            assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in rest), name


def test_the_public_names_of_the_projection_wing():
    from isotropy_lab import projection

    for name in projection.__all__:
        thing = getattr(projection, name)
        if inspect.isfunction(thing):
            text = inspect.getdoc(thing)
            assert "\n>>> " in text, name
            source = (
                "Venna and Kaski (2006)"
                if thing.__module__.endswith("neighbors")
                else "Smelser et al. (2025)"
            )
            for word in ("nvariant", "Cost", source):
                assert word in " ".join(text.split()), f"{name} lacks {word}"
            parameters = inspect.signature(thing).parameters.values()
            data = {p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD}
            assert data <= {"X", "Y", "scales", "curves"}, name
            assert data, name
            rest = [p for p in parameters if p.name not in data]
            assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in rest), name


def test_the_public_names_of_the_retrieval_wing():
    from isotropy_lab import retrieval

    # They take a few numbers, or compare rows and fitted means bit by bit: there is nothing to be invariant under.
    no_invariance = {"duplicate_documents", "questions_needed"}
    lacking = {}
    for name in retrieval.__all__:
        thing = getattr(retrieval, name)
        if inspect.isfunction(thing):
            text = " ".join(inspect.getdoc(thing).split())
            lacking[name] = [
                what
                for what, pattern in {
                    "an example": r">>> ",
                    "the cost": r"Cost: |O\(.+\) time",
                    "what leaves it unchanged": r"[Ii]nvariant|[Uu]nchanged|not depend|order of the|map of the",
                }.items()
                if not re.search(pattern, text)
                and not (what == "what leaves it unchanged" and name in no_invariance)
            ]
            # Options are keywords; which pairs and percentages are asked for is not one of them.
            parameters = inspect.signature(thing).parameters.values()
            options = [p.name for p in parameters if p.default is not inspect.Parameter.empty]
            keywords = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
            if set(options) - set(keywords) - {"pairs", "psi"}:
                lacking[name].append("a bare star before its options")
    assert not {name: what for name, what in lacking.items() if what}


def test_importing_the_package_is_light():
    import subprocess
    import sys

    code = (
        "import sys, isotropy_lab, isotropy_lab.isotropy; isotropy_lab.isoscore([[0., 1.], [1., 0.], [2., 2.]]); "
        "heavy = ('matplotlib', 'seaborn', 'torch', 'dask', 'gensim', 'sklearn', 'scipy', 'pandas', 'numba'); "
        "print([m for m in heavy if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert set(isotropy_lab.__all__) <= set(dir(isotropy_lab))
    assert isotropy_lab.__version__
    with pytest.raises(AttributeError, match="no attribute 'isoscor'"):
        isotropy_lab.isoscor  # noqa: B018
