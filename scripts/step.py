"""Run a command as one line of a longer job: ``python scripts/step.py "Checking types" mypy``.

The line has a description, the progress (if the command prints percentages as pytest does), and the duration.
The command's output is printed only if it fails; pytest's slowest tests are always printed. Needs only
Python.
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
    description, *command = arguments
    terminal = sys.stdout.isatty()
    print(f"{description} …", end="", flush=True)
    start, lines, percent = time.monotonic(), [], 0
    try:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
    except OSError as error:
        print(f" failed\n{error}", flush=True)
        return 127
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        match = re.search(r"\[ *(\d+)%\]\s*$", line)
        if match and (new_percent := int(match[1])) > percent:
            if terminal:
                print(f"\r{description} … {new_percent} %", end="", flush=True)
            elif new_percent // 25 > percent // 25 and new_percent < 100:
                print(f" {new_percent // 25 * 25} %", end="", flush=True)
            percent = new_percent
    exit_code = process.wait()
    minutes, seconds = divmod(round(time.monotonic() - start), 60)
    duration = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
    if terminal and percent:
        print(f"\r\033[K{description} …", end="")
    if exit_code:
        print(f" failed after {duration}", "".join(lines).rstrip(), sep="\n", flush=True)
        return exit_code
    counts = re.findall(r"(?m)^=*\s*(\d+ passed.*?) in [\d.]+s", "".join(lines[-3:]))
    print(" " + ", ".join([*counts, duration]), flush=True)
    print(slowest("".join(lines)), end="", flush=True)
    return 0


def slowest(output: str) -> str:
    """Return pytest's report of the slowest tests, as `tests/conftest.py` prints it."""
    match = re.search(
        r"(?m)^=+ (most processor seconds) =+\n((?:  .*\n|\d+ over .*\n| +[\d.]+ s .*\n)+)", output
    )
    return f"{match[1].capitalize()}:\n{match[2]}" if match else ""


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
