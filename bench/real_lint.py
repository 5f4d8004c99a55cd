"""Lint on documentation that nobody here wrote: what it finds, what `--fix` does, what there is to judge. By hand.

    python bench/real_lint.py gather TREES PACKAGE...   unpacked packages become kbsync projects below TREES
    python bench/real_lint.py lint TREES                counts by code; findings to judge go to TREES/findings.txt
    python bench/real_lint.py pages TREES               random pages with all that is found go to TREES/pages.txt
    python bench/real_lint.py fix TREES                 `lint --fix` on a copy, twice: what readers read differently

A package is a folder that `npm pack`, `pip download` or `apt-get download` brought and that was unpacked; `FOLDER=zh`
says its language. Nothing here uses the network. Pages keep their front matter; one without any and without a heading
of level 1 gets a title.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import html
import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from kbsync.content.post import read_post
from kbsync.markdown.html import render_html

PAGES = {".md", ".mdx", ".markdown"}
IMAGES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"}
MOST_BYTES = 200_000
LOCALE = re.compile(
    r"(?:ar|az|bn|cs|de|el|en|es|fa|fi|fr|he|hi|hu|id|it|ja|ko|nl|pl|pt|ro|ru|sv|th|tr|uk|vi|zh)(?:-(?:br|cn|hans|hant|tw))?",
    re.IGNORECASE,
)
SEED = 17
OF_EACH_CODE = 12
OF_PAGES = 50
NEAR = 2
"""Lines around a finding that its judge is shown."""

NEVER_FRONT = re.compile(r"\A\ufeff?(?:---|\+\+\+)[ \t]*\r?\n")
HEADING = re.compile(r"^#[ \t]+\S", re.MULTILINE)
TAGS = re.compile(r"<!--.*?-->|<[^>]*>", re.DOTALL)
SETTINGS = """[service]
base_url = "https://support.example.com"
account_id = 1
portal = "docs"
[content]
root = "content"
default_locale = "{first}"
locales = {locales}
"""

Finding = dict[str, Any]


def gather(trees: Path, package: str) -> None:
    """Make a project of an unpacked package."""
    folder, _, language = package.partition("=")
    root = Path(folder)
    content = trees / root.name / "content"
    for path in sorted(root.rglob("*")):
        name = path.name.removesuffix(".gz")
        kind = Path(name).suffix.lower()
        if path.is_file() and not path.is_symlink() and kind in PAGES | IMAGES:
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            target = content / _place(path.relative_to(root).with_name(name), language or "en")
            target.parent.mkdir(parents=True, exist_ok=True)
            if kind in IMAGES:
                target.write_bytes(data)
            elif 0 < len(data) < MOST_BYTES:
                target.with_suffix(".md").write_text(_with_front(data, target), encoding="utf-8", newline="")
    for below in {path.parent for path in content.rglob("*.md")}:
        if below.parent != content and not (below / "_category.md").exists():
            (below / "_category.md").write_text(f"---\nname: {below.name}\nslug: {_slug(content, below)}\n---\n")
    locales = sorted(path.name for path in content.iterdir())
    first = language or ("en" if "en" in locales else locales[0])
    text = SETTINGS.format(first=first, locales=json.dumps(locales))
    (content.parent / "kbsync.toml").write_text(text, encoding="utf-8")


def _place(path: Path, language: str) -> Path:
    """Where a page goes: a folder that is called as a locale comes first."""
    parts = [part for part in path.parts[:-1] if part not in {"package", "docs", "content", "node_modules", ".docs"}]
    found = next((part for part in parts if LOCALE.fullmatch(part)), None)
    if found is not None:
        parts.remove(found)
    return Path(found or language, *parts, path.name)


def _slug(content: Path, folder: Path) -> str:
    return re.sub(r"[^a-z0-9]+", "-", "-".join(folder.relative_to(content).parts[1:]).lower()).strip("-") or "x"


def _with_front(data: bytes, path: Path) -> str:
    text = data.decode("utf-8", "replace")
    if NEVER_FRONT.match(text):
        return text
    title = "" if HEADING.search(text) else f"title: {json.dumps(path.stem.replace('-', ' '))}\n"
    return f"---\nstatus: published\n{title}---\n{text}"


def run(tree: Path, *options: str) -> str:
    """What `kbsync lint` prints in a tree."""
    command = [sys.executable, "-m", "kbsync", "lint", *options]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 3}:
        raise SystemExit(f"{tree}: {done.returncode}\n{done.stderr}")
    return done.stdout


def findings(trees: Path) -> Iterator[tuple[Path, Finding]]:
    """All findings of all trees, each with its tree."""
    for tree in projects(trees):
        # The cache does not know that somebody changed a rule since.
        shutil.rmtree(tree / ".kbsync", ignore_errors=True)
        for found in json.loads(run(tree, "--format", "json"))["findings"]:
            yield tree, found


def projects(trees: Path) -> list[Path]:
    """The projects that were gathered."""
    return sorted(path.parent for path in trees.glob("*/kbsync.toml"))


def report_codes(trees: Path) -> None:
    """Count, and write what is to be judged."""
    by_code: dict[str, list[tuple[Path, Finding]]] = defaultdict(list)
    for tree, found in findings(trees):
        by_code[found["code"]].append((tree, found))
    lines = []
    for code, all_of_it in sorted(by_code.items()):
        fixable = sum(found["fixable"] for _, found in all_of_it)
        files = len({(tree, found["path"]) for tree, found in all_of_it})
        print(f"| {code} | {len(all_of_it):,} | {files:,} | {fixable:,} |")
        lines += [f"\n######## {code}: {len(all_of_it)}"]
        for number, (tree, found) in enumerate(chosen(code, all_of_it), 1):
            lines += [f"\n{code}-{number} {tree.name} {found['path']}:{found['line']}:{found['column']}"]
            lines += [f"  {found['message']} -- {found['hint']}", *_excerpt(tree, found)]
    (trees / "findings.txt").write_text("\n".join(lines), encoding="utf-8")


def chosen(code: str, all_of_it: list[tuple[Path, Finding]]) -> list[tuple[Path, Finding]]:
    """Random findings of one code, the trees in turn: one tree has most of many codes."""
    rng = random.Random(f"{SEED} {code}")
    of_tree: dict[Path, list[Finding]] = defaultdict(list)
    for tree, found in all_of_it:
        of_tree[tree].append(found)
    for several in of_tree.values():
        rng.shuffle(several)
    turns = sorted(of_tree, key=lambda tree: rng.random())
    in_turn = [
        (tree, of_tree[tree][turn]) for turn in range(OF_EACH_CODE) for tree in turns if turn < len(of_tree[tree])
    ]
    return in_turn[:OF_EACH_CODE]


def _excerpt(tree: Path, found: Finding) -> list[str]:
    text = (tree / "content" / found["path"]).read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    first = max(found["line"] - 1 - NEAR, 0)
    near = lines[first : found["line"] + NEAR]
    return [f"  {'>' if first + number == found['line'] - 1 else ' '} {line[:220]}" for number, line in enumerate(near)]


def report_pages(trees: Path) -> None:
    """Write random pages, each with its findings and what readers get."""
    of_page: dict[tuple[Path, str], list[Finding]] = defaultdict(list)
    for tree, found in findings(trees):
        of_page[tree, found["path"]].append(found)
    pages = [
        (tree, path)
        for tree in projects(trees)
        for path in sorted((tree / "content").rglob("*.md"))
        if path.name != "_category.md"
    ]
    lines = []
    for number, (tree, path) in enumerate(random.Random(SEED).sample(pages, OF_PAGES), 1):
        content = read_post(path.read_text(encoding="utf-8")).content
        name = path.relative_to(tree / "content").as_posix()
        lines += [f"\n######## page {number}: {tree.name} {name}"]
        lines += [f"  {it['line']}:{it['column']} {it['code']} {it['message']}" for it in of_page[tree, name]]
        lines += ["---- text", content, "---- readers", render_html(content)]
    (trees / "pages.txt").write_text("\n".join(lines), encoding="utf-8")


def report_fixes(trees: Path) -> None:
    """Fix a copy twice, and write how the words differ that readers read."""
    copy = trees.with_name(f"{trees.name}-fixed")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(trees, copy, ignore=shutil.ignore_patterns(".kbsync"))
    for tree in projects(copy):
        run(tree, "--fix")
    once = {path: path.read_bytes() for path in copy.rglob("*.md")}
    for tree in projects(copy):
        run(tree, "--fix")
    changed_again = [path for path, data in once.items() if path.read_bytes() != data]
    lines, counts = [], Counter[str]()
    for path, data in sorted(once.items()):
        before = (trees / path.relative_to(copy)).read_bytes()
        if before == data:
            continue
        counts["files changed"] += 1
        if differs := list(_differences(before.decode(), data.decode())):
            counts["files whose words differ"] += 1
            lines += [f"\n######## {path.relative_to(copy)}", *differs]
    (trees / "fixes.txt").write_text("\n".join(lines), encoding="utf-8")
    print(*(f"{what}: {number:,}" for what, number in counts.items()), sep="\n")
    print(f"changed by a second run: {len(changed_again)}", *changed_again, sep="\n")


def _differences(before: str, after: str) -> Iterator[str]:
    words = [readers_words(read_post(text).content) for text in (before, after)]
    if words[0] != words[1]:
        yield from (
            line for line in difflib.unified_diff(*words, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))
        )


def readers_words(markdown: str) -> list[str]:
    """The lines that readers read of a text."""
    text = html.unescape(TAGS.sub("", render_html(markdown)))
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]


def main(arguments: Iterable[str]) -> None:
    """Do one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("gather", "lint", "pages", "fix"))
    parser.add_argument("trees", type=Path)
    parser.add_argument("packages", nargs="*")
    options = parser.parse_args(list(arguments))
    for package in options.packages:
        gather(options.trees, package)
    steps = {"gather": lambda _: None, "lint": report_codes, "pages": report_pages, "fix": report_fixes}
    steps[options.step](options.trees)


if __name__ == "__main__":
    main(sys.argv[1:])
