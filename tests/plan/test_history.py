"""What git history proves, and what it says where it cannot."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from builders import read_content, write_files
from kbsync.app.planning.deciding import Sides, World, _of_revisions
from kbsync.history.blobs import Blobs
from kbsync.history.git_process import GitFailed
from kbsync.history.repository import Repository
from kbsync.history.search import ask_git
from kbsync.model import Desired, FieldChange, Held, Kind, Manage, Observed, Reason, Status, Value
from kbsync.plan.decide import ABSENT, Verdict, decide
from kbsync.plan.known import NEVER, GitWord, Known
from kbsync.plan.match import weigh
from kbsync.plan.questions import Question, Questions, differing, open_questions
from kbsync.plan.recover import Recovery
from repo import Repo, a_repo, needs_git

from .items import POLICY, TARGET, a_category, an_article, plan_of

pytestmark = needs_git

HERE = "en/a/x.md"
LOCALES = ("en", "fr")
FOLDER = {"en/a/_category.md": "---\nname: A\n---\n"}
LONG = "".join(f"Sentence number {number} of an article that somebody wrote.\n\n" for number in range(20))


def text(body: str = "Text.", **keys: object) -> str:
    """One source."""
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in ({"title": "X"} | keys).items()) + f"---\n{body}\n"


@dataclass
class Tree:
    """A content tree in a repository, and what it compiles to now."""

    root: Path
    repo: Repo

    def write(self, files: Mapping[str, str | bytes | None]) -> None:
        """Write files; None deletes one."""
        write_files(self.root, {name: content for name, content in files.items() if content is not None})
        for name, content in files.items():
            if content is None:
                (self.root / name).unlink()

    def commit(self, files: Mapping[str, str | bytes | None] = {}) -> dict[str, dict[str, Value]]:
        """Write, commit, and give what a push would have sent at that moment: by path, by field."""
        self.write(files)
        self.repo.commit()
        return self.fields()

    def fields(self) -> dict[str, dict[str, Value]]:
        return {path: dict(item.fields) for path, item in self.reading().desired.items()}

    def reading(self):
        return read_content(self.root, locales=LOCALES)

    def ask(self, values: Mapping[str, Mapping[str, Value]], *, program: str = "git", **environ: str) -> GitWord:
        """Ask history about values of the portal, for articles that nobody touched since."""
        asked = [
            Question(
                Desired(kind=kind_of(path), locale="en", slug="", path=path, fields=dict.fromkeys(fields, ASKED)),
                (there(path, fields),),
            )
            for path, fields in values.items()
        ]
        compiler = self.reading().compiler
        return ask_git(compiler, Questions(tuple(asked)), environ=os.environ | environ, program=program)

    def proves(self, path: str = HERE, **values: Value) -> set[str]:
        """The fields of one source whose values were found; nothing else is told."""
        word = self.ask({path: values})
        assert word.word == ""
        return proven(word).get(path, set())


ASKED = "not what the portal has"


def kind_of(path: str) -> Kind:
    return "category" if path.endswith("_category.md") else "article"


def there(path: str, fields: Mapping[str, Value], updated_at: int = 0) -> Observed:
    """What the portal holds of a source."""
    return Observed(kind=kind_of(path), remote_id=7, locale="", slug="", fields=fields, updated_at=updated_at)


def proven(word: GitWord) -> dict[str, set[str]]:
    """By path: the fields of which git says that their values were ours."""
    found = {path: {name for name, ours in proof.items() if ours} for (path, _), proof in word.proofs.items()}
    return {path: names for path, names in found.items() if names}


def said(word: GitWord) -> tuple[dict[str, set[str]], str]:
    """What is proven, and why not more."""
    return proven(word), word.word


@pytest.fixture
def tree(tmp_path) -> Tree:
    return Tree(tmp_path / "content", a_repo(tmp_path))


# --- what is proven --------------------------------------------------------------------------------------------------

OLD = {
    "title": "Old", "slug": "old", "description": "D", "category": "b", "position": 3, "author": "ana", "tags": "[t, u]",
    "meta_title": "M", "meta_description": "N",
}  # fmt: skip


def test_every_field_of_an_older_revision_is_found_and_no_other_value_is(tree):
    old = tree.commit(FOLDER | {HERE: text("Old.", **OLD)})[HERE]
    tree.commit({HERE: text("New.")})
    assert tree.proves(**old) == old.keys() == {"content", *OLD}
    assert tree.proves(**dict.fromkeys(old, "a person's")) == set()
    assert tree.proves(**old | {"title": "a person's", "position": 4}) == old.keys() - {"title", "position"}


def test_each_field_may_come_from_another_revision(tree):
    one = tree.commit(FOLDER | {HERE: text("One.", title="One", position=1)})[HERE]
    two = tree.commit({HERE: text("Two.", title="Two", position=2)})[HERE]
    tree.commit({HERE: text("Three.", title="Three", position=3)})
    assert tree.proves(title="One", content=two["content"], position=1) == {"title", "content", "position"}
    assert tree.proves(title="Two", content=one["content"], position=4) == {"title", "content"}


def test_the_fields_of_a_category_are_found(tree):
    path = "en/a/_category.md"
    tree.commit({path: "---\nname: Old\nslug: o\ndescription: D\nposition: 3\nicon: I\n---\n"})
    tree.commit({path: "---\nname: New\n---\n"})
    values = {"name": "Old", "slug": "o", "description": "D", "position": 3, "icon": "I"}
    assert tree.proves(path, **values) == values.keys()
    assert tree.proves(path, **dict.fromkeys(values, "another")) == set()


OTHER, Y = "en/a/other.md", "en/a/y.md"
HUGE = [{HERE: text("One.", position=1)}, {HERE: text("x" * 2_100_000, position=2)}, {HERE: text("New.")}]
LINKS = "[y](y.md?q=1#top), [folder](../a), ![p](p.png) and [nothing](gone.md)"

# The commits; which of them was sent, of which source; the values that are asked of `HERE`, where
# `...` is what was sent; and the fields that are found.
REVISIONS = {
    "a title that was the first heading": (
        [{HERE: "# Old\n\nText.\n"}, {HERE: text("Text.\n\nMore.")}], 0, HERE,
        {"title": "Old", "content": ...}, {"title", "content"}),
    "another article's text proves nothing": (
        [{HERE: text("Here."), OTHER: text("Other.")}, {HERE: text("New.")}], 0, OTHER, {"content": ...}, set()),
    "a link has the address that its target had then": (
        [{HERE: text(LINKS), Y: text(slug="y-one")},
         {Y: text(slug="y-two"), "en/a/_category.md": "---\nname: A\nslug: aa\n---\n"}, {HERE: text("New.")}],
        0, HERE, {"content": ...}, {"content"}),
    "a link to what was not there yet has today's address": (
        [{HERE: text("[y](y.md)")}, {Y: text()}, {HERE: text("New.")}], 1, HERE, {"content": ...}, {"content"}),
    "a link as it was before its target moved on, and the source after it": (
        [{HERE: text("One. [y](y.md)"), Y: text(slug="y1")}, {HERE: text("Two. [y](y.md)")}, {Y: text(slug="y2")},
         {HERE: text("Three.")}], 1, HERE, {"content": ...}, {"content"}),
    "a deleted source that came back has its history": (
        [{HERE: text(position=1), Y: text("Y")}, {HERE: None}, {HERE: text(position=2)}],
        0, HERE, {"position": 1}, {"position"}),
    "a revision that lint would have stopped proves nothing": (
        [{HERE: "---\ntitle: Old\nposition: many\n---\nOld.\n"}, {HERE: b"---\ntitle: Old\n---\n\xff\n"},
         {HERE: text("New.")}], 2, HERE, {"title": "Old"}, set()),
    "a huge text is passed by": (HUGE, 0, HERE, {"position": 2}, set()),
    "what is below a huge text is found": (HUGE, 0, HERE, {"position": 1}, {"position"}),
}  # fmt: skip


@pytest.mark.parametrize(("commits", "sent", "path", "asked", "found"), REVISIONS.values(), ids=REVISIONS)
def test_what_a_revision_came_to_in_its_day_is_found_and_nothing_else(tree, commits, sent, path, asked, found):
    tree.write(FOLDER)
    came_to = [tree.commit(files) for files in commits][sent][path]
    values = {name: came_to[name] if value is ... else value for name, value in asked.items()}
    assert tree.proves(**values) == found


def test_what_is_committed_counts_though_the_file_was_edited_since(tree):
    old = tree.commit(FOLDER | {HERE: text("Old.")})[HERE]
    tree.write({HERE: text("Not committed.")})
    assert tree.proves(content=old["content"]) == {"content"}
    assert tree.proves(content=tree.fields()[HERE]["content"]) == set()


@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["committed with LF", "committed with CRLF"])
def test_line_ends_that_a_checkout_changed_do_not_hide_a_revision(tree, newline):
    body = "One.\nTwo.\n"
    sent = {
        end: tree.commit(FOLDER | {HERE: text(body).replace("\n", end).encode()})[HERE]["content"]
        for end in ("\r\n", "\n")
    }
    tree.repo.git("update-ref", "-d", "HEAD")
    tree.commit({HERE: text(body).replace("\n", newline).encode()})
    tree.commit({HERE: text("New.")})
    for value in sent.values():
        assert tree.proves(content=value) == {"content"}


def test_a_default_slug_and_category_come_from_the_name_and_folder_of_then(tree):
    tree.commit({"en/a/_category.md": "---\nname: A\nslug: first\n---\n", "fr/a/x.md": text(LONG), HERE: text(LONG)})
    tree.commit({"en/a/_category.md": "---\nname: A\nslug: second\n---\n"})
    tree.commit({HERE: text(LONG, category="third"), "fr/a/x.md": text(LONG, slug="x-fr-2")})
    assert tree.proves(category="second") == {"category"}
    assert tree.proves(category="first") == {"category"}
    assert tree.proves(category="a") == set()
    assert tree.proves("fr/a/x.md", slug="x-fr") == {"slug"}


def test_links_are_found_as_they_were_at_any_moment_while_the_source_rested(tree):
    both = "[y](y.md) [z](z.md)"
    sent = [tree.commit(FOLDER | {HERE: text(both), "en/a/y.md": text(slug="y1"), "en/a/z.md": text(slug="z1")})]
    sent += [tree.commit({"en/a/y.md": text(slug=f"y{number}")}) for number in (2, 3)]
    sent += [tree.commit({"en/a/z.md": text(slug=f"z{number}")}) for number in (2, 3)]
    bodies = {fields[HERE]["content"] for fields in sent}
    assert len(bodies) == 5
    for body in bodies:
        assert tree.proves(content=body) == {"content"}
    tree.commit({HERE: text("New.")})
    for body in bodies:
        assert tree.proves(content=body) == {"content"}
    never = tree.commit({HERE: text(both), "en/a/y.md": text(slug="y1")})[HERE]["content"]
    tree.repo.git("reset", "--quiet", "--hard", "HEAD~1")
    assert tree.proves(content=never) == set()


# --- renames, merges -------------------------------------------------------------------------------------------------


def test_a_source_that_was_moved_in_git_keeps_its_history(tree):
    first = tree.commit(FOLDER | {"en/b/start.md": text(f"First. {LONG}", position=1)})["en/b/start.md"]
    tree.repo.git("mv", "content/en/b/start.md", "content/en/a/middle.md")
    tree.commit()
    tree.repo.git("mv", "content/en/a/middle.md", f"content/{HERE}")
    tree.commit({HERE: text(f"Moved. {LONG}", position=2)})
    tree.commit({HERE: text(f"New. {LONG}")})
    assert tree.proves(**first) == first.keys()
    assert tree.proves(slug="middle", category="b", position=2) == {"slug", "category", "position"}


def test_what_stood_at_a_path_before_something_else_moved_there_is_not_its_history(tree):
    tree.commit(FOLDER | {HERE: text(f"Another. {LONG}", position=1), "en/a/q.md": text(LONG[::-1], position=2)})
    tree.repo.git("mv", f"content/{HERE}", "content/en/a/z.md")
    tree.commit()
    tree.repo.git("mv", "content/en/a/q.md", f"content/{HERE}")
    tree.commit()
    tree.commit({HERE: text("New.", position=3)})
    assert tree.proves(position=1) == set()
    assert tree.proves(position=2) == {"position"}
    tree.write({"en/a/z.md": text(LONG, position=3)})
    assert tree.proves("en/a/z.md", position=1) == {"position"}


def test_both_sides_of_a_merge_and_what_the_merge_itself_made_count(tree):
    tree.commit(FOLDER | {HERE: text("Base.", position=1)})
    tree.repo.git("switch", "--quiet", "--create", "side")
    side = tree.commit({HERE: text("Side.", position=2)})[HERE]
    tree.repo.git("switch", "--quiet", "main")
    tree.commit({HERE: text("Main.", position=3)})
    tree.repo.git("merge", "--quiet", "--strategy", "ours", "--no-commit", "side")
    merged = tree.commit({HERE: text("Merged.", position=4)})[HERE]
    tree.commit({HERE: text("New.", position=5)})
    for value in (1, 2, 3, 4):
        assert tree.proves(position=value) == {"position"}
    assert tree.proves(content=side["content"]) == tree.proves(content=merged["content"]) == {"content"}


@pytest.mark.parametrize("renamed_on", ["side", "main"])
def test_a_rename_on_either_side_of_a_merge_is_followed(tree, renamed_on):
    tree.commit(FOLDER | {"en/a/old.md": text(LONG, position=1), "en/a/other.md": text()})
    tree.repo.git("switch", "--quiet", "--create", "side")
    for branch in ("side", "main"):
        tree.repo.git("switch", "--quiet", branch)
        if branch == renamed_on:
            tree.repo.git("mv", "content/en/a/old.md", f"content/{HERE}")
            tree.commit({HERE: text(LONG, position=2)})
        else:
            tree.commit({"en/a/other.md": text("More.")})
    tree.repo.git("merge", "--quiet", "--no-edit", "side")
    tree.commit({HERE: text(LONG, position=3)})
    for value in (1, 2):
        assert tree.proves(position=value) == {"position"}
    assert tree.proves(slug="old") == {"slug"}


# --- where the tree lies ---------------------------------------------------------------------------------------------

STRANGE = "en/a b/[x] 'q' \"Ünï\" *\t\\.md"


@pytest.mark.parametrize("folder", [".", "docs/[a] *b/ü/content"])
def test_any_name_and_any_place_in_the_repository_will_do(tmp_path, folder):
    tree = Tree(tmp_path / folder, a_repo(tmp_path))
    old = tree.commit({STRANGE: text("[y](<../y z.md>)", slug="s", position=1), "en/y z.md": text()})[STRANGE]
    tree.commit({"en/y z.md": text(slug="another")})
    tree.commit({STRANGE: text("New.", slug="s")})
    assert tree.proves(STRANGE, content=old["content"], position=1) == {"content", "position"}


def test_a_name_with_a_line_end_in_it_disturbs_nobody(tree):
    odd = "en/a/line\nend.md"
    links = f"[odd](<line&#10;end.md>) [none](none%0Aend.md) {LONG}"
    tree.commit(FOLDER | {HERE: text(links, position=1), odd: text(position=1)})
    tree.commit({HERE: text("New."), odd: text("New.")})
    values = {"position": 1}
    assert proven(tree.ask({HERE: values, odd: values})) == {HERE: {"position"}, odd: {"position"}}


def add_submodule(repo: Repo, folder: Path, name: str) -> None:
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(folder), name)


def test_a_submodule_is_asked_for_itself_and_a_work_tree_for_its_branch(tmp_path):
    inner = Tree(tmp_path / "inner" / "content", a_repo(tmp_path / "inner"))
    inner.commit(FOLDER | {HERE: text(position=1)})
    inner.commit({HERE: text(position=2)})
    outer = a_repo(tmp_path / "outer")
    outer.commit()
    add_submodule(outer, tmp_path / "inner", "sub")
    outer.commit()
    assert Tree(tmp_path / "outer" / "sub" / "content", outer).proves(position=1) == {"position"}
    inner.repo.git("worktree", "add", "--quiet", "-b", "more", str(tmp_path / "more"), "HEAD~1")
    worktree = Tree(tmp_path / "more" / "content", Repo(tmp_path / "more"))
    assert worktree.proves(position=1) == {"position"}
    assert worktree.proves(position=2) == set()


def test_a_submodule_within_the_tree_and_a_link_in_place_of_a_file_are_no_revisions(tree, tmp_path):
    other = a_repo(tmp_path.with_name(f"{tmp_path.name}-other"))
    other.commit()
    tree.commit(FOLDER | {HERE: text(position=1)})
    (tree.root / HERE).unlink()
    (tree.root / HERE).symlink_to("_category.md")
    add_submodule(tree.repo, other.folder, "content/en/a/s.md")
    tree.commit()
    (tree.root / HERE).unlink()
    tree.commit({HERE: text(position=2)})
    assert tree.proves(position=1) == {"position"}


# --- what can be wrong with git --------------------------------------------------------------------------------------


def edited(tree: Tree) -> dict[str, dict[str, Value]]:
    """Two revisions; what the portal has is the first."""
    old = tree.commit(FOLDER | {HERE: text("Old.")})[HERE]
    tree.commit({HERE: text("New.")})
    return {HERE: {"content": old["content"]}}


def a_program(folder: Path, script: str) -> str:
    """A program that is run in git's place."""
    program = folder / "another-git"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    return str(program)


