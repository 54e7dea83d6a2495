"""Tests of invalid values of every argument of public functions, and of error messages."""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np
import pytest


def invalid_argument_test(package: ModuleType, valid: Mapping[str, Any]) -> Callable[..., None]:
    """Return a test that functions name an argument that is the text "bad" or contains NaN.

    `valid` maps argument names to values with which all functions of the package work.
    """

    @pytest.mark.parametrize(("function", "name", "value"), list(_invalid_arguments(package, valid)))
    def test(function: Callable[..., object], name: str, value: object) -> None:
        parameters = inspect.signature(function).parameters
        required = {key for key, p in parameters.items() if p.default is p.empty}
        missing = required - set(valid)
        assert not missing, (
            f"add valid values of {missing} to VALID_ARGUMENTS in test_bad_input.py of {package.__name__}"
        )
        arguments = {key: valid[key] for key in parameters if key in valid}
        function(**arguments)
        assert_refused((TypeError, ValueError), name, lambda: function(**{**arguments, name: value}))

    return test


def _invalid_arguments(package: ModuleType, valid: Mapping[str, Any]) -> Iterator[Any]:
    for function in (getattr(package, name) for name in package.__all__):
        if not inspect.isfunction(function):
            continue
        for name, parameter in inspect.signature(function).parameters.items():
            label = f"{function.__name__}-{name}"
            if not isinstance(parameter.default, bool):
                yield pytest.param(function, name, "bad", id=label)
            value = valid.get(name)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                yield pytest.param(
                    function, name, np.where(value == value[1], np.nan, value), id=f"{label}-NaN"
                )


def assert_refused(
    error: type[Exception] | tuple[type[Exception], ...], expected_words: str, call: Callable[[], object]
) -> None:
    """Assert that a call raises this error with a message that contains all words of `expected_words`."""
    with pytest.raises(error) as error_info:
        call()
    message = str(error_info.value)
    words = expected_words.split()
    missing = [word for word in words if not re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message)]
    assert not missing, f"{missing} not in: {message}"


def refusal_test(cases: Iterable[tuple[type[Exception], str, Callable[[], object]]]) -> Callable[..., None]:
    """Return a test that each call is refused with its error, as `assert_refused` checks."""

    @pytest.mark.parametrize(("error", "expected_words", "call"), cases)
    def test(error: type[Exception], expected_words: str, call: Callable[[], object]) -> None:
        assert_refused(error, expected_words, call)

    return test
