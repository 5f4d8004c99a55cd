"""Findings as JUnit XML, which CI systems show as tests: a test for each file, failed by its findings. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kbsync.model import Finding, visible
from kbsync.report.escape import HASHES

ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, escaped or not."""


def findings_junit(findings: Sequence[Finding], paths: Iterable[str], *, root: str) -> str:
    """One suite.

    Args:
        findings: in path order.
        paths: the files that were checked; one without findings is a test that passed.
        root: the content root as seen from the repository, put before each path.
    """
    found = {path: list(group) for path, group in groupby(findings, key=lambda finding: finding.path)}
    names = sorted({*paths, *found})
    counts = {"tests": str(len(names)), "failures": str(len(found)), "errors": "0", "skipped": "0"}
    suites = Element("testsuites", {"name": "kbsync", **counts})
    suite = SubElement(suites, "testsuite", {"name": "kbsync lint", **counts})
    for path in names:
        _add_case(suite, posixpath.normpath(posixpath.join(root, path)), found.get(path, []))
    indent(suites)
    xml = HASHES.sub("#&#35;", tostring(suites, encoding="unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'


def _add_case(suite: Element, name: str, findings: Sequence[Finding]) -> None:
    case = SubElement(suite, "testcase", classname="kbsync.lint", name=_legal(name), file=_legal(name))
    if not findings:
        return
    # A test has one failure: some readers show only the first, others count each one as a test.
    worst = min(findings, key=lambda finding: finding.level != "error")
    more = f" (and {len(findings) - 1:,} more)" if len(findings) > 1 else ""
    message = f"{worst.line}:{worst.column} {worst.message}{more}"
    failure = SubElement(case, "failure", type=_legal(f"{worst.level} {worst.code}"), message=_legal(message))
    # The library writes line breaks of a text as they are. A line of a stranger's could be a command in a CI log.
    failure.text = "\n".join(_legal(visible(line)) for finding in findings for line in _lines(finding, name))


def _lines(finding: Finding, name: str) -> Iterator[str]:
    yield f"{name}:{finding.line}:{finding.column}: {finding.message}"
    if finding.hint:
        yield finding.hint


def _legal(text: str) -> str:
    """The text without what XML cannot hold, line breaks and tabs kept; the library escapes the rest."""
    return ILLEGAL.sub("", "".join(c if c in "\n\r\t" else visible(c) for c in text))
