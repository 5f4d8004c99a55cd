"""How translations are to their originals in a git repository, however its history came about."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import write_files
from kbsync import Project
from kbsync.plan.freshness import Freshness, Translation
from repo import Repo, a_repo, needs_git

pytestmark = needs_git

CONFIG = '[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n'
ENGLISH, FRENCH = "content/en/refunds.md", "content/fr/refunds.md"
FRESH, STALE, MISSING, UNKNOWN = Freshness


def english(folder: Path, body: str, keys: str = "") -> None:
    write_files(folder, {ENGLISH: f"---\ntitle: Refunds\n{keys}---\n{body}\n"})


def french(folder: Path, body: str, keys: str = "") -> None:
    write_files(folder, {FRENCH: f"---\ntitle: Remboursements\n{keys}---\n{body}\n"})


def write_pair(folder: Path, body: str) -> None:
    """A project of one article with this body, and a translation."""
    write_files(folder, {"kbsync.toml": CONFIG, ".gitignore": ".kbsync/\n"})
    english(folder, body)
    french(folder, "Texte.")


def mark(folder: Path, path: str = FRENCH) -> None:
    list(Project.open(folder).mark_done([path], here=folder))


def states(folder: Path) -> list[Translation]:
    return list(Project.open(folder).translation_states())


def state(folder: Path) -> Translation:
    (found,) = states(folder)
    return found


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """One article with a translation of its text, both committed."""
    return a_pair(tmp_path / "repo")


def a_pair(folder: Path) -> Repo:
    found = a_repo(folder)
    write_pair(folder, "You get your money back in three days.")
    mark(folder)
    found.commit("first")
    return found


def test_a_translation_of_what_is_there_is_fresh(repo):
    assert state(repo.folder).state == FRESH
    assert "translated_from:" in (repo.folder / FRENCH).read_text()


def test_the_words_that_changed_since_are_known(repo):
    english(repo.folder, "You get your money back in five days.")
    for words in ("not committed", "committed"):
        found = state(repo.folder)
        assert found.state == STALE and not found.reason, words
        (change,) = found.changes
        assert (change.field, change.before.split()[-2], change.after.split()[-2]) == ("content", "three", "five")
        repo.commit()


def test_a_change_that_was_taken_back_leaves_it_fresh(repo):
    english(repo.folder, "Other.")
    repo.commit()
    english(repo.folder, "You get your money back in three days.", "position: 3\n")
    repo.commit()
    assert state(repo.folder).state == FRESH


def test_a_commit_marked_as_minor_does_not_count(repo):
    english(repo.folder, "You get your money back in three  (3) days.")
    repo.commit("Fix a typo [Minor]")
    assert state(repo.folder).state == FRESH
    english(repo.folder, "You get your money back in three (3) days!")
    assert state(repo.folder).state == STALE
    repo.commit("Shout [minor]")
    assert state(repo.folder).state == FRESH
    english(repo.folder, "Nothing is paid back.")
    repo.commit("New rule\n\n[minor] is in the body only")
    assert state(repo.folder).state == STALE


def test_minor_counts_also_under_a_former_name(repo):
    english(repo.folder, "You get your money back in three (3) days.")
    repo.commit("[minor] number")
    for path in (ENGLISH, FRENCH):
        repo.git("mv", path, path.replace("refunds", "money-back"))
    repo.commit("new name")
    assert state(repo.folder).state == FRESH


def test_a_move_that_corrects_links_changes_nothing(repo):
    english(repo.folder, "See [fees](fees.md).")
    mark(repo.folder)
    repo.commit()
    english(repo.folder, "See [fees](costs/fees.md).")
    repo.commit()
    assert state(repo.folder).state == FRESH


def test_a_shallow_clone_says_that_the_difference_is_unknown(repo, tmp_path):
    english(repo.folder, "Other.")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--depth", "1")
    found = state(clone.folder)
    assert found.state == STALE and not found.changes and "not in this clone" in found.reason
    assert state(repo.folder).changes


def test_without_git_only_the_very_file_is_fresh(tmp_path):
    write_pair(tmp_path, "One.")
    assert state(tmp_path).state == UNKNOWN
    mark(tmp_path)
    assert state(tmp_path).state == FRESH
    english(tmp_path, "Two.")
    assert state(tmp_path).state == STALE and "not in a git repository" in state(tmp_path).reason


def test_without_the_key_the_last_edit_of_the_words_counts_and_that_is_said(tmp_path):
    repo = a_repo(tmp_path)
    write_pair(tmp_path, "One.")
    repo.commit()
    assert state(tmp_path).state == FRESH and state(tmp_path).by_history
    english(tmp_path, "Two.")
    repo.commit()
    french(tmp_path, "Texte.", "status: published\n")
    repo.commit("only the status")
    found = state(tmp_path)
    assert found.state == STALE and found.by_history and found.changes[0].before.strip() == "One."
    french(tmp_path, "Deux.", "status: published\n")
    repo.commit("the words")
    assert state(tmp_path).state == FRESH
    clone = repo.clone(tmp_path.parent / "shallow", "--depth", "1")
    assert state(clone.folder).state == UNKNOWN


def test_a_translation_that_is_missing_is_named_where_it_would_be(repo):
    later = "---\ntitle: Later\nstatus: draft\n---\nText.\n"
    write_files(repo.folder / "content/en", {"fees.md": "---\ntitle: Fees\n---\nText.\n", "later.md": later})
    found = {item.path: item.state for item in states(repo.folder)}
    assert found == {"fr/fees.md": MISSING, "fr/refunds.md": FRESH}


def test_an_id_is_asked_of_git_as_an_id_only(repo):
    head = repo.git("rev-parse", "HEAD")[:12]
    text = (repo.folder / FRENCH).read_text()
    at = text.index("translated_from: ") + len("translated_from: ")
    (repo.folder / FRENCH).write_text(text[:at] + f'"{head}"' + text[text.index("\n", at) :])
    assert state(repo.folder).state == STALE and not state(repo.folder).changes


def test_a_repository_that_keeps_crlf_knows_the_id(tmp_path):
    repo = a_repo(tmp_path)
    repo.git("config", "core.autocrlf", "false")
    write_pair(tmp_path, "One.\n")
    (tmp_path / ENGLISH).write_bytes((tmp_path / ENGLISH).read_bytes().replace(b"\n", b"\r\n"))
    repo.commit()
    mark(tmp_path)
    repo.commit()
    english(tmp_path, "Two.")
    assert state(tmp_path).changes


def squash(repo: Repo) -> None:
    tree = repo.git("rev-parse", "HEAD^{tree}")
    repo.git("reset", "--soft", repo.git("commit-tree", tree, "-m", "all in one"))


def rebase(repo: Repo) -> None:
    new = ""
    for commit in repo.git("rev-list", "--reverse", "HEAD").split():
        parent = ("-p", new) if new else ()
        new = repo.git("commit-tree", f"{commit}^{{tree}}", *parent, "-m", "other words")
    repo.git("reset", "--soft", new)


def merge(repo: Repo) -> None:
    repo.git("checkout", "--quiet", "-b", "side", "HEAD")
    repo.commit("nothing")
    repo.git("checkout", "--quiet", "main")
    repo.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")


def move(repo: Repo) -> None:
    for path in (ENGLISH, FRENCH):
        (repo.folder / path).parent.joinpath("pay").mkdir(exist_ok=True)
        repo.git("mv", path, path.replace("refunds", "pay/back"))
    repo.commit("move")


BODIES = st.sampled_from(["One two.", "One two three.", "Two."])
STEPS = st.lists(st.tuples(st.sampled_from(["words", "keys", "mark", "french"]), BODIES), max_size=5)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(STEPS, st.permutations([squash, rebase, merge, move]), st.integers(1, 4))
def test_the_way_that_history_was_written_changes_no_state(steps, ways, many):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repo = a_pair(folder)
        body = "You get your money back in three days."
        for number, (kind, words) in enumerate(steps):
            if kind == "mark":
                mark(folder)
            elif kind == "french":
                path = folder / FRENCH
                path.write_text(path.read_text() + f"{words}\n")
            else:
                body = words if kind == "words" else body
                english(folder, body, f"position: {number}\n" if kind == "keys" else "")
            repo.commit(f"step {number}")
        before = state(folder)
        for way in ways[:many]:
            way(repo)
        after = state(folder)
        assert (after.state, after.changes) == (before.state, before.changes)
        seen = state(repo.clone(folder / "clone").folder)
        # A new clone of a squashed history may lack the version that was translated; then it says so.
        is_lost = seen.state == STALE and "not in this clone" in seen.reason
        assert is_lost or (seen.state, seen.changes) == (before.state, before.changes)
