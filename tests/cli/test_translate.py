"""`kbsync translate`: what is owed, the folder for translators and what comes back, as a user sees it."""

import csv
import json
import sys

import pytest

from repo import needs_git

pytestmark = needs_git

FOLDER = "content/fr/billing"
ENGLISH, FRENCH = "content/en/billing/refunds.md", f"{FOLDER}/refunds.md"
OUT = "handoff"
BODY = "You get your money back in {} days. See [invoices](invoices.md).\n"


def english(days: str) -> str:
    return f"---\ntitle: Refund a charge\nstatus: published\n---\n{BODY.format(days)}"


@pytest.fixture
def stale(project):
    """A stale translation by a person, an article without one, and a draft."""
    project.write(".gitignore", ".kbsync/\n")
    project.write("content/en/billing/invoices.md", "---\ntitle: Invoices\nstatus: published\n---\n![a](a.png) Text.\n")
    project.write("content/en/billing/draft.md", "---\ntitle: Draft\nstatus: draft\n---\nText.\n")
    project.write(ENGLISH, english("three"))
    text = "---\ntitle: Rembourser\nslug: rendre\nstatus: published\n---\nEn trois jours. [factures](invoices.md)\n"
    project.commit({FRENCH: text})
    assert project.run("translate", "--done", FRENCH).code == 0
    project.commit()
    project.commit({ENGLISH: english("five")}, "five days")
    return project


def handed(project, *options: str) -> dict:
    assert project.run("translate", *options, "--out", OUT).code == 0
    return json.loads((project.folder / OUT / "manifest.json").read_text())


def test_a_copy_of_the_original_is_not_translated_whatever_it_says(project):
    project.write(ENGLISH, english("three"))
    (project.folder / FRENCH).unlink()
    assert project.run("new", "translation", FRENCH).code == 0
    project.commit()
    for _ in range(2):
        owed = project.run("translate").out
        assert "fr/billing/refunds.md  stale\n    Not translated yet: the title and the body.\n" in owed
        assert "fr: 0 fresh, " in owed
        assert project.run("translate", "--done", FRENCH).code == 0


def translate(project, path: str, before: str, after: str) -> None:
    file = project.folder / OUT / "translate" / path
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


@pytest.mark.parametrize("columns", ["60", "100"])
def test_it_shows_the_words_that_changed(stale, columns):
    done = stale.run("translate", COLUMNS=columns)
    assert done.code == 0
    words = done.words
    assert "fr/billing/refunds.md stale, 1 word changed in en/billing/refunds.md" in words
    assert "[-three-]{+five+}" in words
    assert "fr/billing/invoices.md missing" in words and "draft.md" not in words
    assert "fr: 0 fresh, 1 stale, 1 missing, 0 unknown." in words
    assert max(map(len, done.out.splitlines())) <= int(columns)


def test_status_names_what_is_to_be_translated_and_shows_the_words_when_asked(stale):
    for index in range(6):
        stale.write(f"content/en/a{index}.md", f"---\ntitle: A{index}\nstatus: published\n---\nText.\n")
    short, long = (stale.run("status", *more, COLUMNS="60") for more in ((), ("-v",)))
    assert "\nTo translate\n  fr/a0.md  missing\n" in short.out and "… and 3 more (-v shows all, with the" in short.out
    assert "three" not in short.out and "[-three-]{+five+}" in long.out
    assert "  fr/billing/refunds.md  stale, 1 word changed\n" in long.out
    assert max(map(len, (short.out + long.out).splitlines())) <= 60


def test_it_can_be_limited(stale):
    assert "invoices.md" not in stale.run("translate", "--stale").out
    assert "refunds" not in stale.run("translate", "--missing").out
    assert "invoices.md" not in stale.run("translate", ENGLISH).out
    assert stale.run("translate", "--locale", "de").says(2, err="`de` is not a language to translate into (known: fr)")


