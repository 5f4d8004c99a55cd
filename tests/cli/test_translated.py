"""`kbsync translate --done`, as a user sees it."""

import pytest

from commands import Done
from kbsync.content.handed import blob_ids
from repo import a_repo, needs_git

FRENCH = "content/fr/billing/refunds.md"
ENGLISH = "content/en/billing/refunds.md"


def blob_of(project, path: str = ENGLISH) -> str:
    return blob_ids((project.folder / path).read_bytes())[0][:12]


@needs_git
def test_it_writes_one_line_and_says_so_once(project):
    project.commit()
    assert project.run("translate", "--done", FRENCH) == Done(0, f"{FRENCH} is up to date with {ENGLISH}.\n", "")
    text = f'---\ntitle: Rembourser\nlint_ignore: [KB60]\ntranslated_from: "{blob_of(project)}"\n---\nTexte.\n'
    assert project.read(FRENCH) == text
    again = project.run("translate", "--done", FRENCH).out
    assert again == f"{FRENCH} already names the current version of {ENGLISH}.\n"
    assert project.read(FRENCH) == text


@needs_git
def test_an_original_that_is_not_committed_is_named(project):
    a_repo(project.folder)
    done = project.run("translate", "--done", "fr/billing/refunds.md", cwd="content")
    assert done.code == 0
    assert done.err == (
        "en/billing/refunds.md has changes that are not committed. Commit it as it is now. Then kbsync can show what "
        "changes later.\n"
    )


def test_without_git_it_works_too(project):
    assert project.run("translate", "--done", FRENCH).code == 0
    assert blob_of(project) in project.read(FRENCH)


def test_all_other_lines_stay_as_they_are(project):
    text = "---\r\n# a comment\r\ntitle: 'Rembourser'   # kept\r\ntranslated_from: abcdefabcdef # old\r\n---\r\n\r\nTexte.\r\n"
    project.write(FRENCH, text)
    assert project.run("translate", "--done", FRENCH).code == 0
    assert (project.folder / FRENCH).read_bytes().decode() == text.replace("abcdefabcdef", f'"{blob_of(project)}"')


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (ENGLISH, "is not a translation"),
        ("content/fr", "is not an article"),
        ("locale:fr", "is not a file"),
        ("content/fr/billing/_category.md", "is not an article"),
        ("content/fr/nothing.md", "No file, category or locale matches"),
    ],
)
def test_what_is_no_translation_is_refused_before_anything_is_written(project, given, words):
    before = project.read(FRENCH)
    assert project.run("translate", "--done", FRENCH, given).says(2, err=words)
    assert project.read(FRENCH) == before


def test_a_machine_translation_stays_one_until_a_person_says_otherwise(project):
    project.write(FRENCH, "---\ntitle: Rembourser\nmachine: true\n---\nTexte.\n")
    assert project.run("translate", "--done", FRENCH).says(0, err="delete that line")
    assert "machine: true" in project.read(FRENCH)


def test_a_front_matter_that_cannot_be_changed_is_left_alone(project):
    text = "---\n{title: Rembourser}\n---\nTexte.\n"
    project.write(FRENCH, text)
    assert project.run("translate", "--done", FRENCH).says(3, err="on a line of its own")
    assert project.read(FRENCH) == text


ENGLISH_TEXT = "You get your money back within three days, see the list of fees.\n"


@pytest.mark.parametrize("status", ["status: draft\n", ""])
def test_a_live_translation_is_not_replaced_by_the_text_of_its_original(remote, portal, status):
    """Of a file that says `published` that is an error (KB608), whose hint says `status: draft`."""
    remote.write(ENGLISH, f"---\ntitle: Refund a charge\n---\n{ENGLISH_TEXT}")
    french = "---\ntitle: Rembourser\nslug: rembourser\n{}---\n{}"
    remote.push({FRENCH: french.format("status: published\n", "Vous êtes remboursé.\n")}, "--publish")
    copy = french.replace("Rembourser", "Refund a charge")
    remote.write(FRENCH, copy.format("status: published\n", ENGLISH_TEXT))
    assert remote.run("push").code == 3
    remote.write(FRENCH, copy.format(f"{status}lint_ignore: [KB608]\n", ENGLISH_TEXT))
    for command in (("plan",), ("plan", "--offline"), ("plan", "--stage"), ("push",)):
        done = remote.run(*command)
        assert done.code == 4 and "not written or translated yet: title, body" in done.out, done.out
    article = portal.panel.article("rembourser")
    assert (article.title, article.content) == ("Rembourser", "Vous êtes remboursé.\n")
    line = "kbsync translate fr/billing/refunds.md --done"
    assert f"If a translation may be the same as its original, run `{line}`." in done.words
    assert remote.run(*line.split()[1:]).code == 0
    assert remote.run("push").code == 0
    assert portal.panel.article("rembourser").title == "Refund a charge"


def test_a_placeholder_goes_out_once_readers_do_not_see_the_article_any_more(remote, portal):
    remote.push({ENGLISH: "---\ntitle: Refund a charge\nstatus: published\n---\nText.\n"}, "--publish")
    remote.write(ENGLISH, "---\ntitle: Refunds\nstatus: draft\n---\nWrite the article here.\n")
    assert remote.run("push", "--publish").says(4, "not written or translated yet: body")
    assert portal.panel.article("refunds").content == "Text.\n"
    assert remote.run("push", "--publish").code == 0
    assert "Write the article here." in portal.panel.article("refunds").content
