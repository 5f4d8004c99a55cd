"""kbsync lint: what it prints, in each format, for each selector, and how it ends."""

import json
import time
from xml.etree import ElementTree

import pytest

from kbsync.content.tree import RACY_NS
from kept import forget, knows
from patience import eventually
from repo import needs_git

BAD = "---\ntitel: X\nposition: soon\n---\n# X\n[a](nowhere.md)\n"
LINKS = "---\ntitle: Refund a charge\nstatus: published\n---\n[a](nowhere.md)\n"
REFUNDS = "content/en/billing/refunds.md"

UNTRANSLATED = {"KBSYNC_LINT__IGNORE": "KB214,KB316"}
"""Not what these tests are about."""


def test_lint_shows_every_problem_with_its_line_and_what_to_do_quiet_errors_alone_and_fits_a_narrow_screen(project):
    project.write("content/en/billing/bad.md", BAD)
    done = project.run("lint", **UNTRANSLATED)
    assert done.code == 3 and done.err == ""
    assert done.out == (
        "content/en/billing/bad.md:2:1: error KB107 Unknown key `titel`.\n"
        "  2 | titel: X\n"
        "    | ^\n"
        "    Did you mean `title`?\n"
        "content/en/billing/bad.md:3:1: error KB108 `position` must be a whole number, and is text: `soon`.\n"
        "  3 | position: soon\n"
        "    | ^\n"
        "    Write `position: 20`.\n"
        "content/en/billing/bad.md:6:5: warning KB301 en/billing/nowhere.md does not exist.\n"
        "  6 | [a](nowhere.md)\n"
        "    |     ^\n"
        "    Correct the path. Readers would get a dead link.\n"
        "\n"
        "6 files: 2 errors, 1 warning.\n"
    )
    out = project.run("lint", "-q", **UNTRANSLATED).out
    assert "KB107" in out and "KB301" not in out and out.endswith("\n6 files: 2 errors, 1 warning.\n")
    found = json.loads(project.run("lint", "--format", "json", **UNTRANSLATED).out)
    assert found["schema"] == "kbsync.lint/1" and len(found["findings"]) == 3
    narrow = project.run("lint", **UNTRANSLATED, COLUMNS="60").out
    assert max(map(len, narrow.splitlines())) <= 60
    assert "content/en/billing/bad.md:6:5: warning KB301\n    en/billing/nowhere.md does not exist.\n" in narrow
    piped = project.run("lint", **UNTRANSLATED, COLUMNS="").out
    message = "`position` must be a whole number, and is text: `soon`."
    assert f"content/en/billing/bad.md:3:1: error KB108 {message}\n" in piped


def test_what_was_found_in_a_file_is_kept_for_the_next_time(project):
    project.write("content/en/billing/bad.md", BAD + "[[wiki]] and ==marked==\n")
    cold = project.run("lint").out
    while not knows(project.folder, "lint"):  # Not as long as a file is so young that it may change again unseen.
        assert project.run("lint").out == cold
        assert time.time() < (project.folder / "content/en/billing/bad.md").stat().st_mtime + 30
    assert project.run("lint").out == cold


def test_warnings_alone_end_well_and_nothing_is_asked_written_or_needed(project):
    project.write(REFUNDS, LINKS)
    project.config('[service]\nbase_url = "https://support.example.com"\n')
    done = project.run("lint")
    assert (done.code, done.err) == (0, "")
    assert {path.name for path in (project.folder / ".kbsync").iterdir()} == {".gitignore", "cache.db"}


