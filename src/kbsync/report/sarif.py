"""Findings as SARIF 2.1.0, which code scanning services and editors read. Pure.

Source: docs.oasis-open.org/sarif/sarif/v2.1.0. Columns count characters, which the log has to declare.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from kbsync import __version__
from kbsync.lint.explanations import explain
from kbsync.model import Finding, Rule, visible
from kbsync.report.escape import json_text
from kbsync.report.rules import RULES, place_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
NUMBERS = {code: number for number, code in enumerate(RULES)}


def findings_sarif(findings: Iterable[Finding], *, root: str, page: str) -> str:
    """One log with one run.

    Args:
        findings: of the content tree.
        root: the content root as seen from the top of the repository, put before each path.
        page: the address of the help center's page of codes; "" where the project has none on the web.
    """
    rules = [_rule(rule, page) for rule in RULES.values()]
    driver = {"name": "kbsync", "semanticVersion": __version__, "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, root) for finding in findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log)


def _rule(rule: Rule, page: str) -> Mapping[str, Any]:
    words = explain(rule.code)
    text = f"{words.why}\n\n{words.fix}"
    described = {
        "id": rule.code,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text + _fenced("Before", words.before) + _fenced("After", words.after)},
    }
    # SARIF wants an absolute address (section 3.49.12).
    return described | ({"helpUri": place_of(rule.code, page)} if page else {})


def _fenced(name: str, example: str) -> str:
    return f"\n\n{name}:\n\n~~~~~~markdown\n{example.rstrip()}\n~~~~~~\n" if example else ""


def _result(finding: Finding, root: str) -> Mapping[str, Any]:
    message = "\n".join(" ".join(visible(text).split()) for text in (finding.message, finding.hint) if text)
    found: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.level,
        "message": {"text": message},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri_of(finding.path, root), "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": finding.line, "startColumn": finding.column},
                }
            }
        ],
    }
    return found | ({"ruleIndex": NUMBERS[finding.code]} if finding.code in NUMBERS else {})


def uri_of(path: str, root: str) -> str:
    """A path of the tree as a relative address, percent-encoded."""
    return quote(posixpath.normpath(posixpath.join(root, path)), safe="/", errors="replace")