def test_without_a_repository_nothing_is_known(tmp_path):
    tree = Tree(tmp_path / "content", Repo(tmp_path))
    tree.write(FOLDER | {HERE: text()})
    past = tree.ask({HERE: {"position": 1}}, GIT_CEILING_DIRECTORIES=str(tmp_path.parent))
    assert proven(past) == {}
    assert past.word.startswith("Your files are not in a git repository. ")


def test_before_the_first_commit_nothing_is_known(tree):
    tree.write(FOLDER | {HERE: text()})
    told = "Nothing is committed yet. Commit the files as they were published."
    assert said(tree.ask({HERE: {"position": 1}})) == ({}, told)


def test_a_repository_of_another_user_is_told_unless_safe_directory_allows_it(tree, tmp_path):
    values = edited(tree)
    foreign = a_program(tmp_path, 'GIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec git "$@"')
    past = tree.ask(values, program=foreign)
    assert proven(past) == {}
    assert "safe.directory" in past.word
    allowed = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    assert proven(tree.ask(values, program=foreign, **allowed)).keys() == values.keys()


TOO_OLD = 'case "$*" in *" log "*) echo "fatal: unrecognized argument: --x" >&2; exit 128;; esac; exec git "$@"'


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("", "git cannot be run: it is not on PATH, or only inside this project. Install git."),
        (TOO_OLD, "This git is too old. Install git 2.31 or newer."),
    ],
    ids=["no git", "an old git"],
)
def test_without_a_git_that_can_tell_nothing_is_known_and_the_word_says_so(tree, tmp_path, script, told):
    values = edited(tree)
    program = a_program(tmp_path, script) if script else "no-such-git"
    assert said(tree.ask(values, program=program)) == ({}, told)


