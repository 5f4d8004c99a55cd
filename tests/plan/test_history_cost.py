"""What asking git costs, counted: commits listed, texts read, Markdown parsed. And what is kept of it."""

from __future__ import annotations

import random
from collections.abc import Iterable
from contextlib import closing
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from kbsync.history.blobs import Blobs
from kbsync.history.log_cache import Seen
from kbsync.history.past import Past
from kbsync.history.repository import Repository
from kbsync.history.search import Search, ask_git
from kbsync.markdown.outline import outline
from kbsync.markdown.uploaded import body_digest
from kbsync.memory import Memory
from kbsync.model import Desired, Observed, Status
from kbsync.plan.known import GitWord, Known
from kbsync.plan.match import weigh
from kbsync.plan.questions import Question, Questions, questions_for
from repo import a_repo, needs_git

from .items import an_article
from .test_history import FOLDER, HERE, LONG, Tree, text

pytestmark = needs_git

REVISIONS = 20


class Work(NamedTuple):
    """What a question cost."""

    commits: int
    texts: int
    parsed: int


@pytest.fixture
def tree(tmp_path) -> Tree:
    return Tree(tmp_path / "content", a_repo(tmp_path))


@pytest.fixture
def cache(tmp_path_factory) -> Memory:
    return Memory(tmp_path_factory.mktemp("kept"))


def asked(tree: Tree, questions: Questions, cache: Memory | None = None) -> tuple[GitWord, Work]:
    """What git says, and what it cost."""
    compiler, repository = tree.reading().compiler, Repository(tree.root)
    with closing(Blobs(repository)) as blobs:
        past = Past(repository, compiler.site, cache)
        search = Search(compiler, past, blobs, questions)
        search.run()
        past.save()
    return search.word(), Work(repository.listed, blobs.asked, search.then.scanned)


def revised(tree: Tree, body: str = "[y](y.md) [z](z.md)") -> None:
    """A source with many revisions, all of them with links, to targets that got new addresses all along."""
    for number in range(REVISIONS):
        targets = {f"en/a/{name}.md": text(slug=f"{name}{number}") for name in "yz"}
        tree.commit(FOLDER | targets | {HERE: text(f"Number {number}.\n\n{body}")})


def seen(body: str, *, outlined: bool = True) -> Questions:
    """A question about what a person may have written."""
    fields = {"content": body_digest(body)}
    there = Observed(
        kind="article", remote_id=7, locale="en", slug="x", fields=fields, outline=outline(body) if outlined else ""
    )
    return Questions(
        (Question(Desired(kind="article", locale="en", slug="x", path=HERE, fields={"content": "ours"}), (there,)),)
    )


# --- a person's edit -------------------------------------------------------------------------------------------------


def test_a_persons_text_costs_one_reading_of_each_revision_and_no_link_is_looked_up(tree):
    revised(tree)
    word, work = asked(tree, seen("A person's.\n\n[y](/hc/y) [z](/hc/z)"))
    assert (word.proofs, word.word) == ({(HERE, 7): {}}, "")
    assert work == (REVISIONS, REVISIONS, 0)


def test_where_the_outline_is_not_known_the_answer_is_the_same_and_costs_more(tree):
    revised(tree)
    body = "A person's.\n\n[y](/hc/y) [z](/hc/z)"
    word, work = asked(tree, seen(body, outlined=False))
    assert word == asked(tree, seen(body))[0]
    assert work.texts > 3 * REVISIONS and work.parsed >= REVISIONS


@pytest.mark.parametrize("title", [True, False], ids=["title in the front matter", "title is a heading"])
def test_an_older_text_with_links_is_found_by_its_outline(tree, title):
    head = "---\ntitle: X\n---\n" if title else "# X\n\n"
    files = FOLDER | {"en/a/y.md": text(slug="y1"), HERE: head + "Old.\n\n[y](y.md)\n"}
    tree.commit(files)
    compiler = tree.reading().compiler
    body = compiler.content_of(HERE)
    assert "/y1" in body
    for number in range(REVISIONS):
        tree.commit({HERE: f"{head}New {number}.\n\n[y](y.md)\n", "en/a/y.md": text(slug=f"y{number}")})
    word, work = asked(tree, seen(body))
    assert word.proofs == {(HERE, 7): {"content": True}}
    assert work.texts <= REVISIONS + 10


def test_the_second_question_about_a_persons_text_reads_nothing(tree, cache):
    revised(tree)
    question = seen("A person's.\n\n[y](/hc/y)")
    first, work = asked(tree, question, cache)
    assert work == (REVISIONS, REVISIONS, 0)
    assert asked(tree, question, cache) == (first, (0, 0, 0))


