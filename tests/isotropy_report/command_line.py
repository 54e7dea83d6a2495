"""Functions that run the command line within the process of the test."""

import json

from isotropy_report.cli import main


def call(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def call_json(capsys, *arguments):
    code, out, err = call(capsys, *arguments, "--json")
    assert code == 0, err

    def refuse(name):
        raise AssertionError(f"{name} in JSON")

    return json.loads(out, parse_constant=refuse)
