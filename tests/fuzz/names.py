"""Commands as reports print them for files, folders and environments of any name, pasted into a real shell.

A program named `kbsync` stands in PATH and writes down its arguments. They must be what was meant, to the letter; and
nothing else runs. Each set of names follows from one number.
"""

import os
import random
import re
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

from kbsync.app.consent import Consent
from kbsync.app.options import PlanOptions, push_command
from kbsync.cli.screen import Options
from kbsync.command import command_line
from kbsync.config import Settings
from kbsync.model import Action, Change, Held, Outcome, Plan, Reason, Target
from kbsync.report.pushed import Words, push_text
from kbsync.report.style import Style
from kbsync.report.summary import plan_markdown
from kbsync.report.text import plan_text

PIECES = (
    "a", "b c", " ", "  ", "é", "e\u0301", "漢字", "🎉", "$(touch RAN)", "`touch RAN`", "${IFS}", "$HOME", "$", "'", '"', "\\", "\\n", "\n", "\r", "\t", "-", "--", "=",
    "--publish", "--config=x", "*", "?", "[a]", "{a,b}", "~", "~root", "#", "!", "!!", ";touch RAN;", "|touch RAN", "&touch RAN&", ">RAN", "<RAN", "%s", "%n", "%",
    "##[error]", "::error::", "\u202e", "\u00a0", "\u2028", "\x1b[2J", "\x7f", "\x01", "\udcff", "/", "../", ".", ":", ",", "locale:fr", "@", "+", "^", "(", ")", "x" * 300,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """What a person's things are called."""

    path: str
    env: str
    config: str
    token_file: str
    address: str


def made(number: int) -> Names:
    """The names of a number."""
    draw = random.Random(number)

    def name() -> str:
        # A line break at its very end no report can show on one line, and no shell takes it out of `$(...)`.
        return "".join(draw.choices(PIECES, k=draw.randint(1, 5))).replace("\n/", "/").rstrip("\n") or "a"

    host = "".join(draw.choices("$(){}`;|&!*?<>'\"[]~^a.-%,+_=", k=draw.randint(1, 12)))
    rare = (name() if draw.random() < 0.5 else "" for _ in range(3))
    return Names(name(), *rare, f"https://{host}.example.com")


@cache
def _place() -> tuple[Path, dict[str, str], tempfile.TemporaryDirectory[str]]:
    kept = tempfile.TemporaryDirectory(prefix="kbsync-fuzz-")
    root = Path(kept.name)
    (root / "bin").mkdir()
    (root / "here").mkdir()
    program = root / "bin/kbsync"
    program.write_text("""#!/bin/sh\nfor word do printf '%s\\0' "$word"; done\nprintf 'END\\0\\0'\n""")
    program.chmod(0o755)
    return root / "here", {"PATH": f"{root / 'bin'}:{os.defpath}", "HOME": str(root)}, kept


def examine(names: Names) -> Iterator[str]:
    """Print every command for these names, take them out of the reports, and paste them; give what is wrong."""
    options = Options(
        Path(names.config) if names.config else None, names.env, Path(names.token_file) if names.token_file else None
    )
    shared = [f"{name}={value}" for name, value in options.shared if value]
    printed: list[tuple[str, list[str]]] = []
    for line, words in _commands(names, options):
        meant = [words[0], *shared, *words[1:]]
        printed += [(found, meant) for found in _as_reported(line, names)] or [("", meant)]
    lines = list(dict.fromkeys(line for line, _ in printed))
    came = dict(zip(lines, _pasted(lines), strict=True))
    for line, meant in printed:
        if not _same(came[line], meant):
            yield f"{line!r} runs as {came[line]}, and {meant} was meant"
    here, _, _ = _place()
    for left in [*here.iterdir()]:
        yield f"{left.name} was made"
        left.unlink()


def _commands(names: Names, options: Options) -> Iterator[tuple[str, list[str]]]:
    """Commands of all shapes that there are, and the same in words that nobody can misread, less the shared options."""
    shared = options.shared
    session, wanted = options.session(), PlanOptions((names.path,), (names.path,), recreate=True)
    yield push_command(session, wanted), ["push", "--recreate", f"--overwrite={names.path}", "--", names.path]
    yield push_command(session, PlanOptions(), Path(names.path)), ["push", "--", str(Path(names.path))]
    yield command_line("resolve", names.path, options=shared), ["resolve", "--", names.path]
    yield command_line("plan", options=[("--out", names.path), *shared]), ["plan", f"--out={names.path}"]
    yield (
        Consent(Settings(Path("kbsync.toml")), options.session()).command_for(names.address),
        ["trust", f"--origin={names.address}"],
    )


def _as_reported(line: str, names: Names) -> Iterator[str]:
    """The command as it comes out of each report."""
    article = {"kind": "article", "locale": "en", "slug": "a", "path": names.path}
    hint = f"edited: run `{line}` for ours"
    held = Held(reason=Reason.DRIFT, remote_id=1, fields=("title",), hint=hint, **article)
    change = Change(action=Action.CREATE, remote_id=None, title=names.path, **article)
    plan = Plan(Target("https://x.example.com", 1, "p", "chatwoot"), (change,), (held,))
    text = plan_text(plan, Style(width=40), command=line)
    yield from re.findall(r"run\s+`(kbsync [^`]*)`\s+for\s+ours", text)
    yield from re.findall(r"Run\s+`(kbsync [^`]*)`\s+to\s+make\s+this\s+change", text)
    failed = push_text(
        plan, [Outcome(change, "failed", None, "no")], Style(), requests=1, seconds=1.0, words=Words(again=line)
    )
    yield from re.findall(r"Run\s+`(kbsync [^`]*)`\s+again\s+to", failed)
    if len(line) < 900:  # Longer ones are cut in a comment, and end with `…`.
        yield from re.findall(r"run `(kbsync [^`]*)` for ours", plan_markdown(plan, (), root="content"))


def _pasted(lines: list[str]) -> list[list[str]]:
    """The words that arrive for each; one shell for all, unless one of them leaves something open."""
    together = _run("\n".join(lines))
    return together if len(together) == len(lines) else [(_run(line) or [["?"]])[0] for line in lines]


def _run(script: str) -> list[list[str]]:
    """The words of each command; nothing where the shell complains."""
    here, environ, _ = _place()
    done = subprocess.run(
        ["sh", "-c", script], cwd=here, env=environ, capture_output=True, stdin=subprocess.DEVNULL, check=False
    )
    commands = os.fsdecode(done.stdout).split("END\0\0")[:-1]
    return [] if done.stderr else [command.split("\0")[:-1] for command in commands]


def _same(came: list[str], meant: list[str]) -> bool:
    """Whether kbsync itself reads the same out of both."""
    return came[0] == meant[0] and _read(came) == _read(meant)


def _read(words: list[str]) -> tuple[dict[str, object], dict[str, object]]:
    shared: dict[str, object] = {}
    command = import_module(f"kbsync.cli.{words[0]}").command
    return command.make_context(words[0], list(words[1:]), obj=shared).params, shared
