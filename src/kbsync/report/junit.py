"""Findings as JUnit XML, which CI systems show as tests: a test for each file, a failure for each finding. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from kbsync.model import Finding, visible

ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, escaped or not."""

ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def findings_junit(findings: Sequence[Finding], paths: Iterable[str], *, root: str) -> str:
    """One suite.

    Args:
        findings: in path order.
        paths: the files that were looked at; one without findings is a test that passed.
        root: the content root as seen from the repository, put before each path.
    """
    found = {path: list(group) for path, group in groupby(findings, key=lambda finding: finding.path)}
    names = sorted({*paths, *found})
    counts = f'tests="{len(names)}" failures="{len(findings)}" errors="0" skipped="0"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="kbsync" {counts}>',
        f'  <testsuite name="kbsync lint" {counts}>',
    ]
    for path in names:
        lines += _case(posixpath.normpath(posixpath.join(root, path)), found.get(path, []))
    return "\n".join([*lines, "  </testsuite>", "</testsuites>"]) + "\n"


def _case(name: str, findings: Sequence[Finding]) -> Iterator[str]:
    head = f'    <testcase classname="kbsync.lint" name="{_escaped(name)}" file="{_escaped(name)}"'
    if not findings:
        yield f"{head}/>"
        return
    yield f"{head}>"
    for finding in findings:
        message = _escaped(f"{finding.line}:{finding.column} {finding.message}")
        text = _escaped(f"{name}:{finding.line}:{finding.column}: {finding.message}\n{finding.hint}".rstrip("\n"))
        kind = f"{finding.level} {finding.code}"
        yield f'      <failure type="{_escaped(kind)}" message="{message}">{text}</failure>'
    yield "    </testcase>"


def _escaped(text: str) -> str:
    shown = ILLEGAL.sub("", "".join(c if c in "\n\r\t" else visible(c) for c in text))
    return "".join(ENTITIES.get(character, character) for character in shown)