@needs_git
def test_a_dead_link_says_which_commit_moved_or_deleted_its_target_and_fix_follows_the_move(project):
    for name in ("cards", "gone"):
        text = f"---\ntitle: {name}\n---\nA text about {name}, long enough to be known again.\n"
        project.write(f"content/en/billing/{name}.md", text)
    project.write("content/en/billing/invoices.md", "---\ntitle: Invoices\n---\n## A\n### B\n#### Deep\nx\n")
    project.commit({REFUNDS: "---\ntitle: Refunds\n---\n[a](cards.md#x) [b](gone.md)\n\n[c](invoices.md#deep)\n"})
    project.git("mv", "content/en/billing/cards.md", "content/en/billing/pay-with-one.md")
    project.git("rm", "--quiet", "content/en/billing/gone.md")
    commit = project.commit()[:7]
    for _ in range(2):
        out = project.run("lint", **UNTRANSLATED).out
        assert f"It was moved to `pay-with-one.md#x` in commit {commit}." in out
        assert f"It was deleted in commit {commit}. Link to what replaces it, or delete the link." in out
        assert "The heading `Deep` has no anchor, because it is of level 4." in " ".join(out.split())
        assert "`kbsync lint --fix` can fix 1 of them." in out
    assert "+[a](pay-with-one.md#x) [b](gone.md)\n" in project.run("lint", "--fix", "--diff").out
    project.run("lint", "--fix")
    assert "[a](pay-with-one.md#x) [b](gone.md)\n" in project.read(REFUNDS)


@needs_git
def test_what_became_of_a_target_is_said_once_however_often_an_article_beside_it_is_edited(project):
    gone = "---\ntitle: Gone\n---\nText.\n"
    project.write(REFUNDS, "---\ntitle: Refunds\n---\n[x](gone.md)\n")
    project.write("content/en/billing/gone.md", gone)
    project.commit({"content/en/account/gone.md": gone, "content/en/account/_category.md": "---\nname: Account\n---\n"})
    project.git("rm", "--quiet", "content/en/billing/gone.md")
    project.commit()
    for number in range(4):
        text = f"---\ntitle: Invoices\n---\n[r](refunds.md) {number}\n"
        invoices = project.write("content/en/billing/invoices.md", text)
        eventually(lambda at=invoices: time.time_ns() - at.stat().st_ctime_ns > RACY_NS, "the file is old enough")
        assert project.run("lint", **UNTRANSLATED).out.count("It was deleted in") == 1


def lint_until_it_is_kept(project) -> None:
    """Not as long as a file is so young that it may change again unseen."""
    eventually(lambda: project.run("lint", **UNTRANSLATED).code == 0 and knows(project.folder, "lint"), "it is kept")


@needs_git
@pytest.mark.parametrize("how", ["committed", "edited and committed", "staged", "taken back"])
def test_what_git_knows_of_a_dead_link_by_now_is_said_although_the_findings_were_kept(project, how):
    cards, pay, words = "content/en/billing/cards.md", "content/en/billing/pay.md", "It was moved to `pay.md`"
    text = "---\ntitle: Cards\n---\nA text about cards, long enough to be known again.\n"
    project.commit({cards: text, REFUNDS: "---\ntitle: Refunds\n---\n[a](cards.md)\n"})
    (project.folder / cards).rename(project.folder / pay)
    if how == "taken back":
        project.commit()
    lint_until_it_is_kept(project)
    assert (words in project.run("lint", **UNTRANSLATED).out) == (how == "taken back")
    if how == "edited and committed":
        edited = project.write(pay, f"{text}More.\n")
        eventually(lambda: time.time_ns() - edited.stat().st_ctime_ns > RACY_NS, "the file is old enough")
    match how:
        case "staged":
            project.git("add", "--all", ".")
        case "taken back":
            project.git("reset", "--quiet", "HEAD~1")
        case _:
            words += f" in commit {project.commit()[:7]}."
    now = project.run("lint", **UNTRANSLATED)
    assert (words in now.out) == (how != "taken back")
    forget(project.folder, "lint")
    assert project.run("lint", **UNTRANSLATED) == now


