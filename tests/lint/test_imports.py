"""Start-up is part of speed: a lint loads only what it needs, and each of its processes has all of it in memory."""

import subprocess
import sys
from pathlib import Path

import pytest

LINT = """
import sys
from pathlib import Path
from kbsync import Project
findings = Project.open(Path(sys.argv[1])).lint().findings
print([found.code for found in findings], [name for name in sys.argv[2].split() if name in sys.modules])
"""


@pytest.mark.parametrize(("status", "loaded"), [("draft", ""), ("!!str draft", "yaml")])
def test_a_lint_loads_yaml_only_for_a_front_matter_that_needs_it(tmp_path: Path, status: str, loaded: str):
    (tmp_path / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n')
    folder = tmp_path / "content" / "en"
    folder.mkdir(parents=True)
    text = f"---\ntitle: Refunds\nstatus: {status}\nposition: 3\n---\nWords.\n"
    (folder / "refunds.md").write_text(text)
    absent = "yaml frontmatter _hashlib kbsync.ledger kbsync.plan.newer httpx"
    done = subprocess.run([sys.executable, "-c", LINT, tmp_path, absent], capture_output=True, text=True, check=True)
    assert done.stdout == f"[] {loaded.split()!r}\n"