def test_a_shallow_clone_says_what_it_can_and_how_to_get_the_rest(tree, tmp_path):
    values = edited(tree)
    tree.commit({HERE: text("Newest.")})
    clone = tree.repo.clone(tmp_path / "shallow", "--depth", "2")
    past = Tree(clone.folder / "content", clone).ask(values)
    assert proven(past) == {}
    assert past.word == (
        "This clone is shallow. Fetch the whole history: `fetch-depth: 0` in GitHub Actions, `GIT_DEPTH: 0` in GitLab, "
        "`git fetch --unshallow` elsewhere."
    )
    clone = tree.repo.clone(tmp_path / "less-shallow", "--depth", "3")
    assert proven(Tree(clone.folder / "content", clone).ask(values)).keys() == values.keys()


def test_a_clone_without_old_texts_is_told_and_nothing_is_fetched(tree, tmp_path):
    values = edited(tree)
    tree.repo.git("config", "uploadpack.allowFilter", "true")
    clone = tree.repo.clone(tmp_path / "partial", "--filter", "blob:none")
    before = clone.git("count-objects", "-v")
    past = Tree(clone.folder / "content", clone).ask(values)
    assert said(past) == ({}, "This clone has no old versions. Clone without `--filter`.")
    assert clone.git("count-objects", "-v") == before