def test_a_status_is_asked_for_only_where_it_is_decided():
    item = replace(an_article().desired(), status=Status.PUBLISHED)
    theirs = {**item.fields, "content": "theirs", "title": "Theirs"}
    observed = Observed(
        kind="article", remote_id=1, locale=item.locale, slug=item.slug, fields=theirs, status=Status.DRAFT
    )
    weighed = weigh([item], Known([observed]))
    assert [q.desired.status for q in questions_for(weighed, publish=True).sources] == [Status.PUBLISHED]
    assert [q.desired.status for q in questions_for(weighed, publish=False).sources] == [None]


# --- files that are gone ---------------------------------------------------------------------------------------------

STRANGER = Observed(
    kind="article", remote_id=9, locale="en", slug="a-persons", fields={"slug": "a-persons", "title": "Theirs"}
)
STRANGERS = Questions((), (STRANGER,), deleted=True)


def with_deleted(tree: Tree) -> dict[str, object]:
    """A history with files that are gone; what one of them gave."""
    gone = {f"en/a/gone{number}.md": text(f"{LONG} {number}") for number in range(5)}
    fields = tree.commit(FOLDER | gone | {HERE: text()})["en/a/gone1.md"]
    tree.commit({name: f"{content}More.\n" for name, content in gone.items()})
    tree.commit(dict.fromkeys(gone))
    return fields


def test_a_second_plan_with_a_stranger_on_the_portal_asks_git_for_nothing(tree, cache):
    with_deleted(tree)
    first, work = asked(tree, STRANGERS, cache)
    assert work == (3, 10, 0)  # Both texts of each: the slug may have changed with the last one.
    assert asked(tree, STRANGERS, cache) == (first, (0, 0, 0))


def test_after_a_commit_only_that_one_is_listed_and_only_new_texts_are_read(tree, cache):
    with_deleted(tree)
    asked(tree, STRANGERS, cache)
    tree.commit({HERE: text("Edited.")})
    assert asked(tree, STRANGERS, cache)[1] == (1, 0, 0)
    tree.commit({HERE: None, "en/a/new.md": text()})
    word, work = asked(tree, STRANGERS, cache)
    assert work.commits == 1 and work.texts <= 4
    assert word == asked(tree, STRANGERS)[0]


def test_a_commit_that_touched_no_source_costs_nothing(tree, cache):
    with_deleted(tree)
    asked(tree, STRANGERS, cache)
    (tree.repo.folder / "code.py").write_text("1\n")
    tree.repo.commit()
    assert asked(tree, STRANGERS, cache)[1] == (0, 0, 0)
    tree.commit({HERE: text("Edited.")})
    word, work = asked(tree, STRANGERS, cache)
    assert (word, work) == (asked(tree, STRANGERS)[0], (1, 0, 0))


def test_an_article_of_a_deleted_file_is_known_again_out_of_what_was_kept(tree, cache):
    fields = with_deleted(tree)
    asked(tree, STRANGERS, cache)
    theirs = Observed(kind="article", remote_id=9, locale="en", slug=str(fields["slug"]), fields=fields)
    questions = Questions((), (theirs,), deleted=True)
    word, work = asked(tree, questions, cache)
    assert word == asked(tree, questions)[0]
    assert [base.path for base in word.deleted] == ["en/a/gone1.md"]
    assert work.commits == 0 and work.texts <= 5


def test_a_status_that_nobody_decides_keeps_no_deleted_file_open(tree):
    gone = "en/a/gone.md"
    for number in range(REVISIONS):
        tree.commit(FOLDER | {HERE: text(), gone: text(f"Number {number}.", status="published")})
    fields = tree.fields()[gone]
    tree.commit({gone: None})
    theirs = Observed(
        kind="article",
        remote_id=9,
        locale="en",
        slug="gone",
        fields=fields,
        status=Status.DRAFT,
        outline=outline("Number 19.\n"),
    )
    for statuses in (True, False):
        word, work = asked(tree, Questions((), (theirs,), deleted=True, statuses=statuses))
        assert [(base.path, base.status, base.fields["content"]) for base in word.deleted] == [
            (gone, Status.PUBLISHED, fields["content"])
        ]
        assert (work.texts > REVISIONS) is statuses


def test_a_file_without_an_article_is_looked_for_once(tree, cache):
    revised(tree)
    questions = Questions((Question(tree.reading().desired[HERE], former=True),), (STRANGER,))
    first, work = asked(tree, questions, cache)
    assert work == (REVISIONS, REVISIONS, 0) and len(first.former[HERE]) == 1
    assert asked(tree, questions, cache) == (first, (0, 0, 0))


# --- what is kept is never taken for more than it is -----------------------------------------------------------------


