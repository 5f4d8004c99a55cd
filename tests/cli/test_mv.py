"""`kbsync mv`: files, links, git, and that the portal keeps the same articles."""

import json
import shutil

import msgspec
import pytest

from kbsync.app.file_transaction import HEAD, JOURNAL, MOVE, Journal, Step
from kbsync.content.body import raw_digest
from kbsync.files import store_sealed
from kbsync.sandbox import Sandbox
from repo import Repo, needs_git
from rings import one_of


@pytest.fixture
def repo(project) -> Repo:
    project.commit({".gitignore": ".kbsync/\n"})
    return Repo(project.folder)


def test_a_dry_run_shows_all_and_changes_nothing(project):
    project.write("content/en/payments/_category.md", "---\nname: Payments\n---\n")
    project.write("content/fr/payments/_category.md", "---\nname: Paiements\n---\n")
    before = project.files()
    done = project.run("mv", "en/billing/refunds.md", "en/payments/", "--dry-run")
    assert done.code == 0 and project.files() == before
    assert (
        done.out
        == """\
Would move 2 files
  en/billing/refunds.md
      -> en/payments/refunds.md
      1 link in it
  fr/billing/refunds.md
      -> fr/payments/refunds.md
rename from content/en/billing/refunds.md
rename to content/en/payments/refunds.md
--- content/en/billing/refunds.md
+++ content/en/payments/refunds.md
@@ -1,4 +1,4 @@
 ---
 title: Refund a charge
 ---
-See [invoices](invoices.md).
+See [invoices](../billing/invoices.md).
rename from content/fr/billing/refunds.md
rename to content/fr/payments/refunds.md
"""
    )
    assert not (project.folder / ".kbsync/changes").exists()


def test_paths_are_as_seen_from_where_one_is(project):
    assert project.run("mv", "refunds.md", "back.md", cwd="content/en/billing").code == 0
    assert {"en/billing/back.md", "fr/billing/back.md"} <= project.files().keys()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["en/billing/refnds.md", "en/x/"], "Did you mean `en/billing/refunds.md`?"),
        (["content/en/billing/payouts.md", "en/x/"], "as seen from this folder, or from the content folder."),
        (["en/billing/refunds.md", "en/billing/invoices.md"], "`en/billing/invoices.md` already exists."),
        (["en/billing/refunds.md", "../../other.md"], "`../../other.md` is outside of the content folder."),
        (["en/billing/refunds.md", "de/refunds.md"], "`de/refunds.md` is not in a locale folder."),
        (["en/billing/refunds.md", "en/billing/.hidden.md"], "kbsync does not read names that begin with a dot."),
        (["en/billing/refunds.md", "en/billing/a:b.md"], "`a:b.md` cannot be a name on Windows."),
        (["en/billing/refunds.md", "en/billing/con.md"], "`con.md` cannot be a name on Windows."),
        (["en/billing/refunds.md", "en/billing/_category.md"], "is the name of a file that describes a category."),
        (["en/billing/refunds.md", "en/other"], "`en/other` is neither a folder nor the name of such a file."),
        (["en/billing/_category.md", "en/x/"], "`en/billing/_category.md` describes its folder."),
        (["en/billing", "en/billing/deep"], "`en/billing` cannot be moved into itself."),
        (["en/billing/refunds.md"], "Say where to move it."),
        (["en/billing/refunds.md", "--slug", "Not Good"], "`Not Good` is not a good slug."),
        (["en/billing/refunds.md", "--slug", "search"], "The service has a page of its own at `search`."),
        (["en/billing/refunds.md", "--slug", "invoices"], "would both have the slug `invoices`."),
        (["en/billing/refunds.md", "--category", "nope"], "There is no category `nope` in en."),
        (["en/billing/refunds.md", "--locale", "de"], "There is no locale `de`."),
        (["en/billing/refunds.md", "en/x/", "--locale", "fr"], "Name a place, `--category` or `--locale`"),
        (["en/billing/refunds.md", "--slug", "x", "--keep-slug"], "`--slug` and `--keep-slug` exclude each other."),
        (["--finish"], "No move was interrupted."),
        ([], "Name the file or folder to move."),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(project, arguments, message):
    before = project.files()
    assert project.run("mv", *arguments).says(2, err=message)
    assert project.files() == before


def test_an_unfinished_merge_and_an_unreadable_file_stop_it(project):
    text = "---\ntitle: I\n---\n<<<<<<< HEAD\na\n=======\n[r](refunds.md)\n>>>>>>> x\n"
    project.write("content/en/billing/invoices.md", text)
    done = project.run("mv", "en/billing/refunds.md", "en/billing/back.md")
    assert done.code == 3 and "invoices.md has an unfinished merge. Nothing was moved." in done.err
    (project.folder / "content/en/billing/invoices.md").write_bytes(b"\xff\xfe")
    assert project.run("mv", "en/billing/refunds.md", "en/billing/back.md").says(3, err="nothing was moved")
    assert "en/billing/refunds.md" in project.files()


