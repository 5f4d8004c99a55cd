"""The Python example, as it stands in the repository: run by Python, on a project that `kbsync init` wrote."""

import subprocess
import sys
from pathlib import Path

import pytest

import kbsync
from kbsync.app.reading import TreeRefused

EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "nightly.py"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "help"
    subprocess.run([sys.executable, "-m", "kbsync", "init", "-q", str(folder)], check=True, capture_output=True)
    return folder


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(EXAMPLE), str(folder)], capture_output=True, text=True, check=False)


def test_the_example_publishes_and_has_nothing_to_do_the_second_time(project):
    first = run(project)
    assert (first.returncode, first.stdout.splitlines()[-1]) == (0, "3 of 3 changes are on the portal."), first.stderr
    assert (run(project).stdout, run(project).returncode) == ("Nothing to push.\n", 0)


def test_the_example_says_where_the_first_error_is(project):
    page = project / "content/en/getting-started/welcome.md"
    page.write_text(page.read_text("utf-8").replace("status: draft", "status: nowhere"), "utf-8")
    found = run(project)
    assert found.returncode == 3 and "en/getting-started/welcome.md, line" in found.stdout


def test_what_kbsync_offers_is_a_project_with_every_command(project):
    opened = kbsync.Project.open(project)
    assert next(line.mark for line in opened.check()) == "ok"
    assert opened.lint().findings == ()
    assert len(opened.plan().plan.sent) == 3
    (project / "content/en/getting-started/welcome.md").write_text("---\nstatus: [\n---\n", "utf-8")
    with pytest.raises(TreeRefused) as refused:
        opened.plan()
    assert refused.value.exit_code == 3 and refused.value.reading.errors


def test_kbsync_offers_no_other_name():
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        kbsync.Nothing  # noqa: B018