# --- selectors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selectors", "files"),
    [
        (("content/fr",), 2), (("content/en/billing/bad.md",), 1), (("en/billing/bad.md",), 1),
        (("locale:fr", "content/en/billing/bad.md"), 3), (("category:billing",), 6), (("status:published",), 1),
        (("status:draft",), 3), ((".",), 6),
    ],
)  # fmt: skip
def test_selectors_say_what_is_reported_also_in_a_tree_with_errors(project, selectors, files):
    project.write("content/en/billing/bad.md", BAD)
    project.write(REFUNDS, LINKS)
    assert f"{files} file{'s' if files > 1 else ''}: " in project.run("lint", *selectors).out


def test_the_exit_code_is_about_what_was_selected_and_paths_are_from_the_folder_that_the_user_is_in(project):
    project.write("content/en/billing/bad.md", BAD)
    assert project.run("lint", "content/fr").code == 0
    assert project.run("lint", "locale:en").code == 3
    assert project.run("lint", "fr", cwd="content").code == 0
    for cwd, path in (
        ("content/en/billing", "bad.md"),
        ("content/fr", "../en/billing/bad.md"),
        ("content", "en/billing/bad.md"),
    ):
        assert f"\n{path}:" in "\n" + project.run("lint", cwd=cwd).out


def test_what_is_no_source_can_be_selected_by_its_path(project):
    (project.folder / "content/en/gone.md").symlink_to("nowhere.md")
    assert project.run("lint", "content/en/gone.md").says(3, "KB115", "0 files: 1 error")


@pytest.mark.parametrize("selector", ["content/en/nope.md", "kbsync.toml", "status:live"])
def test_a_selector_that_means_nothing_is_an_error_with_a_hint(project, selector):
    said = f"No file, category or locale matches `{selector}`"
    assert project.run("lint", selector).ended(2, "", said, "locale:CODE")


def test_a_locale_without_files_is_answered_with_those_that_have_some(project):
    assert project.run("lint", "locale:de").ended(2, "", "Your files have only locale:en, locale:fr.")


@pytest.mark.parametrize("selector", ["content/en/billing/refunds", "en/billing/refunds", "en/billing/refunds/"])
def test_a_path_without_its_ending_is_an_error_that_names_the_file(project, selector):
    assert project.run("lint", selector).says(2, err=f"Did you mean `{selector.rstrip('/')}.md`?")
    assert project.run("lint", f"{selector.rstrip('/')}.md").code == 0
    assert "Did you mean `billing/refunds.md`?" in project.run("lint", "billing/refunds", cwd="content/en").err


# --- what is ignored -------------------------------------------------------------------------------------------------


def test_kbsync_toml_ignores_raises_and_lowers(project):
    project.write(REFUNDS, LINKS)
    config = project.read("kbsync.toml")
    for said, code, level in (
        ('ignore = ["KB3"]', 0, ""),
        ('levels = { KB301 = "off" }', 0, ""),
        ('levels = { KB301 = "error" }', 3, "error KB301"),
        ('ignore = ["KB3"]\nlevels = { KB301 = "warning" }', 0, "warning KB301"),
    ):
        project.config(f"{config}[lint]\n{said}\n")
        done = project.run("lint")
        assert done.code == code and (level in done.out if level else "KB301" not in done.out)


def test_what_the_project_calls_an_error_stops_plan_and_push(project):
    project.write(REFUNDS, LINKS)
    project.environ["KBSYNC_LINT__LEVELS"] = "KB301=error"
    for command in ("plan", "push"):
        assert project.run(command).says(3, err=("error KB301", "Nothing was sent. Fix the errors first."))
    project.write(REFUNDS, LINKS.replace("---\n[a]", "lint_ignore: [KB301]\n---\n[a]"))
    assert project.run("plan").code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[lint]\nignore = ["KB3o1"]', "kbsync.toml:6: `[lint] ignore`: The code `KB3o1` does not exist.\n  Did you mean `KB301`?"),
        ('[lint.levels]\nKB999 = "off"', "kbsync.toml:5: `[lint] levels`: The code `KB999` does not exist."),
        ('[lint]\nlevels = { KB301 = "fatal" }', "kbsync.toml:6: `[lint] levels`: The value 'fatal' is not allowed."),
        ('[lint]\nlevels = { KB301 = "fatal" }', "Use one of: error, warning, off"),
    ],
)  # fmt: skip
def test_a_code_or_level_of_kbsync_toml_that_there_is_not_is_told_with_its_line(project, text, said):
    project.configure(text + "\n")
    assert project.run("lint").says(2, err=said)


