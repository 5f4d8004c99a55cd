"""What kbsync is built from: lower bounds, the locked packages, the actions of the examples, and whose work is in it."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
RUNTIME = [Requirement(line) for line in [*PROJECT["dependencies"], *EXTRAS["postgres"]]]
DEVELOPMENT = [Requirement(line) for line in EXTRAS["dev"]]
LOCK = (ROOT / "requirements" / "ci.txt").read_text("utf-8")

VERSION_TAG = re.compile(r"^v\d+(\.\d+){0,2}$|^[0-9a-f]{40}$")


def locked() -> dict[str, tuple[str, str]]:
    """Name to version and the lines below it."""
    found = re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)[^\n]*\\\n((?:    --hash=[^\n]*\n)+)", LOCK, re.MULTILINE)
    return {canonicalize_name(name): (version, hashes) for name, version, hashes in found}


def test_the_script_makes_a_constraint_of_every_runtime_dependency():
    said = subprocess.run([sys.executable, ROOT / ".ci" / "bounds.py"], capture_output=True, text=True, check=True)
    lowest = [Requirement(line) for line in said.stdout.splitlines()]
    assert [each.name for each in lowest] == [each.name for each in RUNTIME]
    assert all(
        str(low.specifier).removeprefix("==") == str(wanted.specifier).removeprefix(">=")
        for low, wanted in zip(lowest, RUNTIME, strict=True)
    )


@pytest.mark.parametrize(
    "wanted", [each for each in [*RUNTIME, *DEVELOPMENT] if each.name != "kbsync"], ids=lambda each: each.name
)
def test_every_dependency_is_locked_at_a_version_that_pyproject_allows(wanted):
    assert canonicalize_name(wanted.name) in locked(), "run `make lock`"
    version, _ = locked()[canonicalize_name(wanted.name)]
    assert wanted.specifier.contains(version), "run `make lock`"


def test_every_locked_package_has_hashes_and_none_comes_from_a_place_of_its_own():
    pins = re.findall(r"^[A-Za-z0-9._-]+==", LOCK, re.MULTILINE)
    assert len(pins) == len(locked()) > len(RUNTIME)
    assert all(re.fullmatch(r"(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", hashes) for _, hashes in locked().values())
    options = [line for line in LOCK.splitlines() if line.startswith("-")]
    assert not options
    assert "://" not in LOCK
    assert " @ " not in LOCK


@pytest.mark.parametrize("path", [*sorted((ROOT / "examples" / "github").iterdir())], ids=lambda path: path.name)
def test_the_actions_of_an_example_are_pinned(path):
    used = re.findall(r"uses: [\w./-]+@(\S+)", path.read_text("utf-8"))
    assert used
    assert all(VERSION_TAG.match(ref) for ref in used)


def test_the_packages_that_a_table_is_derived_from_are_named_with_their_licence():
    named = (ROOT / "THIRD_PARTY.md").read_text("utf-8")
    for package in ("@sindresorhus/slugify", "@sindresorhus/transliterate", "Chatwoot", "cmark-gfm"):
        assert package in named
    assert "Permission is hereby granted" in named
