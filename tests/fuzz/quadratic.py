"""The smallest text of each kind that once took the square of its length, and the way that it took it.

Run as a program it sends each of them that way, with a limit of CPU that the square does not keep: who goes beyond is
ended by the system, with the name of the text as the last line.
"""

import resource
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]
from adversarial import WAYS, numbered  # noqa: E402

MOST_S = 10
"""Seconds of CPU for each; on a machine with nothing else to do each takes less than one."""

CASES = {
    "instructions without an end": ("html", "%20<?\n" * 33_000),
    "a declaration of spaces": ("html", "a <!X" + " " * 200_000 + "b"),
    "addresses in an address": ("html", "<" + "https://a" * 66_000 + ">"),
    "dead anchors of the file itself": ("lint", numbered("[a](fuzzed.md#b№)\n## c№\n" * 7_000)),
    "backticks": ("lint", "a" + "`" * 199_999),
    "skipped levels": ("lint", numbered("# c№\n### d№\n" * 12_000)),
    "comments that ignore nothing": ("lint", "<!-- kbsync-ignore " + numbered("X№ " * 25_000) + "-->"),
    "comments that ignore all in a line": ("lint", numbered("<b> <!-- kbsync-ignore KB301 X№ -->" * 5_500)),
    "values without an end": ("front", "---\ntitle: a" + " position: 0x1" * 70_000 + "\n---\n"),
    "lines that are no YAML": ("front", "---\n" + numbered("k№: @a\n" * 400) + "---\n"),
}


def main() -> None:
    """Send each text its way."""
    for name, (way, text) in CASES.items():
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        used = resource.getrusage(resource.RUSAGE_SELF)
        limit = int(used.ru_utime + used.ru_stime) + MOST_S
        resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        WAYS[way](text)
    sys.stdout.write("all\n")


if __name__ == "__main__":
    main()