def test_warnings_of_a_plan_follow_the_same_settings(pushed):
    pushed.write("content/en/billing/invoices.md", "---\ntitle: Invoices\nslug: bills\nposition: 20\n---\nText.\n")
    assert "KB503" in pushed.run("plan").out
    assert "KB503" not in pushed.run("plan", KBSYNC_LINT__IGNORE="KB5").out
    refused = pushed.run("push", KBSYNC_LINT__LEVELS="KB503=error")
    assert refused.code == 4 and "KB503 is set to `error` in this project. en/billing/invoices.md" in refused.err
    text = "---\ntitle: Invoices\nslug: bills\nposition: 20\nlint_ignore: [KB503]\n---\nText.\n"
    pushed.write("content/en/billing/invoices.md", text)
    assert "KB503" not in pushed.run("plan", KBSYNC_LINT__LEVELS="KB503=error").out


def test_an_ignored_code_is_never_sent(remote):
    remote.write(REFUNDS, LINKS.replace("title:", "lint_ignore: [KB301]\ntitle:"))
    assert "lint_ignore" not in remote.run("plan", "--format", "json").out


# --- rules -----------------------------------------------------------------------------------------------------------


def test_a_rule_is_explained_without_any_project_and_a_code_that_there_is_not_is_told_with_the_nearest(
    tmp_path, project
):
    (project.folder / "kbsync.toml").unlink()
    done = project.run("lint", "--explain", "KB120")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("KB120: Comment or key that should ignore a code, and does not\n  The code does")
    assert "  Before:\n" in done.out and "    Text. <!-- kbsync-ignore KB999 -->\n" in done.out
    assert "  After:\n" in done.out and "    Text. <!-- kbsync-ignore KB301 -->\n" in done.out
    assert "content/en/troubleshooting/codes.md#kb-120" in done.out
    assert "KB301: " in project.run("lint", "--explain", "KB3").out
    everything = project.run("lint", "--explain", "all").out
    listed = project.run("lint", "--rules").out
    assert all(f"{code}: " in everything and f"{code}  " in listed for code in ("KB101", "KB120", "KB311", "KB506"))
    assert project.run("lint", "--explain", "KB30l").ended(2, "", "Did you mean `KB301`?")


# --- formats ---------------------------------------------------------------------------------------------------------


def test_sarif_has_paths_from_the_top_of_the_repository_wherever_it_runs_and_junit_a_test_for_each_file_asked_for(
    project,
):
    (project.folder / ".git").mkdir()
    project.write(REFUNDS, LINKS)
    for cwd in (".", "content/fr"):
        done = project.run("lint", "--format", "sarif", cwd=cwd, **UNTRANSLATED)
        assert (done.code, done.err) == (0, "")
        (result,) = json.loads(done.out)["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == REFUNDS
    (suite,) = ElementTree.fromstring(project.run("lint", "--format", "junit", "locale:en", **UNTRANSLATED).out)
    assert [(case.get("name"), len(case)) for case in suite] == [
        ("content/en/billing/_category.md", 0), ("content/en/billing/invoices.md", 0), (REFUNDS, 1),
    ]  # fmt: skip


def test_sarif_has_a_fingerprint_for_each_result_and_the_fix_that_lint_would_make(project):
    path = project.write(REFUNDS, "---\ntitle: Refund a charge\n---\nAsk <name> first.\n\n- [ ] done\n")
    results = json.loads(project.run("lint", "--format", "sarif", **UNTRANSLATED).out)["runs"][0]["results"]
    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]
    assert len(set(prints)) == len(prints) > 1
    (fix,) = [result["fixes"][0] for result in results if result["ruleId"] == "KB402"]
    (change,) = fix["artifactChanges"]
    assert change["artifactLocation"]["uri"] == REFUNDS
    line = "Ask <name> first."
    for replacement in reversed(change["replacements"]):
        region = replacement["deletedRegion"]
        assert region["startLine"] == region["endLine"] == 4
        begin, end = region["startColumn"] - 1, region["endColumn"] - 1
        line = line[:begin] + replacement["insertedContent"]["text"] + line[end:]
    project.run("lint", "--fix")
    assert path.read_text("utf-8").splitlines()[3] == line != "Ask <name> first."


