"""What asking git costs, counted: commits listed, texts read, Markdown parsed."""

from contextlib import closing
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from kbsync.history.blobs import Blobs
from kbsync.history.repository import Repository
from kbsync.history.search import Search, ask_git
from kbsync.markdown.outline import outline
from kbsync.markdown.uploaded import body_digest
from kbsync.model import Desired, Status
from kbsync.plan.known import GitWord, Known
from kbsync.plan.match import weigh
from kbsync.plan.questions import Question, Questions, questions_for
from repo import a_repo, needs_git

from .items import an_article
from .test_history import FOLDER, HERE, LONG, Tree, a_stranger, text

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


def asked(tree: Tree, questions: Questions) -> tuple[GitWord, Work]:
    """What git says, and what it cost."""
    compiler, repository = tree.reading().compiler, Repository(tree.root)
    with closing(Blobs(repository)) as blobs:
        search = Search(compiler, repository, blobs, questions)
        search.run()
    return search.word(), Work(repository.listed, blobs.asked, search.then.scanned)


def revised(tree: Tree, body: str = "[y](y.md) [z](z.md)") -> None:
    """A source with many revisions, all of them with links, to targets that got new addresses all along."""
    for number in range(REVISIONS):
        targets = {f"en/a/{name}.md": text(slug=f"{name}{number}") for name in "yz"}
        tree.commit(FOLDER | targets | {HERE: text(f"Number {number}.\n\n{body}")})


def seen(body: str, *, outlined: bool = True) -> Questions:
    """A question about what a person may have written."""
    theirs = a_stranger("x", outline=outline(body) if outlined else "", content=body_digest(body))
    ours = Desired(kind="article", locale="en", slug="x", path=HERE, fields={"content": "ours"})
    return Questions((Question(ours, (theirs,)),))


def test_a_persons_text_costs_one_reading_of_each_revision_and_no_link_is_looked_up(tree):
    revised(tree)
    word, work = asked(tree, seen("A person's.\n\n[y](/hc/y) [z](/hc/z)"))
    assert (word.proofs, word.word) == ({(HERE, 9): {}}, "")
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
    assert word.proofs == {(HERE, 9): {"content": True}}
    assert work.texts <= REVISIONS + 10


def test_a_status_is_asked_for_only_where_it_is_decided():
    item = replace(an_article().desired(), status=Status.PUBLISHED)
    observed = an_article(content="theirs", title="Theirs", remote_id=1).observed()
    weighed = weigh([item], Known([observed]))
    assert [q.desired.status for q in questions_for(weighed, publish=True).sources] == [Status.PUBLISHED]
    assert [q.desired.status for q in questions_for(weighed, publish=False).sources] == [None]


STRANGER = a_stranger("a-persons", title="Theirs")
STRANGERS = Questions((), (STRANGER,), deleted=True)


def with_deleted(tree: Tree) -> dict[str, object]:
    """A history with files that are gone; what one of them gave."""
    gone = {f"en/a/gone{number}.md": text(f"{LONG} {number}") for number in range(5)}
    fields = tree.commit(FOLDER | gone | {HERE: text()})["en/a/gone1.md"]
    tree.commit({name: f"{content}More.\n" for name, content in gone.items()})
    tree.commit(dict.fromkeys(gone))
    return fields


def test_a_stranger_on_the_portal_costs_the_last_texts_of_each_file_that_is_gone(tree):
    with_deleted(tree)
    assert asked(tree, STRANGERS)[1] == (3, 10, 0)  # Both texts of each: the slug may have changed with the last one.


def test_an_article_of_a_deleted_file_is_known_again(tree):
    fields = with_deleted(tree)
    word, work = asked(tree, Questions((), (a_stranger(**fields),), deleted=True))
    assert [base.path for base in word.deleted] == ["en/a/gone1.md"]
    assert work.commits == 3 and work.texts <= 15


def test_a_status_that_nobody_decides_keeps_no_deleted_file_open(tree):
    gone = "en/a/gone.md"
    for number in range(REVISIONS):
        tree.commit(FOLDER | {HERE: text(), gone: text(f"Number {number}.", status="published")})
    fields = tree.fields()[gone]
    tree.commit({gone: None})
    theirs = a_stranger(**fields, status=Status.DRAFT, outline=outline("Number 19.\n"))
    for statuses in (True, False):
        word, work = asked(tree, Questions((), (theirs,), deleted=True, statuses=statuses))
        assert [(base.path, base.status, base.fields["content"]) for base in word.deleted] == [
            (gone, Status.PUBLISHED, fields["content"])
        ]
        assert (work.texts > REVISIONS) is statuses


def test_a_file_without_an_article_is_looked_for_in_each_of_its_texts_once(tree):
    revised(tree)
    questions = Questions((Question(tree.reading().desired[HERE], former=True),), (STRANGER,))
    word, work = asked(tree, questions)
    assert work == (REVISIONS, REVISIONS, 0) and len(word.former[HERE]) == 1


def test_a_shallow_clone_knows_more_once_it_is_whole(tree, tmp_path):
    fields = with_deleted(tree)
    clone = Tree(tmp_path / "clone" / "content", tree.repo.clone(tmp_path / "clone", "--depth", "1"))
    questions = Questions((), (a_stranger(**fields),), deleted=True)
    assert ask_git(clone.reading().compiler, questions).deleted == ()
    clone.repo.git("fetch", "--quiet", "--unshallow")
    (base,) = ask_git(clone.reading().compiler, questions).deleted
    assert base.path == "en/a/gone1.md"