def test_a_hand_off_has_all_that_a_translator_needs(stale):
    stale.write("glossary.csv", "en,fr,note\nrefund,remboursement,a note\nnowhere,nulle part,\n")
    manifest = handed(stale)
    out = stale.folder / OUT
    files = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert files == [
        "before/fr/billing/refunds.md",
        "diff/fr/billing/refunds.md.diff",
        "glossary.csv",
        "manifest.json",
        "original/en/billing/invoices.md",
        "original/en/billing/refunds.md",
        "translate/fr/billing/invoices.md",
        "translate/fr/billing/refunds.md",
    ]
    rows = list(csv.reader((out / "glossary.csv").read_text().splitlines()))
    assert rows == [["en", "fr", "note"], ["refund", "remboursement", "a note"]]
    assert (out / "before/fr/billing/refunds.md").read_text() == english("three")
    assert (out / "original/en/billing/refunds.md").read_text() == english("five")
    diff = (out / "diff/fr/billing/refunds.md.diff").read_text()
    assert f"-{BODY.format('three')}+{BODY.format('five')}" in diff
    assert (out / "translate/fr/billing/refunds.md").read_text() == stale.read(FRENCH)
    text = (out / "translate/fr/billing/invoices.md").read_text()
    assert text == "---\ntitle: Invoices\nstatus: draft\n---\n![a](a.png) Text.\n"
    assert manifest["schema"] == "kbsync.handoff/1" and manifest["terms"] == 1
    states = [(item["path"], item["state"]) for item in manifest["articles"]]
    assert states == [("fr/billing/invoices.md", "missing"), ("fr/billing/refunds.md", "stale")]


def test_what_comes_back_is_fresh_and_a_draft(stale):
    handed(stale)
    translate(stale, "fr/billing/refunds.md", "trois", "cinq")
    translate(stale, "fr/billing/refunds.md", "title: Rembourser", "title: Rendre l'argent\nstatus: archived")
    translate(stale, "fr/billing/refunds.md", "slug: rendre\nstatus: published\n", "slug: volé\n")
    translate(stale, "fr/billing/invoices.md", "title: Invoices\nstatus: draft", "title: Factures\nstatus: published")
    assert stale.run("translate", "--in", OUT).ended(0, f"{FOLDER}/invoices.md: new, as a draft.\n{FRENCH}: updated.\n")
    text = stale.read(FRENCH)
    assert "En cinq jours" in text and "Rendre l'argent" in text
    assert "slug: rendre" in text and "status: published" in text
    assert "title: Factures\nstatus: draft\ntranslated_from" in stale.read(f"{FOLDER}/invoices.md")
    assert "fr: 2 fresh, 0 stale, 0 missing, 0 unknown." in stale.run("translate").out


def test_what_was_not_translated_is_left_alone_and_taking_back_twice_changes_nothing(stale):
    handed(stale)
    before = stale.read(FRENCH)
    assert stale.run("translate", "--in", OUT).says(0, err="2 files with nothing new to take back.")
    assert stale.read(FRENCH) == before
    translate(stale, "fr/billing/refunds.md", "trois", "cinq")
    assert stale.run("translate", "--in", OUT).code == 0
    after = stale.read(FRENCH)
    assert stale.run("translate", "--in", OUT).says(0, err="2 files with nothing new to take back.")
    assert stale.read(FRENCH) == after


def test_a_translation_that_somebody_edited_meanwhile_is_not_overwritten(stale):
    handed(stale)
    translate(stale, "fr/billing/refunds.md", "trois", "cinq")
    translate(stale, "fr/billing/invoices.md", "Text.", "Texte.")
    stale.write(FRENCH, stale.read(FRENCH) + "Par une personne.\n")
    stale.write(f"{FOLDER}/invoices.md", "---\ntitle: Factures\n---\nPar une personne.\n")
    assert stale.run("translate", "--in", OUT).ended(7, "")
    assert "Par une personne" in stale.read(FRENCH) and "trois" in stale.read(FRENCH)
    assert "Par une personne" in stale.read(f"{FOLDER}/invoices.md")


def test_an_original_that_changed_meanwhile_leaves_the_translation_stale(stale):
    handed(stale)
    translate(stale, "fr/billing/refunds.md", "trois", "cinq")
    stale.write(ENGLISH, english("ten"))
    assert stale.run("translate", "--in", OUT).code == 0
    assert "[-five-]{+ten+}" in stale.run("translate").words


@pytest.mark.parametrize(
    "path", ["../../x.md", "/tmp/x.md", "en/billing/refunds.md", "fr/.git/x.md", "fr/_category.md", "kbsync.toml"]
)
def test_a_manifest_of_a_stranger_writes_nowhere_else(stale, path):
    manifest = handed(stale)
    manifest["articles"][0]["path"] = path
    place = stale.folder / OUT / "translate" / path
    if path == "fr/.git/x.md":
        place.parent.mkdir(parents=True)
        place.write_text("---\ntitle: X\n---\nX.\n")
    (stale.folder / OUT / "manifest.json").write_text(json.dumps(manifest))
    before = stale.read(ENGLISH)
    assert stale.run("translate", "--in", OUT).says(7, err="was not taken")
    assert stale.read(ENGLISH) == before and not (stale.folder / "x.md").exists()