def test_plan_has_no_format_that_is_for_findings_alone(project):
    assert project.run("plan", "--format", "sarif").says(2, err="sarif")


# --- mending ---------------------------------------------------------------------------------------------------------


def test_a_patch_of_a_file_with_spaces_in_its_name_can_be_applied(project):
    project.write("content/en/billing/late fees.md", "---\ntitle: T\nstatus: published\n---\n**a ** b\n")
    out = project.run("lint", "--fix", "--diff").out
    assert "--- content/en/billing/late fees.md\t\n+++ content/en/billing/late fees.md\t\n" in out


def test_what_is_called_fixable_is_what_fix_fixes_before_and_after(project):
    project.write(REFUNDS, "---\ntitle: T\nstatus: published\n---\n## A {#x}\n\n## A {#y}\n")
    assert "`kbsync lint --fix` can fix 1 of them." in project.run("lint").out
    done = project.run("lint", "--fix")
    assert "## A\n\n## A {#y}\n" in project.read(REFUNDS)
    assert "1 warning" in done.out and "can fix" not in done.out and "could not be fixed" not in done.err
    assert "1 warning" in project.run("lint").out and "can fix" not in project.run("lint").out


def test_fix_shows_what_is_left_and_diff_changes_nothing(project):
    project.write(REFUNDS, LINKS)
    assert project.run("lint", "--fix").out == project.run("lint").out
    assert project.run("lint", "--diff").code == 0
    assert project.read(REFUNDS) == LINKS


# --- an upgrade of the service ---------------------------------------------------------------------------------------


def test_the_pages_that_an_upgrade_of_the_service_changes_are_listed_on_request(project):
    project.write(
        REFUNDS,
        "---\ntitle: Refund a charge\n---\n\nWords | and a bar.\n\n- b\n\n  <!--cw-colwidths:90,0-->\n  | a | b |\n  | --- | --- |\n\n| c |\n| --- |\n\nWords.\n\n"
        "<https://guidejar.com/guides/abc>\n\n![a](https://x.test/a.png?cw_image_width=30px)\n\n<!--cw-colwidths:9-->\n",
    )
    assert project.run("lint", **UNTRANSLATED).out == "5 files: 0 errors, 0 warnings.\n"
    done = project.run("lint", "--service", "4.16", "--against", "4.10", **UNTRANSLATED, COLUMNS="200")
    assert done.code == 0
    assert done.out.startswith(
        f"{REFUNDS}:7:1: warning KB416 This page has different HTML in version 4.16 than in 4.10: 2 tables, 1 image, 1 player.\n"
    )
    assert done.out.endswith("\n5 files: 0 errors, 1 warning.\n")
    same = project.run("lint", "--service", "4.10", "--against", "4.10", **UNTRANSLATED)
    assert same.out == "5 files: 0 errors, 0 warnings.\n"
    assert "KB416" not in project.run("lint", "--against", "4.10", "locale:fr", **UNTRANSLATED).out
    assert project.run("lint", "--service", "4.16").says(2, err=("--against", "Add `--against 4.18`."))
    assert "Add `--against 4.18`." in project.run("lint", "--service", "4.10").err
