"""Start-up is part of speed: a lint loads only what it needs, and each of its processes has all of it in memory."""

import subprocess
import sys
from pathlib import Path

LINT = """
import sys
from pathlib import Path
from kbsync import Project
findings = Project.open(Path(sys.argv[1])).lint().findings
print([found.code for found in findings], [name for name in sys.argv[2].split() if name in sys.modules])
"""


def test_a_lint_loads_neither_what_writes_front_matter_nor_the_ledger_nor_the_client(tmp_path: Path):
    (tmp_path / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n')
    folder = tmp_path / "content" / "en"
    folder.mkdir(parents=True)
    text = "---\ntitle: Refunds\nstatus: draft\nposition: 3\n---\nWords.\n"
    (folder / "refunds.md").write_text(text)
    absent = "frontmatter _hashlib kbsync.ledger kbsync.plan.newer httpx"
    done = subprocess.run([sys.executable, "-c", LINT, tmp_path, absent], capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n"