def test_a_symbolic_link_is_not_followed(project):
    (project.folder / "content/en/linked.md").symlink_to("billing/refunds.md")
    assert "symbolic link" in project.run("mv", "en/linked.md", "en/billing/x.md").err
    (project.folder / "content/en/sub").symlink_to("billing")
    assert "cannot be made" in project.run("mv", "en/billing/refunds.md", "en/sub/x.md").err


def test_a_slug_and_the_way_back_leave_no_trace(project):
    before = project.files()
    for arguments in (["en/billing/refunds.md"], ["en/billing"]):
        old = "refunds" if arguments[0].endswith(".md") else "billing"
        assert project.run("mv", *arguments, "--slug", "other").code == 0
        assert project.files() != before
        assert project.run("mv", *arguments, "--slug", old).code == 0
        assert project.files() == before


def test_a_line_of_kbsync_toml_that_names_the_old_path_is_reported(project):
    with (project.folder / "kbsync.toml").open("a") as file:
        file.write("# Ask Ana about en/billing/refunds.md\n")
    done = project.run("mv", "en/billing/refunds.md", "en/billing/back.md")
    assert "kbsync.toml, line 5, still names en/billing/refunds.md. Change it by hand." in done.err


def test_a_line_of_kbsync_toml_where_the_old_path_is_a_part_of_other_words_is_not_reported(project):
    project.config(
        '# Where the content is: len, hyphen-en.\n[service]\nbase_url = "sandbox"\n[content]\nlocales = ["en", "fr"]\n'
    )
    done = project.run("mv", "content/en", "content/de")
    named = [line for line in done.err.splitlines() if "names" in line]
    assert named == ["kbsync.toml, line 5, still names en. Change it by hand."]


@needs_git
def test_git_follows_as_after_git_mv_and_the_way_back_leaves_no_trace(project, repo):
    project.write("content/en/billing/invoices.md", "---\ntitle: Invoices\n---\nText, not staged.\n")
    before, status = project.files(), repo.git("status", "--short")
    assert project.run("mv", "en/billing", "en/payments").code == 0
    assert repo.git("status", "--short").splitlines() == [
        "RM content/en/billing/_category.md -> content/en/payments/_category.md",
        "RM content/en/billing/invoices.md -> content/en/payments/invoices.md",
        "R  content/en/billing/refunds.md -> content/en/payments/refunds.md",
        "RM content/fr/billing/_category.md -> content/fr/payments/_category.md",
        "R  content/fr/billing/refunds.md -> content/fr/payments/refunds.md",
    ]
    assert project.run("mv", "en/payments", "en/billing").code == 0
    assert (project.files(), repo.git("status", "--short")) == (before, status)
    assert not (project.folder / "content/en/payments").exists()


@needs_git
def test_no_program_of_the_repository_runs(project, repo):
    trap = project.folder / "trap"
    trap.write_text(f"#!/bin/sh\necho $0 $@ $(ps -o args= -p $PPID) >> {project.folder}/ran\ncat\n", "utf-8")
    trap.chmod(0o755)
    hooks = project.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    shutil.copy(trap, hooks / "post-index-change")
    repo.git("config", "core.fsmonitor", str(trap))
    repo.git("config", "filter.x.clean", str(trap))
    project.write(".gitattributes", "*.md filter=x\n")
    assert project.run("mv", "en/billing/refunds.md", "en/billing/back.md").code == 0
    assert not (project.folder / "ran").exists(), project.read("ran")


def interrupted(project, done: int) -> None:
    """A move of which only so many files were moved when kbsync was killed."""
    whole = project.files()
    assert project.run("mv", "en/billing", "en/payments").code == 0
    after = project.files()
    steps, data = [], b""
    for old in sorted(path for path in whole if "/billing/" in path):
        new = old.replace("/billing/", "/payments/")
        size = -1 if whole[old] == after[new] else len(after[new])
        steps.append(Step(old, new, raw_digest(whole[old]), raw_digest(after[new]), len(data), size))
        data += after[new]
    for step in steps[done:]:
        place = project.folder / "content" / step.old
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(whole[step.old])
        (project.folder / "content" / step.new).unlink()
    place = project.folder / ".kbsync/changes/00"
    assert store_sealed(place / JOURNAL, HEAD, msgspec.msgpack.encode(Journal(MOVE, steps)), project.seal_key)
    (place / "data").write_bytes(data)


@pytest.mark.parametrize("done", [0, 1, 3, 5])
def test_an_interrupted_move_is_finished(project, done):
    project.write("content/fr/billing/invoices.md", "---\ntitle: F\n---\n[en](../../en/billing/refunds.md)\n")
    interrupted(project, done)
    assert project.run("mv", "en/billing/refunds.md", "en/billing/x.md").says(2, err="Run `kbsync mv --finish`.")
    assert project.run("mv", "--finish").code == 0
    files = project.files()
    assert not [path for path in files if "/billing/" in path]
    assert b"(../../en/payments/refunds.md)" in files["fr/payments/invoices.md"]
    assert project.run("mv", "--finish").code == 2


def test_nothing_is_planned_or_pushed_while_a_move_is_unfinished(project):
    assert project.run("push").code == 0
    interrupted(project, 2)
    for command in ("plan", "push"):
        assert project.run(command).says(3, err="Run `kbsync mv --finish`.")
    assert project.run("mv", "--finish").code == 0
    assert project.run("plan").says(0, "Update 2 categories", without="Create")