def break_object(repo: Repo, name: str) -> None:
    oid = repo.git("rev-parse", name)
    path = repo.folder / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"garbage")


def test_a_broken_text_hides_only_itself(tree):
    one = tree.commit(FOLDER | {HERE: text("One.", position=1)})[HERE]
    tree.commit({HERE: text("Two.", position=2)})
    tree.commit({HERE: text("Three.", position=3)})
    break_object(tree.repo, f"HEAD~1:content/{HERE}")
    assert tree.proves(content=one["content"]) == {"content"}
    assert tree.proves(position=2) == set()


def test_a_broken_history_is_told_and_what_came_before_the_break_is_true(tree):
    for position in range(1, 9):
        tree.commit(FOLDER | {HERE: text(position=position)})
    break_object(tree.repo, "HEAD~7^{tree}")
    past = tree.ask({HERE: {"position": 6}})
    assert proven(past) == {HERE: {"position"}}
    past = tree.ask({HERE: {"position": 1, "title": "X"}})
    assert past.word.startswith("git could not read the history (")
    assert "\n" not in past.word


def test_many_missing_texts_end_the_search(tree):
    for position in range(20):
        tree.commit(FOLDER | {HERE: text(position=position)})
    for number in range(1, 15):
        oid = tree.repo.git("rev-parse", f"HEAD~{number}:content/{HERE}")
        (tree.repo.folder / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    past = tree.ask({HERE: {"position": 1}})
    assert said(past) == ({}, "git has lost old versions. Clone the repository again. `git fsck` shows what is broken.")


def test_a_replaced_object_is_read_as_it_was_committed(tree):
    values = edited(tree)
    old = tree.repo.git("rev-parse", f"HEAD~1:content/{HERE}")
    other = tree.repo.git("hash-object", "-w", "--stdin", stdin=text("Replaced.", position=9))
    tree.repo.git("replace", old, other)
    assert proven(tree.ask(values)).keys() == values.keys()
    assert tree.proves(position=9) == set()


# --- what git must not do --------------------------------------------------------------------------------------------

HOSTILE = (
    "core.fsmonitor", "core.pager", "pager.log", "core.askPass", "diff.external", "diff.t.textconv",
    "gpg.program",
)  # fmt: skip
MISLEADING = {
    "diff.relative": "true", "diff.noprefix": "true", "diff.renames": "false", "diff.orderFile": "/nowhere", "color.ui": "always",
    "log.showRoot": "false", "log.follow": "true", "log.showSignature": "true", "log.diffMerges": "off", "format.pretty": "oneline",
    "core.quotePath": "true", "core.abbrev": "4", "log.decorate": "full", "core.autocrlf": "true",
}  # fmt: skip


def test_no_configuration_runs_a_program_or_changes_what_is_read(tree, tmp_path):
    values = edited(tree)
    mark = tmp_path / "was-run"
    program = a_program(tmp_path, f"touch '{mark}'")
    for name, value in {**dict.fromkeys(HOSTILE, program), **MISLEADING}.items():
        tree.repo.git("config", name, value)
    (tmp_path / ".git" / "info" / "attributes").write_text("*.md diff=t filter=t\n")
    assert proven(tree.ask(values)).keys() == values.keys()
    assert not mark.exists()


def test_variables_that_a_hook_sets_do_not_lead_git_elsewhere(tree, tmp_path):
    edited(tree)
    other = a_repo(tmp_path / "other")
    hostile = {
        "GIT_DIR": str(other.folder / ".git"), "GIT_WORK_TREE": "/", "GIT_INDEX_FILE": "/nowhere", "GIT_PREFIX": "x/",
        "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_LITERAL_PATHSPECS": "1", "GIT_EXTERNAL_DIFF": "false", "GIT_PAGER": "false",
        "GIT_NAMESPACE": "n", "GIT_SHALLOW_FILE": "/nowhere", "LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de",
    }  # fmt: skip
    repository = Repository(tree.root, os.environ | hostile)
    assert [entry.name for commit in repository.log() for entry in commit.entries] == [HERE, "en/a/_category.md", HERE]


def test_blobs_are_read_in_order_whatever_lies_between(tree):
    tree.commit({f"en/{number}.md": text(f"{number} " * number) for number in range(300)})
    repository = Repository(tree.root)
    blobs = Blobs(repository)
    try:
        names = [repository.at("HEAD", f"en/{number}.md") for number in range(-1, 301)]
        read = blobs.read([*names, "HEAD:content/en", "HEAD:content\nen"])
        assert [name for name, blob in read.items() if blob is None] == [names[0], names[-1], "HEAD:content/en"]
        assert all(read[name].data == (tree.root / f"en/{n}.md").read_bytes() for n, name in enumerate(names[1:-1]))
    finally:
        blobs.close()


VALUES = st.sampled_from(["a", "b", "c", 1, None, "", ()])


@given(VALUES, st.one_of(st.just(ABSENT), VALUES), VALUES, st.sampled_from([None, True, False]))
def test_history_turns_a_conflict_into_what_is_sent_or_without_a_base_into_what_a_person_may_have_gone_back_to(
    desired, base, observed, proof
):
    without, verdict = decide(desired, base, observed), decide(desired, base, observed, proof)
    if verdict is not without:
        assert verdict is (Verdict.SEND if proof else Verdict.DRIFT)
        assert without is Verdict.CONFLICT


# --- which questions are asked ---------------------------------------------------------------------------------------


def questions(desired, observed, base=()) -> set[str]:
    """The paths of which a plan's conflicts ask."""
    known = Known([i.observed() for i in observed], [i.base() for i in base])
    asked = open_questions(plan_of(desired, observed, base), [i.desired() for i in desired], known)
    return {question.desired.path for question in asked.sources}


def test_only_conflicts_are_asked_of():
    here, there = an_article(title="New", position=1), an_article(title="Old", position=1)
    assert questions([here], [there]) == {"en/refunds.md"}
    assert questions([here], [here]) == set()
    assert questions([here], []) == set()
    assert questions([here], [there], [there]) == set()
    assert questions([here], [there], [here]) == set()
    assert questions([here], [there], [there.but(title="Base")]) == {"en/refunds.md"}


def test_a_status_that_a_plan_gives_to_a_file_without_one_is_asked_for():
    """The article was archived with its file's word for it, which the file has no more: it comes back as a draft."""
    there, gave = an_article(title="Refunds", status=Status.ARCHIVED), (FieldChange("status", "archived", "draft"),)
    without = structs.replace(there.desired(), status=None)
    named = {"kind": "article", "locale": "en", "slug": "refunds", "path": without.path, "remote_id": 7}
    held = Held(reason=Reason.BEHIND, **named, fields=("status",), hint="", values=gave)
    known, plan = Known([there.observed()], []), structs.replace(plan_of([], []), held=(held,))
    (asked,) = open_questions(plan, [without], known).sources
    assert differing(asked.desired, there.observed()) == {"status": Status.ARCHIVED}
    (asked,) = open_questions(plan, [without], known, publish=False).sources
    assert differing(asked.desired, there.observed()) == {}


def test_a_seed_is_not_asked_for():
    assert questions([an_article(title="New").but(manage=Manage.SEED)], [an_article(title="Old")]) == set()


def test_only_fields_that_differ_are_asked_for():
    here = an_article(title="New", status=Status.PUBLISHED).desired()
    there = an_article(title="Old", description="the panel's").observed()
    assert differing(here, there) == {"title": "Old", "status": Status.DRAFT}


def test_an_articles_category_is_sent_where_it_was_that_of_an_older_revision_under_another_slug():
    renamed = a_category().but(slug="new", aliases=("billing",), path="en/b/_category.md")
    here, there = an_article(category="third"), an_article(category="billing")
    git = GitWord(proofs={("en/refunds.md", 7): {"category": True}})
    plan = plan_of([here, renamed], [there, a_category()], git=git)
    assert [change.after for change in plan.changes] == [{"slug": "new"}, {"category": "third"}]


# --- what was there before -------------------------------------------------------------------------------------------


def test_a_value_is_ours_only_where_the_article_was_not_touched_after_the_next_revision(tree):
    first = tree.commit(FOLDER | {HERE: text("One.")})[HERE]["content"]
    tree.commit({HERE: text("Two.")})
    replaced_at = int(tree.repo.git("log", "-1", "--format=%ct"))
    item = Desired(kind="article", locale="en", slug="x", path=HERE, fields={"content": ASKED})
    for touched_at, ours in ((replaced_at, True), (replaced_at + 1, False)):
        seen = there(HERE, {"content": first}, touched_at)
        word = ask_git(tree.reading().compiler, Questions((Question(item, (seen,)),)))
        assert word.proofs == {(HERE, 7): {"content": ours}}


def former(tree: Tree, path: str, *candidates: Observed, deleted: bool = False) -> GitWord:
    """What git says of a source that no article is known of."""
    item = tree.reading().desired[path]
    return ask_git(tree.reading().compiler, Questions((Question(item, former=True),), candidates, deleted))


def a_stranger(slug: str, status: Status | None = None, outline: str = "", **fields: Value) -> Observed:
    """An article on the portal of which no file is known."""
    given = {"slug": slug, **fields}
    return Observed(kind="article", remote_id=9, locale="en", slug=slug, fields=given, status=status, outline=outline)


def test_the_slugs_that_a_file_had_are_told_newest_first(tree):
    tree.commit(FOLDER | {"en/a/old.md": text(LONG)})
    tree.repo.git("mv", "content/en/a/old.md", f"content/{HERE}")
    tree.commit({HERE: text(LONG, slug="middle")})
    tree.commit({HERE: text(LONG, slug="new")})
    found = former(tree, HERE).former[HERE]
    assert [(then.path, then.slug) for then in found] == [(HERE, "new"), (HERE, "middle"), ("en/a/old.md", "old")]
    assert found[0].until_s == NEVER > found[1].until_s >= found[2].until_s


def test_a_status_that_a_file_does_not_give_is_that_of_a_draft(tree):
    tree.commit(FOLDER | {HERE: text("One.")})
    tree.commit({HERE: text("One.", status="published")})
    item = tree.reading().desired[HERE]
    seen = a_stranger(status=Status.DRAFT, **item.fields)
    word = ask_git(tree.reading().compiler, Questions((Question(item, (seen,)),)))
    assert word.proof(HERE, 9) == {"status": True}


HALF = "".join(f"Sentence number {number} of an article that somebody wrote.\n\n" for number in range(12)) + "".join(
    f"Words of quite another kind, {number} in all.\n\n" for number in range(9)
)


@pytest.mark.parametrize(
    ("body", "known"), [(HALF, True), ("Quite another text, which has nothing to do with it.\n" * 2, False)]
)
def test_a_rename_of_which_git_is_not_sure_counts_where_the_body_is_nearly_the_same(tree, body, known):
    keys = {} if known else dict.fromkeys(("description", "meta_title"), "the same words in both " * 9)
    old = LONG if known else "Somebody wrote these words one day and took them away again.\n"
    tree.commit(FOLDER | {"en/a/old.md": text(old, **keys)})
    tree.write({"en/a/old.md": None})
    tree.commit({HERE: text(body, **keys)})
    percent = tree.repo.git("diff", "--name-status", "-M50%", "HEAD~1")
    assert percent.startswith("R0")
    assert ("old" in {then.slug for then in former(tree, HERE).former[HERE]}) is known


def test_the_article_of_a_file_that_git_deleted_is_known_where_it_equals_a_revision(tree):
    gone = tree.commit(FOLDER | {HERE: text(LONG), "en/a/y.md": text("Y.")})[HERE]
    tree.commit({HERE: None})
    (base,) = former(tree, "en/a/y.md", a_stranger(**gone), deleted=True).deleted
    assert (base.remote_id, base.path, base.fields["content"]) == (9, HERE, gone["content"])
    edited = a_stranger(**gone | {"content": "a person's"})
    (base,) = former(tree, "en/a/y.md", edited, deleted=True).deleted
    assert (base.fields["title"], base.fields["content"]) == ("X", None)
    other = a_stranger("x", title="Another", content="a person's")
    assert former(tree, "en/a/y.md", other, deleted=True).deleted == ()


def test_a_file_that_was_renamed_is_not_deleted(tree):
    gone = tree.commit(FOLDER | {"en/a/old.md": text(LONG)})["en/a/old.md"]
    tree.repo.git("mv", "content/en/a/old.md", f"content/{HERE}")
    tree.commit()
    assert former(tree, HERE, a_stranger(**gone), deleted=True).deleted == ()


def test_a_git_that_never_ends_is_ended(tree, tmp_path):
    """A stranger's repository may have a pipe among git's own files, or trees with millions of names."""
    tree.commit(FOLDER)
    slow = a_program(tmp_path, 'case "$*" in *" log "*) exec sleep 600;; *) exec git "$@";; esac')
    repository = Repository(tree.root, os.environ, program=slow)
    repository.git.limit_s = 0.2
    with pytest.raises(GitFailed, match="git took too long"):
        list(repository.log())


def test_a_wait_for_git_is_told_once(tree):
    tree.commit(FOLDER)
    os.mkfifo(tree.repo.folder / ".git" / "info" / "grafts")
    notes: list[str] = []
    repository = Repository(tree.root, slow=notes.append)
    repository.git.limit_s, repository.git.slow_s = 1.0, 0.1
    for _ in range(2):
        with pytest.raises(GitFailed, match="git took too long"):
            list(repository.log())
    assert notes == ["Still waiting for git, which reads the history. kbsync waits up to 1 s for it."]


def test_where_git_took_too_long_it_is_not_asked_again():
    known = Known([], [], git=GitWord().and_then(GitWord(gave_up=True)))
    sides = Sides(TARGET, (), (), None, POLICY, known, weigh([], known))
    # Neither project nor files are looked at: there is nothing to ask.
    assert not _of_revisions(World(None, None, Recovery((), {}, ())), sides)


def test_a_long_mailmap_in_the_repository_is_not_read(tree):
    tree.commit(FOLDER)
    os.mkfifo(tree.repo.folder / ".mailmap")
    assert len(list(Repository(tree.root).log())) == 1
