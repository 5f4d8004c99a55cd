"""What this clone pulled."""

from pathlib import Path

from kbsync.app.project import Project
from kbsync.app.pull_record import load_records, store_records
from kbsync.plan.known import Last


def test_what_another_pull_kept_meanwhile_stays(tmp_path: Path):
    (tmp_path / "kbsync.toml").write_text('[service]\nbase_url = "sandbox"\n')
    path = Project.open(tmp_path).workspace
    store_records(path, {("article", 1): {"title": Last("Refunds")}})
    before = load_records(path)
    store_records(path, {("article", 1): {"position": Last(2)}, ("article", 3): {"title": Last("Fees")}})
    assert load_records(path) == {
        ("article", 1): before["article", 1] | {"position": Last(2)},
        ("article", 3): {"title": Last("Fees")},
    }
