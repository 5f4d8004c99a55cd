"""Findings as SARIF 2.1.0, which code scanning services and editors read. Pure.

Source: docs.oasis-open.org/sarif/sarif/v2.1.0, and what GitHub asks for beyond it (docs.github.com, SARIF support for
code scanning). Columns count characters, which the log has to declare.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import groupby
from typing import Any
from urllib.parse import quote

from kbsync import __version__
from kbsync.lint.explanations import explain
from kbsync.lint.fixes import Replacement, replacements
from kbsync.model import Finding, Rule, visible
from kbsync.report.escape import json_text
from kbsync.report.findings import LINE_END, Read
from kbsync.report.rules import RULES, place_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
NUMBERS = {code: number for number, code in enumerate(RULES)}

FINGERPRINT = "primaryLocationLineHash"
"""The one name that GitHub looks at; its value is a hash and a number that tells equal lines apart."""

PIECE = re.compile(r"!?\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])?|<[^>\n]*>|`[^`\n]*`|\S+")
"""What a finding is taken to be about: the link, the tag, the code or the word that begins at its column."""


def findings_sarif(findings: Iterable[Finding], *, root: str, page: str, read: Read) -> str:
    """One log with one run.

    Args:
        findings: of the content tree, in path order.
        root: the content root as seen from the top of the repository, put before each path.
        page: the address of the help center's page of codes; "" where the project has none on the web.
        read: gives the text of a source; asked once for each that has findings.
    """
    rules = [_rule(rule, page) for rule in RULES.values()]
    driver = {"name": "kbsync", "semanticVersion": __version__, "rules": rules}
    groups = groupby(findings, key=lambda finding: finding.path)
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [result for path, group in groups for result in _of_file(list(group), read(path) or "", root)],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log)


def _rule(rule: Rule, page: str) -> Mapping[str, Any]:
    words = explain(rule.code)
    text = f"{words.why}\n\n{words.fix}"
    described = {
        "id": rule.code,
        "name": "".join(word[0].upper() + word[1:] for word in re.findall(r"[A-Za-z0-9]+", rule.title)),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": text},
        "defaultConfiguration": {"level": rule.level},
        "help": {"text": text, "markdown": text + _fenced("Before", words.before) + _fenced("After", words.after)},
    }
    # SARIF wants an absolute address (section 3.49.12).
    return described | ({"helpUri": place_of(rule.code, page)} if page else {})


def _fenced(name: str, example: str) -> str:
    return f"\n\n{name}:\n\n~~~~~~markdown\n{example.rstrip()}\n~~~~~~\n" if example else ""


def _of_file(findings: Sequence[Finding], text: str, root: str) -> Iterator[Mapping[str, Any]]:
    """The results of one file: each has its place, and what would fix it alone."""
    path, lines = findings[0].path, LINE_END.split(text)
    location = {"uri": uri_of(path, root), "uriBaseId": "%SRCROOT%"}
    codes = {finding.code for finding in findings if finding.fixable}
    fixes = replacements(path, text.encode("utf-8", "replace"), codes) if codes else {}
    seen: Counter[str] = Counter()
    for finding in findings:
        line = lines[finding.line - 1] if finding.line <= len(lines) else ""
        seen[name := _fingerprint(finding, line)] += 1
        found = _result(finding, location, _region(finding, line)) | {
            "partialFingerprints": {FINGERPRINT: f"{name}:{seen[name]}"}
        }
        edits = fixes.get((finding.code, finding.line, finding.column), ())
        yield found | ({"fixes": [_fix(location, edits)]} if edits and finding.fixable else {})


def _fingerprint(finding: Finding, line: str) -> str:
    """The same when the line moves, is indented or wrapped in other spaces: rule, path and the words of the line."""
    data = "\0".join((finding.code, finding.path, " ".join(line.split())))
    return blake2b(data.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _result(finding: Finding, location: Mapping[str, Any], region: Mapping[str, Any]) -> dict[str, Any]:
    message = "\n".join(" ".join(visible(text).split()) for text in (finding.message, finding.hint) if text)
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": message},
        "locations": [{"physicalLocation": {"artifactLocation": location, "region": region}}],
    }
    return found | ({"ruleIndex": NUMBERS[finding.code]} if finding.code in NUMBERS else {})


def _region(finding: Finding, line: str) -> Mapping[str, int]:
    start = finding.column
    piece = PIECE.match(line, start - 1)
    end = piece.end() + 1 if piece else start
    return {"startLine": finding.line, "startColumn": start, "endLine": finding.line, "endColumn": end}


def _fix(location: Mapping[str, Any], edits: Iterable[Replacement]) -> Mapping[str, Any]:
    replaced = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column,
                "endLine": edit.end_line,
                "endColumn": edit.end_column,
            },
            "insertedContent": {"text": edit.text},
        }
        for edit in edits
    ]
    changes = [{"artifactLocation": location, "replacements": replaced}]
    return {"description": {"text": "As `kbsync lint --fix` does it."}, "artifactChanges": changes}


def uri_of(path: str, root: str) -> str:
    """A path of the tree as a relative address, percent-encoded."""
    return quote(posixpath.normpath(posixpath.join(root, path)), safe="/", errors="replace")