def test_what_somebody_wrote_meanwhile_is_not_overwritten(project):
    interrupted(project, 1)
    project.write("content/en/billing/refunds.md", "---\ntitle: Mine\n---\nNew words.\n")
    assert project.run("mv", "--finish").says(3, err="changed while it was to be moved")
    assert project.files()["en/billing/refunds.md"].endswith(b"New words.\n")


# --- the portal keeps its articles ---------------------------------------------------------------------------------

MOVES = {
    "name": ["en/billing/refunds.md", "en/billing/back.md"], "folder": ["en/billing/refunds.md", "en/payments/"],
    "both": ["en/billing/refunds.md", "en/payments/back.md"],
    "slug": ["en/billing/refunds.md", "--slug", "money-back"], "category": ["en/billing", "en/sales"],
    "category slug": ["en/billing", "--slug", "money"],
    "keep": ["en/billing/refunds.md", "en/payments/back.md", "--keep-slug"],
}  # fmt: skip


LONG = "\n".join(f"Step {number}: open the page, and look at line {number}." for number in range(30))


@needs_git
@pytest.mark.slow
@pytest.mark.parametrize(
    ("committed", "with_ledger"), [(True, True), *one_of((True, False), (False, True), (False, False))]
)
@pytest.mark.parametrize("arguments", MOVES.values(), ids=MOVES)
def test_the_next_push_updates_the_same_articles(remote, portal: Sandbox, arguments, committed, with_ledger):
    for locale, link in (("en", "[i](invoices.md)"), ("fr", "[i](../../en/billing/invoices.md)")):
        remote.write(f"content/{locale}/payments/_category.md", f"---\nname: Payments {locale}\n---\n")
        remote.write(f"content/{locale}/billing/refunds.md", f"---\ntitle: Refunds {locale}\n---\n{link}\n{LONG}\n")
    remote.commit({".gitignore": ".kbsync/\n"})
    remote.push()
    before = {article.id for article in portal.panel.articles("handbook")}
    assert remote.run("mv", *arguments).code == 0
    if committed:
        remote.commit()
    if not with_ledger:
        shutil.rmtree(remote.folder / ".kbsync")
    plan = json.loads(remote.run("plan", "--format", "json").out)
    # Neither ledger nor git knows where the file was: kbsync asks, and makes no second article.
    is_unknown = not (committed or with_ledger) and arguments in (MOVES["folder"], MOVES["keep"])
    assert {name for held in plan["held"] for name in held["fields"]} <= ({"category"} if is_unknown else set())
    assert {change["action"] for change in plan["changes"]} <= {"update", "adopt"}
    assert [finding for finding in plan["findings"] if finding["code"] == "KB501"] == []
    pushed = remote.run("push", *(["--overwrite", "locale:en", "--overwrite", "locale:fr"] if is_unknown else []))
    assert pushed.code == 0, pushed.out
    assert {article.id for article in portal.panel.articles("handbook")} == before
    assert remote.run("plan", "--check").code == 0


def test_the_letter_case_of_a_name_can_change(project, repo):
    before = project.files()
    for arguments in (("billing/Refunds.md", "billing/refunds.md"), ("Billing", "billing")):
        new, old = (f"en/{name}" for name in arguments)
        assert project.run("mv", old, new).code == 0
        assert any(path.startswith(new) for path in project.files())
        assert project.run("mv", new, old).code == 0
        assert project.files() == before


def test_a_category_keeps_what_it_translates(project, repo):
    project.write("content/fr/argent/_category.md", "---\nname: Argent\ntranslation_of: en/money/_category.md\n---\n")
    project.write("content/fr/seul/_category.md", "---\nname: Seul\ntranslation_of: ''\n---\n")
    for name in ("money", "seul"):
        project.write(f"content/en/{name}/_category.md", f"---\nname: {name}\n---\n")
    before = project.files()
    assert project.run("mv", "en/money", "en/cash").code == 0
    assert b"translation_of: en/cash/_category.md" in project.files()["fr/argent/_category.md"]
    assert project.run("mv", "en/seul", "en/alone").code == 0
    assert b"translation_of: ''" in project.files()["fr/alone/_category.md"]
    assert project.run("mv", "en/cash", "en/money").code == project.run("mv", "en/alone", "en/seul").code == 0
    assert project.files() == before


def test_a_large_folder_that_moves_is_summed_up_and_listed_with_v(project):
    for number in range(35):
        project.write(f"content/en/billing/part-{number:02}.md", f"---\ntitle: Part {number}\n---\nText.\n")
    short = project.run("mv", "--dry-run", "content/en/billing", "content/en/money")
    assert "  … and " in short.out and "more (-v lists them all)\n" in short.out
    text = short.out.partition("rename from ")[0]
    assert "Would move 40 files\n" in text and text.count("      -> ") == 30, text
    long = project.run("mv", "-v", "content/en/billing", "content/en/money")
    assert long.out.count("      -> ") == 40 and "more (-v" not in long.out
