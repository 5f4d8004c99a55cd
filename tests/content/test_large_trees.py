"""A large tree has its rows and findings in files: the same is found in it, and kept of it, as of a small one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from builders import AUTHORS, LIMITS, write_files
from kbsync.config import AssetsSettings, ContentSettings, LintSettings
from kbsync.content.identity import identify
from kbsync.content.images import Images
from kbsync.content.many_findings import (
    PLACE,
    InPieces,
    ManyFindings,
    Piece,
    encoded_pieces,
    errors_in,
    gathered,
    has_code,
)
from kbsync.content.tree import Tree, read_tree, store_tree
from kbsync.files import Scratch
from kbsync.lint import OF_A_SOURCE, OF_THE_TREE, check_tree, inspect
from kbsync.lint.context import Context
from kbsync.lint.parts import check_parts
from kbsync.model import Finding

FULL_DISK = """
import resource, sys
from kbsync.files import WRITE_BYTES, Scratch
resource.setrlimit(resource.RLIMIT_FSIZE, (WRITE_BYTES + 100, WRITE_BYTES + 100))
scratch = Scratch()
pieces = [bytes([number]) * 300_000 for number in range(12)]
ends = [scratch.append(piece) for piece in pieces]
sys.exit([scratch.read(end - 300_000, end) for end in ends] != pieces)
"""


@pytest.fixture
def trouble(tmp_path: Path) -> Path:
    """A tree with something wrong of every kind: alone, in a link, in a translation, in two files, in the whole."""
    front = "---\ntitle: {}\nstatus: published\n---\n"
    files = {
        f"en/a/{number}.md": front.format(number)
        + f"# Part\n\n[next]({number + 1}.md#part) [no](none.md) [dead]({number}.md#no)\n\n`{{name}}`\n"
        for number in range(30)
    }
    files |= {f"fr/a/{number}.md": front.format(number) + "[un](1.md)\n\n* * *\n" for number in range(0, 40, 2)}
    files |= {
        "en/a/_category.md": "---\nname: A\n---\n",
        "fr/a/_category.md": "---\nname: A\nslug: a\n---\n",
        "en/a/3.md": "---\ntitle: Three\nslug: '5'\nstatus: draft\n---\n\nText <!-- kbsync-ignore KB999 -->\n",
        "en/a/4.md": "---\ntitle: [\n---\n\nText\n",
        "en/README.md": "A text.\n",
        "en/b/away.md": "---\ntitle: B\ntranslation_of: fr/none.md\nauthor: nobody\nlint_ignore: [KB4]\n---\n\n[/x](/x)\n",
        "en/b/empty.md": "",
        "en/b/old.mdx": "Text\n",
        "zz/unused.png": "no image",
    }
    return write_files(tmp_path / "content", files)


def context_of(tree: Tree) -> Context:
    site = identify(tree, ContentSettings())
    return Context(tree, site, LIMITS, AUTHORS, Images(tree.root), AssetsSettings())


def read(root: Path, cache: Path | None = None, **how: int) -> Tree:
    return read_tree(root, cache=cache, inspect=inspect, workers=1, **how)


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_the_same_is_found_in_the_same_order(trouble: Path, size: int):
    settings = LintSettings(levels={"KB6": "error"})
    small, large = context_of(read(trouble)), context_of(read(trouble, in_memory=0))
    checks = OF_A_SOURCE + OF_THE_TREE
    expected = check_tree(small, settings, checks=checks)
    codes = {finding.code for finding in expected}
    assert {"KB301", "KB302", "KB304", "KB309", "KB308", "KB201", "KB213", "KB214", "KB210", "KB601"} <= codes
    assert list(check_tree(large, settings, checks=checks)) == expected
    assert list(check_parts(large, settings, checks, size)) == expected
    assert sorted(map(repr, large.tree.problems())) == sorted(map(repr, small.tree.problems()))


def test_the_same_is_read_and_kept_for_the_next_run(trouble: Path, tmp_path: Path):
    small, caches = read(trouble), [tmp_path / "small.cache", tmp_path / "large.cache"]
    large = read(trouble, caches[1], in_memory=0)
    assert large.is_large and large.stale and not small.is_large
    assert dict(large.sources) == small.sources and [*large.sources] == [*small.sources]
    assert [source.path for source in large.sources.values()] == [*small.sources]
    assert dict(large.sources.items()) == small.sources and len(large.sources) == len(small.sources)
    store_tree(large, caches[1])
    assert dict(read(trouble, caches[1]).sources) == small.sources


def test_one_change_is_read_again_and_the_rest_is_known(trouble: Path, tmp_path: Path):
    cache = tmp_path / "scan.cache"
    store_tree(read(trouble), cache)
    (trouble / "en/a/7.md").write_text("---\ntitle: Other\n---\n\nOther text\n")
    (trouble / "en/a/8.md").unlink()
    write_files(trouble, {"en/a/11a.md": "---\ntitle: New\n---\n\nText\n"})
    large = read(trouble, cache, in_memory=0)
    assert large.stale and dict(large.sources.items()) == dict(read(trouble).sources)
    # In path order, wherever the rows lie.
    assert [*large.sources] == sorted(large.sources)


def test_a_damaged_cache_costs_nothing_but_time(trouble: Path, tmp_path: Path):
    cache = tmp_path / "scan.cache"
    store_tree(read(trouble), cache)
    data = bytearray(cache.read_bytes())
    data[len(data) // 2] ^= 1
    cache.write_bytes(data)
    assert dict(read(trouble, cache, in_memory=0).sources) == read(trouble).sources


def test_findings_beyond_a_number_are_in_a_file():
    given = [Finding("KB301", "error" if n % 700 == 0 else "warning", f"{n}.md", n, 1, "Text") for n in range(2_500)]
    few, many = gathered(given, in_memory=2_500), gathered(iter(given), in_memory=2_499)
    assert few == tuple(given) and isinstance(many, ManyFindings)
    assert list(many) == given and len(many) == 2_500 and many[0] == given[0] and many[-1] == given[-1]
    assert many[998:1_003] == tuple(given[998:1_003])
    with pytest.raises(IndexError):
        many[2_500]
    assert errors_in(many) == errors_in(few) == [*given[::700]]
    assert has_code(many, "KB301") and not has_code(many, "KB302")
    assert [piece.data() for piece in encoded_pieces(many)] == [piece.data() for piece in encoded_pieces(few)]


@pytest.mark.parametrize("seed", range(20))
def test_findings_of_some_files_in_the_place_of_others_are_in_the_order_of_all(seed: int):
    rng = Random(seed)
    paths = [
        rng.choice(["", "en/"]) + f"{number:02}{rng.choice(['-é', ' (a) b', '.md', ''])}.md" for number in range(30)
    ]
    texts = [
        text for path in paths for text in (f"Line {path}:7 here.", f"The heading ({path}:1).", f"{path} has none.")
    ]

    def some(among: list[str], number: int) -> list[Finding]:
        codes = rng.choices(["KB301", "KB302", "KB601"], k=number)
        found = [
            Finding(code, rng.choice(["warning", "error"]), rng.choice(among), rng.randrange(9), 1, rng.choice(texts))
            for code in codes
        ]
        return sorted(found, key=PLACE)

    given = some(paths, rng.choice([0, 1, 200]))
    size = rng.choice([1, 7, 100])
    known = InPieces([Piece.of(given[at : at + size]) for at in range(0, len(given), size)])
    for _ in range(4):
        these = rng.sample(paths, rng.randrange(4))
        own = some(these, rng.randrange(5)) if these else []
        known = known.amended(these, own, stays=lambda found: found.code == "KB302")
        given = [found for found in given if found.path not in these or found.code == "KB302"]
        given = sorted([*given, *own], key=PLACE)
        assert list(known) == given and len(known) == len(given)
        assert errors_in(known) == [found for found in given if found.level == "error"]
        named = [found for found in given if any(f"{path}{sign}" in found.message for path in these for sign in ": ")]
        assert all(found in known.naming(these) for found in named)


def test_a_finding_that_quotes_a_megabyte_is_put_into_a_piece():
    # With a time that is the square of its length, this would not end.
    message = f"en/a.md does not have a heading `#{'b' * 1_000_000}`."
    long = Finding("KB302", "warning", "en/x.md", 1, 1, message)
    piece = Piece.of([long])
    assert piece.decoded() == InPieces([piece]).naming(["en/a.md"]) == [long]
    assert InPieces([piece]).naming(["en/b.md"]) == []


def test_what_is_put_aside_can_be_read_again():
    scratch, pieces = Scratch(), [b"one", b"", b"three" * 500_000, b"four"]
    ends = [scratch.append(piece) for piece in pieces]
    assert [scratch.read(end - len(piece), end) for piece, end in zip(pieces, ends, strict=True)] == pieces
    assert scratch.append(b"!") == ends[-1] + 1 and scratch.read(ends[0], ends[1]) == b""


@pytest.mark.skipif(sys.platform == "win32", reason="a full disk is made with a limit of POSIX")
def test_a_full_disk_puts_it_into_memory():
    assert subprocess.run([sys.executable, "-c", FULL_DISK], check=False).returncode == 0