def everything(tree: Tree) -> Questions:
    """All that can be asked of a tree."""
    desired = tree.reading().desired
    sources = [
        Question(
            item,
            (Observed(kind=item.kind, remote_id=1, locale="", slug="", fields=dict.fromkeys(item.fields, "theirs")),)
            * (number % 2),
            former=True,
        )
        for number, item in enumerate(desired.values())
    ]
    candidates = [
        Observed(kind="article", remote_id=name, locale="en", slug=name, fields={"slug": name, "title": "X"})
        for name in ("a0", "a1", "q")
    ]
    return Questions(tuple(sources), tuple(candidates), deleted=True)


def wander(tree: Tree, rng: random.Random, steps: int) -> Iterable[None]:
    """Commits of all kinds: edits, renames, deletions, branches, merges, some without a source."""
    for number in range(steps):
        there = [path for path in tree.reading().tree.sources if not path.endswith("_category.md")]
        kind = rng.choice(["edit", "edit", "new", "rename", "delete", "code", "merge"])
        if kind == "edit" and there:
            tree.write({rng.choice(there): text(LONG + f"Edit {number}.", position=number)})
        elif kind == "rename" and there:
            tree.repo.git("mv", f"content/{rng.choice(there)}", f"content/en/a/r{number}.md")
        elif kind == "delete" and len(there) > 1:
            tree.write({rng.choice(there): None})
        elif kind == "code":
            (tree.repo.folder / "code.py").write_text(f"{number}\n")
        elif kind == "merge" and number > 1:
            tree.repo.git("switch", "--quiet", "--create", f"b{number}", f"HEAD~{rng.randint(1, 2)}")
            tree.commit({f"en/a/side{number}.md": text(LONG + f"Side {number}.")})
            tree.repo.git("switch", "--quiet", "main")
            tree.repo.git("merge", "--quiet", "--no-edit", "--strategy", "recursive", "-X", "ours", f"b{number}")
        else:
            tree.write({f"en/a/a{number}.md": text(LONG + f"New {number}.")})
        tree.repo.commit()
        yield


@pytest.mark.parametrize("seed", range(4))
def test_what_was_kept_at_any_commit_gives_the_answers_that_git_gives(tree, cache, seed):
    rng = random.Random(seed)
    tree.commit(FOLDER | {HERE: text(LONG), "en/a/a0.md": text(LONG + "Zero.")})
    for _ in wander(tree, rng, 10):
        if rng.random() < 0.7:
            questions = everything(tree)
            assert asked(tree, questions, cache)[0] == asked(tree, questions)[0]


def test_a_history_that_was_written_anew_is_read_anew(tree, cache):
    with_deleted(tree)
    asked(tree, STRANGERS, cache)
    tree.repo.git("reset", "--quiet", "--hard", "HEAD~1")
    tree.commit({HERE: text("Another way.")})
    questions = everything(tree)
    assert asked(tree, questions, cache)[0] == asked(tree, questions)[0]


def test_what_is_kept_of_another_repository_is_as_good_as_nothing(tree, cache, tmp_path):
    with_deleted(tree)
    first, work = asked(tree, STRANGERS, cache)
    other = Tree(tmp_path / "other" / "content", a_repo(tmp_path / "other"))
    other.commit(FOLDER | {HERE: text("Another.")})
    asked(other, STRANGERS, cache)
    word, again = asked(tree, STRANGERS, cache)
    assert word == first and again.commits == work.commits


def test_nothing_is_kept_of_a_shallow_clone_which_knows_more_once_it_is_whole(tree, cache, tmp_path):
    fields = with_deleted(tree)
    clone = Tree(tmp_path / "clone" / "content", tree.repo.clone(tmp_path / "clone", "--depth", "1"))
    questions = Questions(
        (), (Observed(kind="article", remote_id=9, locale="en", slug=str(fields["slug"]), fields=fields),), deleted=True
    )
    assert ask_git(clone.reading().compiler, questions, memory=cache).deleted == ()
    clone.repo.git("fetch", "--quiet", "--unshallow")
    (base,) = ask_git(clone.reading().compiler, questions, memory=cache).deleted
    assert base.path == "en/a/gone1.md"


def test_other_locales_make_another_identity_of_the_same_text(tree, cache):
    tree.commit({"fr/a/_category.md": "---\nname: A\n---\n", "fr/a/x.md": text(), "en/a/y.md": text()})
    tree.commit({"fr/a/x.md": None})
    repository = Repository(tree.root)
    site = tree.reading().compiler.site
    past = Past(repository, site, cache)
    list(past.commits(lambda name: True))
    past.kept.texts[b"one"] = Seen(b"fr", b"x")
    past.save()
    assert Past(repository, site, cache).kept.texts.keys() == {b"one"}
    site.locales = ("en",)
    again = Past(repository, site, cache)
    assert not again.kept.texts and again.kept.log.head == repository.head()