def test_a_link_out_of_the_folder_is_not_followed(stale):
    handed(stale)
    secret = stale.write("secret.md", "---\ntitle: Secret\n---\nSecret.\n")
    place = stale.folder / OUT / "translate/fr/billing/invoices.md"
    place.unlink()
    place.symlink_to(secret)
    assert stale.run("translate", "--in", OUT).says(7, err="leads out of the folder")
    assert not (stale.folder / FOLDER / "invoices.md").exists()


def test_a_folder_that_is_in_use_is_refused(stale):
    assert stale.run("translate", "--out", "content/out").code == 2
    handed(stale)
    assert stale.run("translate", "--out", OUT).says(2, err="is not empty")
    assert stale.run("translate", "--in", "content").code == 2
    assert stale.run("translate", "--in", OUT, "--stale").code == 2
    assert stale.run("translate", "--with", "cat").code == 2


FILTER = """
import json, sys
given = json.load(sys.stdin)
assert given["schema"] == "kbsync.translate/1" and given["target_locale"] == "fr"
print(given["translation"].replace("Text.", "Texte.").replace("trois", "cinq"){more}, end="")
"""


def filtered(project, more: str = "") -> list[str]:
    project.write("filter.py", FILTER.replace("{more}", more))
    return ["--with", f"{sys.executable} filter.py"]


def test_a_program_translates_and_a_persons_text_is_left_to_people(stale):
    done = stale.run("translate", *filtered(stale), "--out", OUT)
    assert done.says(0, err=("fr/billing/refunds.md: left to people", "fr/billing/invoices.md: translated."))
    assert stale.run("translate", "--in", OUT).code == 0
    assert "machine: true" in stale.read(f"{FOLDER}/invoices.md") and "Texte." in stale.read(f"{FOLDER}/invoices.md")
    assert "trois" in stale.read(FRENCH)


def test_a_person_who_takes_the_mark_away_owns_the_text(stale):
    assert stale.run("translate", *filtered(stale), "--out", OUT).code == 0
    translate(stale, "fr/billing/invoices.md", "machine: true\n", "")
    assert stale.run("translate", "--in", OUT).code == 0
    assert "machine" not in stale.read(f"{FOLDER}/invoices.md")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('.replace("![a](a.png)", "")', "It has 0 images into your files; the original has 1."),
        (' + "\\n{{x}}\\n---\\n" if 0 else "no article"', "It has no title"),
        ('.replace("title:", "titel:")', "Unknown key `titel`"),
        (" + str(1 / 0)", "The program failed with exit code 1: ZeroDivisionError: division by zero."),
        (' + "x" * 2_000_000', "printed more than 1,000,000 bytes"),
    ],
)
def test_what_a_program_makes_is_checked(stale, more, words):
    done = stale.run("translate", *filtered(stale, more), "--out", OUT)
    assert done.says(7, err=("fr/billing/invoices.md: rejected.", words))
    assert (stale.folder / OUT / "translate/fr/billing/invoices.md.rejected").exists()
    assert stale.run("translate", "--in", OUT).code == 0
    assert not (stale.folder / FOLDER / "invoices.md").exists()


def test_a_program_does_not_see_the_token(stale):
    program = "import os, sys\nsys.exit('KBSYNC_TOKEN' in os.environ and 'the token is here' or 'none')\n"
    stale.write("filter.py", program)
    done = stale.run("translate", "--with", f"{sys.executable} filter.py", "--out", OUT, KBSYNC_TOKEN="secret")
    assert "exit code 1: none" in done.err
    assert stale.run("translate", "--with", "no-such-program", "--out", "other").code == 2
    assert not (stale.folder / "other").exists()


def test_a_translation_in_a_new_category_brings_the_file_of_the_category(stale):
    stale.write("content/en/plans/_category.md", "---\nname: Plans\nicon: star\nslug: our-plans\n---\n")
    stale.write("content/en/plans/free.md", "---\ntitle: Free\nstatus: published\n---\nText.\n")
    stale.write("content/en/plans/paid.md", "---\ntitle: Paid\nstatus: published\n---\nText.\n")
    handed(stale)
    translate(stale, "fr/plans/free.md", "title: Free", "title: Gratuit")
    translate(stale, "fr/plans/paid.md", "title: Paid", "title: Payant")
    done = stale.run("translate", "--in", OUT)
    assert done.code == 0
    assert done.out.count("content/fr/plans/_category.md: new. Translate its name, `Plans`.\n") == 1
    assert stale.read("content/fr/plans/_category.md") == "---\nname: Plans\nicon: star\n---\n"
    assert stale.run("lint").code == 0
