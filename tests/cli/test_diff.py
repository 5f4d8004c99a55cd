"""`kbsync diff`: every field that differs, on both sides, whatever a push would do with it."""

import json
import os
from pathlib import Path

import pytest

from kbsync.cli.screen import pager_of
from kbsync.sandbox import Sandbox


def changed(remote) -> None:
    assert remote.run("push").code == 0
    text = "---\ntitle: Refunds\ndescription: How\n---\nSee [invoices](invoices.md).\n\nThe money is back soon.\n"
    remote.write("content/en/billing/refunds.md", text)


def test_what_is_equal_has_no_differences(pushed):
    done = pushed.run("diff", "--check")
    assert done.code == 0 and done.out.endswith("No differences.\n")


def test_each_field_is_shown_with_both_sides_and_the_body_line_by_line_or_word_by_word(remote):
    changed(remote)
    done = remote.run("diff")
    assert done.says(0, "    - Refund a charge\n    + Refunds\n", "    - (nothing)\n    + How\n")
    assert "    +The money is back soon.\n" in done.out
    assert done.out.endswith("1 article differs.\n")
    assert remote.run("diff", "--check").code == 10
    found = json.loads(remote.run("diff", "--format", "json", "content/en/billing/refunds.md").out)
    assert [field["name"] for field in found["items"][0]["fields"]] == ["title", "content", "description"]
    assert found["items"][0]["fields"][1]["diff"][-1] == "+The money is back soon."
    assert "stolen" not in remote.run("diff", KBSYNC_PAGER="echo stolen").out
    done = remote.run("diff", "--offline", KBSYNC_TOKEN="")
    assert "  body\n    (not shown)\n" in done.out
    assert "git does not have the text" in done.out
    assert remote.run("push").code == 0
    text = "---\ntitle: Refunds\ndescription: How\n---\nSee [invoices](invoices.md).\n\nThe money is back now.\n"
    remote.write("content/en/billing/refunds.md", text)
    assert "The money is back [-soon-]{+now+}." in remote.run("diff", "--words").out


def test_what_needs_a_decision_and_what_was_accepted_is_shown_as_well(remote, portal: Sandbox):
    changed(remote)
    portal.panel.edit("refunds", title="Money back")
    portal.panel.edit("invoices", content="Changed in the panel.")
    done = remote.run("diff")
    assert "title (needs your decision: edited in both places)" in done.out
    assert "    -Changed in the panel.\n    +Text.\n" in done.out
    assert remote.run("resolve", "content/en/billing/invoices.md", "--theirs").code == 0
    done = remote.run("diff", "content/en/billing/invoices.md")
    assert "body (accepted with `resolve --theirs`)" in done.out and "    -Changed in the panel." in done.out
    assert remote.run("plan", "content/en/billing/invoices.md").code == 0


def test_a_status_that_no_push_sends_is_a_difference(remote):
    text = "---\ntitle: Invoices\nposition: 20\nstatus: published\n---\nText.\n"
    remote.push({"content/en/billing/invoices.md": text})
    (field,) = json.loads(remote.run("diff", "--format", "json").out)["items"][0]["fields"]
    assert (field["name"], field["portal"], field["ours"], field["decision"]) == (
        "status", "draft", "published", "left",
    )  # fmt: skip


def test_a_new_article_and_a_removed_one_are_named(remote):
    remote.configure('[push]\nremoved = "delete"\n')
    assert remote.run("push").code == 0
    (remote.folder / "content/fr/billing/refunds.md").unlink()
    remote.write("content/en/billing/new.md", "---\ntitle: New\n---\nText.\n")
    done = remote.run("diff")
    assert "en/billing/new.md\n  new article, not on the portal yet" in done.out
    assert "fr/billing/refunds.md\n  removed: its file is gone" in done.out


def test_codes_for_the_terminal_in_a_title_do_not_reach_it(pushed, portal: Sandbox):
    portal.panel.edit("invoices", title="\x1b[2J\x1b]0;owned\x07Bills")
    portal.panel.edit("refunds", content="\x1b[31mred\x1b[0m and \u202eback")
    for words in ([], ["--words"], ["--format", "markdown"], ["--format", "json"]):
        out = pushed.run("diff", *words).out
        assert "\x1b" not in out and "\u202e" not in out and "\x07" not in out


def test_offline_the_text_that_was_pushed_comes_from_git(remote):
    remote.commit()
    changed(remote)
    done = remote.run("diff", "--offline", KBSYNC_TOKEN="")
    assert done.says(0, "Compared with run 1", "    +The money is back soon.\n")


def test_a_saved_plan_is_shown_as_it_was_made(remote, portal: Sandbox):
    changed(remote)
    assert remote.run("plan", "--out", "kb.plan").code == 0
    assert remote.run("diff", "--plan", "kb.plan", "--check").says(10, "    +The money is back soon.\n")
    portal.panel.edit("refunds", content="Another text.")
    done = remote.run("diff", "--plan", "kb.plan")
    assert "    + Refunds\n" in done.out and "Another text" not in done.out
    assert "have changed since the plan was made" in done.out
    assert "No differences." in remote.run("diff", "--plan", "kb.plan", "locale:fr").out
    assert remote.run("diff", "--plan", "kb.plan", "--offline").code == 2
    remote.write("kb.plan", "{}")
    assert remote.run("diff", "--plan", "kb.plan").code == 4


# --- the pager -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"KBSYNC_PAGER": "cat", "PAGER": "sh"}, []), ({"KBSYNC_PAGER": ""}, []),
        ({"PAGER": "sh -c 'unclosed"}, []), ({"PAGER": "no-such-program-anywhere"}, []),
        ({"KBSYNC_PAGER": "sh -x", "PAGER": "cat"}, ["sh", "-x"]),
    ],
)  # fmt: skip
def test_the_pager_is_what_the_environment_names(environ, expected):
    found = pager_of({"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")} | environ, Path("/nowhere"))
    assert [Path(word).name for word in found] == expected


def test_a_program_of_the_project_is_no_pager(tmp_path):
    program = tmp_path / "bin" / "less"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho stolen\n")
    program.chmod(0o755)
    environ = {"PATH": str(program.parent), "HOME": str(tmp_path.parent / "home")}
    assert pager_of(environ, tmp_path) == []
    assert pager_of(environ, tmp_path / "elsewhere") == [str(program), "-FRX"]


def in_color(remote, *options: str, **environ: str) -> str:
    """The differences on a terminal."""
    return remote.on_a_terminal("", "diff", *options, TERM="xterm", **environ)[1]


def test_on_a_terminal_it_goes_through_the_pager_which_gets_no_token(remote):
    changed(remote)
    script = "sed 's/^/paged: /'; echo token: ${KBSYNC_TOKEN-none}"
    out = in_color(remote, KBSYNC_PAGER=f'sh -c "{script}"')
    assert "paged: Differences from" in out.replace("\x1b[1m", "") and "token: none" in out
    assert "\x1b[31m" in out
    assert "paged:" not in in_color(remote, "--no-pager", KBSYNC_PAGER=f'sh -c "{script}"')
    assert "\x1b[31m" not in in_color(remote, NO_COLOR="1", KBSYNC_PAGER="cat")


def test_a_pager_that_kbsync_toml_names_is_an_error(remote):
    remote.config(f'pager = "echo stolen"\n{remote.read("kbsync.toml")}')
    assert remote.run("diff").says(2, without="stolen")
