"""The text files of a project in every encoding and with every line end, through the whole of `kbsync lint`.

Whatever the bytes are, the command ends with a word about each file that it cannot read, with its line, or with the
very values that were written. Each project follows from one number.
"""

import contextlib
import io
import json
import random
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from kbsync.cli.door import run
from kbsync.config import read_settings
from kbsync.content.parse import parse_source
from kbsync.errors import KbsyncError

CONFIG, ARTICLE, CATEGORY, PROFILE = "kbsync.toml", "content/en/a/one.md", "content/en/a/_category.md", "profile.toml"
TITLE, NAME, PORTAL = "Frais é ü 漢字 🎉", "Catégorie №1", "handbook-é"
TEXTS = {
    CONFIG: f'# é ü 漢字\n[service]\nportal = "{PORTAL}"\n\n[content]\nroot = "content"\nlocales = ["en"]\n',
    ARTICLE: f'---\ntitle: "{TITLE}"\naliases: [former-one, other]\nslug: one\n---\n\nA text: é, [two](two.md).\n\n## More\n\nWords.\n',
    CATEGORY: f"---\nname: {NAME}\nposition: 3\n---\n",
    PROFILE: 'extends = "chatwoot"\n# é\n[pace]\nrequests_per_minute = 90\n',
}
ENCODINGS = (
    "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-7", "latin-1", "cp1252", "cp037", "shift_jis",
    "gb18030", "koi8-r", "mac-roman", "iso2022_jp",
)  # fmt: skip
FAITHFUL = frozenset({"utf-8", "utf-8-sig"})
ENDS = ("\n", "\r\n", "\r", "\n\r", "\u2028", "\x85", "\x0b", "\r\r\n")
TOML_ENDS, MARKDOWN_ENDS = ("\n", "\r\n"), ("\n", "\r\n", "\r")
RIGHT_ENDS = {CONFIG: TOML_ENDS, PROFILE: TOML_ENDS, ARTICLE: MARKDOWN_ENDS, CATEGORY: MARKDOWN_ENDS}
PIECES = (
    b"\0", b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf8\x88\x80\x80\x80", b"\xf5\x80\x80\x80", b"\xff", b"\xfe\xff", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xc2\x85", b"\xe2\x80\xa8", b"\x1b[2J", b"\x7f", b"\x1a", b"\r", b"\xef\xbf\xbf", b"\xf3\xa0\x80\x81", b"\xcc\x81" * 300,
    b"x" * 300_000, b"[" * 3_000, b"#" + b"y" * 70_000, b'"', b"'''", b"\\", b"\\ud800", b'\n"\\u001b[2J" = 1\n', b"\\u009b31m", b"\\e[1m", b"9" * 5_000, b"a." * 2_000, b"{a=" * 400, b"\t", b"\xc2\xa0", b"---\n",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spelt:
    """A project: the bytes of its files, and the one that is spelt oddly. `is_faithful` where it must be read."""

    path: str
    encoding: str
    files: dict[str, bytes]
    is_faithful: bool


def made(number: int) -> Spelt:
    """The project of a number."""
    draw = random.Random(number)
    path, encoding = draw.choice((CONFIG, CONFIG, ARTICLE, ARTICLE, CATEGORY, PROFILE)), draw.choice(ENCODINGS)
    end = draw.choice(ENDS if draw.random() < 0.5 else ("\n",))
    data = TEXTS[path].replace("\n", end).encode(encoding, "replace")
    faithful = encoding in FAITHFUL and end in RIGHT_ENDS[path]
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        faithful = False
        at = draw.choice((0, len(data), draw.randint(0, len(data))))
        data = data[:at] + draw.choice(PIECES) + data[at:]
    if draw.random() < 0.1:
        data, faithful = data[: draw.randrange(len(data) + 1)], False
    others = {name: text.encode() for name, text in TEXTS.items()}
    if path == PROFILE:
        others[CONFIG] = others[CONFIG].replace(b"[service]\n", b'[service]\nprofile = "profile.toml"\n')
    return Spelt(path, encoding, {**others, path: data, "content/en/a/two.md": b"# Two\n\nText.\n"}, faithful)


@cache
def _folder() -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    kept = tempfile.TemporaryDirectory(prefix="kbsync-fuzz-")
    (Path(kept.name) / "content/en/a").mkdir(parents=True)
    return Path(kept.name), kept


def examine(spelt: Spelt) -> Iterator[str]:
    """Check a project as its user does; give what is wrong. Whatever is raised is for the caller."""
    folder, _ = _folder()
    for name, data in spelt.files.items():
        (folder / name).write_bytes(data)
    code, out, err = _lint(folder / CONFIG)
    if code not in {0, 2, 3}:
        yield f"ends with {code}: {err[-300:]}"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out + err):
        yield "what it prints has control characters"
    if code == 2:
        yield from _wrong_refusal(spelt, err)
    elif code == 3 and spelt.path == CONFIG and err.startswith("kbsync: There is no content folder at "):
        return  # It names another folder now.
    else:
        yield from _wrong_findings(spelt, out)
    yield from _wrong_reading(spelt, folder)


def _lint(config: Path) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["lint", "--format", "json", "--config", str(config)])
    return code, out.getvalue(), err.getvalue()


def _wrong_refusal(spelt: Spelt, err: str) -> Iterator[str]:
    if spelt.path not in {CONFIG, PROFILE}:
        yield f"ends with 2 because of {spelt.path}: {err[:300]}"
    elif spelt.is_faithful:
        yield f"refused: {err[:300]}"
    elif not re.search(rf"{re.escape(spelt.path)}(:\d+|`)", err):  # Of a profile's keys the table is named.
        yield f"says no place in {spelt.path}: {err[:300]}"


def _wrong_findings(spelt: Spelt, out: str) -> Iterator[str]:
    findings = json.loads(out)["findings"]
    for finding in findings:
        if finding["line"] < 1 or finding["column"] < 1 or not finding["message"] or len(finding["message"]) > 2_000:
            yield f"a finding without a place or words: {str(finding)[:300]}"
    errors = [finding for finding in findings if finding["level"] == "error"]
    if spelt.is_faithful and errors:
        yield f"refused: {errors[:2]}"


def _wrong_reading(spelt: Spelt, folder: Path) -> Iterator[str]:
    """What is read is what was written, or an error: never something else in its place."""
    data = spelt.files[spelt.path]
    if spelt.path in {ARTICLE, CATEGORY}:
        source = parse_source(spelt.path.removeprefix("content/"), data)
        said, meant = (source.title, TITLE) if spelt.path == ARTICLE else (source.name, NAME)
        if spelt.is_faithful and said != meant:
            yield f"read as {said!r}"
        if spelt.encoding not in FAITHFUL and said == meant and not _is_utf8(data):
            yield "read what is not UTF-8"
        if not _is_utf8(data) and [problem.code for problem in source.problems] != ["KB101"]:
            yield f"not UTF-8, and only {[problem.code for problem in source.problems]}"
    elif spelt.path == CONFIG:
        try:
            portal = read_settings(folder / CONFIG, environ={}).service.portal
        except KbsyncError:
            return
        if spelt.is_faithful and portal != PORTAL:
            yield f"read as {portal!r}"
        if not _is_utf8(data):
            yield "read what is not UTF-8"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
