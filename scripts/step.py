"""Run a command as one line of a longer job: ``python scripts/step.py "Checking types" mypy``.

The line says what is done, how far it is (where the command says so as pytest does, in percent) and how long
it took. What the command prints is shown if it fails, and only then; of pytest's, also which tests took most
processor time. Needs nothing but Python.
"""

import re
import subprocess
import sys
import time
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command after the first argument, which describes the command; return its exit code."""
    if len(arguments) < 2:
        print('Expected a description and a command, as in: step.py "Checking types" mypy', file=sys.stderr)
        return 2
    words, *command = arguments
    terminal = sys.stdout.isatty()
    print(f"{words} …", end="", flush=True)
    start, said, percent = time.monotonic(), [], 0
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
    except OSError as error:
        print(f" failed\n{error}", flush=True)
        return 127
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        found = re.search(r"\[ *(\d+)%\]\s*$", line)
        if found and (now := int(found[1])) > percent:
            if terminal:
                print(f"\r{words} … {now} %", end="", flush=True)
            elif now // 25 > percent // 25 and now < 100:
                print(f" {now // 25 * 25} %", end="", flush=True)
            percent = now
    code = process.wait()
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    took = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    if terminal and percent:
        print(f"\r\033[K{words} …", end="")
    if code:
        print(f" failed after {took}", "".join(said).rstrip(), sep="\n", flush=True)
        return code
    counts = re.findall(r"(?m)^=*\s*(\d+ passed.*?) in [\d.]+s", "".join(said[-3:]))
    print(" " + ", ".join([*counts, took]), flush=True)
    print(slowest("".join(said)), end="", flush=True)
    return 0


def slowest(said: str) -> str:
    """Return pytest's report of the slowest tests, as `tests/conftest.py` prints it."""
    found = re.search(
        r"(?m)^=+ (most processor seconds) =+\n((?:  .*\n|\d+ over .*\n| +[\d.]+ s .*\n)+)", said
    )
    return f"{found[1].capitalize()}:\n{found[2]}" if found else ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
