"""init, check, lint, demo, sandbox and what all commands share."""

import re
import tomllib

import httpx
import pytest

from commands import one_line
from dropping_proxy import a_dropping_proxy
from kbsync import __version__
from kbsync.sandbox import Sandbox
from kbsync.sandbox.api_upload import PIXEL
from patience import GIVE_UP_S

pytestmark = pytest.mark.slow


def test_the_version_is_told_and_help_lists_every_command(project):
    assert project.run("--version").out == f"kbsync {__version__}\n"
    out = project.run("--help").out
    for name in ("init", "check", "lint", "plan", "push", "sandbox", "demo"):
        assert f"  {name} " in out


def test_init_writes_a_project_that_can_be_pushed_at_once(tmp_path, project):
    made = project.run("init", "new")
    assert made.code == 0
    assert [line.split()[1] for line in made.err.splitlines()[:5]] == [
        "new/kbsync.toml", "new/content/en/getting-started/_category.md",
        "new/content/en/getting-started/welcome.md", "new/content/en/getting-started/how-to-link.md",
        "new/.gitignore",
    ]  # fmt: skip
    assert project.run("lint", cwd="new").out == "3 files: 0 errors, 0 warnings.\n"
    assert project.run("push", cwd="new").code == 0
    assert project.run("plan", "--check", cwd="new").code == 0


def test_a_tree_without_articles_is_not_called_up_to_date(project):
    assert project.run("init", "new").code == 0
    for path in sorted((project.folder / "new/content/en/getting-started").iterdir()):
        path.unlink()
    planned, pushed = project.run("plan", cwd="new"), project.run("push", cwd="new")
    assert planned.code == 0 and planned.out.endswith("\nThere are no articles in your files.\n"), planned
    assert pushed.code == 0 and pushed.out.startswith("There are no articles in your files ("), pushed


def test_init_overwrites_nothing(project):
    before = (project.folder / "kbsync.toml").read_bytes()
    assert project.run("init").says(2, err="kbsync.toml already exists.")
    assert (project.folder / "kbsync.toml").read_bytes() == before


def test_init_with_an_answer_that_cannot_be_used_leaves_no_folder_behind(project):
    assert project.run("init", "--profile", "a\nb", "new/help").code == 2 and not (project.folder / "new").exists()
    (project.folder / "new").mkdir()
    assert project.run("init", "--profile", "a\nb", "new/help").code == 2
    assert [*(project.folder / "new").iterdir()] == []


def test_init_asks_again_for_a_number_and_takes_an_empty_list_of_locales_as_the_proposed_one(project):
    code, said = project.on_a_terminal("sandbox\nhandbook\n2\n\n,\n", "init", "new")
    assert code == 0 and "`handbook` is not the number of an account." in said, said
    config = project.read("new/kbsync.toml")
    assert "account_id = 2\n" in config and 'locales = ["en"]\n' in config


def test_init_asks_again_for_what_is_a_name_and_not_a_slug_a_locale_or_an_account(project):
    typed = ("sandbox", "-5", "7", "My Handbook", "my-handbook", "en, English", "en, pt_BR")
    code, said = project.on_a_terminal("\n".join(typed) + "\n", "init", "new")
    assert code == 0 and all(f"`{wrong}` is not" in said for wrong in ("-5", "My Handbook", "English")), said
    config = project.read("new/kbsync.toml")
    assert "account_id = 7\n" in config and 'portal = "my-handbook"\n' in config, config
    assert 'locales = ["en", "pt_BR"]\n' in config, config


END = "\x04"
"""Ctrl-D: a question too many is not answered."""

HANDBOOK = "https://support.example.com/app/accounts/3/portals/handbook/en/"
PASTED = [
    (f"{HANDBOOK}articles?page=2#top", ("3", "handbook"), ()),
    (f"{HANDBOOK}articles/edit/refunds-12", ("3", "handbook"), ()),
    # What a portal's name could be is a page of the panel here.
    ("https://support.example.com/app/accounts/3/portals/new", ("3", "docs"), ("docs",)),
    ("https://support.example.com/app/accounts/3/dashboard", ("3", "docs"), ("docs",)),
    ("https://support.example.com/hc/handbook/en/articles/refunds", ("7", "handbook"), ("7",)),
    ("https://support.example.com/api/v1/accounts/3/portals", ("3", "docs"), ("docs",)),
    ("https://support.example.com/super_admin", ("7", "docs"), ("7", "docs")),
    (f"<{HANDBOOK}articles>", ("3", "handbook"), ()),
    ("support.example.com/app/accounts/3/dashboard", ("3", "docs"), ("docs",)),
    ("https://support.example.com/app/login", ("7", "docs"), ("7", "docs")),
    ("https://support.example.com/", ("7", "docs"), ("7", "docs")),
]


@pytest.mark.parametrize(("address", "found", "typed"), PASTED)
def test_init_takes_an_address_of_the_panel_or_the_help_center_apart_and_asks_only_for_the_rest(
    project, address, found, typed
):
    code, said = project.on_a_terminal("\n".join((address, *typed, "en", END)), "init", "new")
    assert code == 0, said
    service = tomllib.loads(project.read("new/kbsync.toml"))["service"]
    assert service["base_url"] == "https://support.example.com"
    assert (str(service["account_id"]), service["portal"]) == found
    assert said.count("[1]") + said.count("[handbook]") == len(typed), said


def test_init_takes_an_option_apart_too_and_other_options_count_before_it(project):
    assert project.run("init", "new", "--base-url", f"{HANDBOOK}articles", "--portal", "docs").code == 0
    service = tomllib.loads(project.read("new/kbsync.toml"))["service"]
    assert service == {
        "base_url": "https://support.example.com", "account_id": 3, "portal": "docs", "profile": "chatwoot",
    }  # fmt: skip


@pytest.mark.parametrize("address", ["localhost:3000", "127.0.0.1:3000/app/accounts/3/dashboard"])
def test_init_takes_an_address_of_this_machine_without_its_scheme(project, address):
    assert project.run("init", "new", "--base-url", address).code == 0
    service = tomllib.loads(project.read("new/kbsync.toml"))["service"]
    assert service["base_url"] == f"http://{address.partition('/')[0]}"


def test_init_asks_again_at_once_for_an_address_that_cannot_be_used(project):
    typed = ("support example", "http://support.example.com/app/accounts/3", "https://ada:pass@example.com", "sandbox")
    code, said = project.on_a_terminal("\n".join((*typed, "", "", "", END)), "init", "new")
    assert code == 0 and said.count("Error: ") == 3, said
    for reason in ("Expected an address", "Plain http", "must have no user name"):
        assert reason in said
    assert "[1]" not in said.partition("Plain http")[0]


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--account-id", "0", "`0` is not"), ("--portal", "My Handbook", "`My Handbook` is not"),
        ("--locale", "English", "`English` is not"),
        ("--base-url", "ftp://x", "Invalid value for '--base-url': Expected an address such as"),
    ],
)  # fmt: skip
def test_init_refuses_an_option_that_is_no_account_slug_locale_or_address(project, option, value, said):
    assert project.run("init", "new", option, value).says(2, err=said)
    assert not (project.folder / "new").exists()


@pytest.mark.parametrize("link", [".gitignore", "content", "content/en"])
def test_init_writes_nothing_through_a_link(project, tmp_path_factory, link):
    other = tmp_path_factory.mktemp("other")
    (other / "text").write_text("*.log\n")
    place = project.folder / "new" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(other / "text" if link == ".gitignore" else other)
    assert project.run("init", "new").says(2, err=(f"new/{link}", "link"))
    assert [path.name for path in other.rglob("*")] == ["text"] and (other / "text").read_text() == "*.log\n"
    assert not (project.folder / "new/kbsync.toml").exists()


@pytest.mark.parametrize("target", ["ignored", "nowhere"])
def test_init_names_the_link_and_not_what_it_leads_to(project, target):
    folder = project.folder / "new"
    folder.mkdir()
    (folder / "ignored").write_text("*.log\n")
    (folder / ".gitignore").symlink_to(target)
    assert "new/.gitignore is a link, and git does not read that." in project.run("init", "new").err


def test_init_does_not_write_through_a_link_with_the_name_of_a_draft(project, tmp_path):
    (project.folder / "new").mkdir()
    (tmp_path / "precious").write_text("precious")
    (project.folder / "new/.kbsync.toml.new").symlink_to(tmp_path / "precious")
    assert project.run("init", "new").code == 0
    assert (tmp_path / "precious").read_text() == "precious"


def test_init_takes_flags_keeps_sources_that_are_there_and_extends_gitignore(project):
    (project.folder / "kbsync.toml").unlink()
    project.write(".gitignore", "*.log")
    done = project.run("init", "--base-url", "https://support.example.com", "--account-id", "3", "--portal", "docs",
                       "--locale", "fr", "--locale", "en")  # fmt: skip
    assert done.code == 0
    config = project.read("kbsync.toml")
    assert 'base_url = "https://support.example.com"' in config and 'locales = ["fr", "en"]' in config
    assert project.read(".gitignore") == "*.log\n.kbsync/\n"
    assert not (project.folder / "content/fr/getting-started").exists()


def test_init_keeps_the_line_ends_and_the_bytes_of_gitignore(project):
    (project.folder / "kbsync.toml").unlink()
    (project.folder / ".gitignore").write_bytes(b"*.log\r\ncaf\xe9")
    assert project.run("init").code == 0
    assert (project.folder / ".gitignore").read_bytes() == b"*.log\r\ncaf\xe9\r\n.kbsync/\r\n"


def test_check_looks_at_everything_and_says_what_does_not_work_and_what_to_do(remote):
    done = remote.run("check")
    assert done.code == 0
    for line in (
        "ok    config:      kbsync.toml, profile `chatwoot`",
        "ok    content:     3 articles in content",
        "answers, version 4.16.2",
        "ok    token:       Ada Admin (administrator)",
        "ok    portal:      `handbook`, Handbook",
        "ok    locales:     en, fr",
        "ok    can:         delete articles",
    ):
        assert line in done.out
    assert remote.run("check", KBSYNC_TOKEN="nope").says(5, "bad   service:", "The token is wrong.")
    agent = remote.run("check", KBSYNC_TOKEN="agent-token-0002")
    assert agent.says(5, "bad   token:       Bob Agent (agent) may not push", "administrator's token")
    locale = remote.run("check", KBSYNC_CONTENT__LOCALES="en,de")
    assert locale.code == 3  # the French sources have no place any more
    assert "but not de" in locale.out
    done = remote.run("check", KBSYNC_SERVICE__ACCOUNT_ID="99")
    assert done.says(5, "Check base_url, account_id and portal under [service].", without="`kbsync check`")
    assert "`kbsync check` tests each part." in one_line(remote.run("plan", KBSYNC_SERVICE__ACCOUNT_ID="99").err)


def test_check_promises_nothing_while_the_service_does_not_answer(remote, portal: Sandbox):
    remote.config(remote.read("kbsync.toml").replace(portal.base_url, "http://127.0.0.1:9"))
    done = remote.run("check")
    assert done.code == 5 and "bad   service:" in done.out
    assert "ok    can:" not in done.out and "note  can:         Skipped until the connection works." in done.out


def test_check_says_that_a_proxy_drops_the_token_and_all_commands_work_through_it(remote, portal: Sandbox):
    (remote.folder / "content/en/billing/shot.png").write_bytes(PIXEL)
    remote.write("content/en/billing/refunds.md", "---\ntitle: Refund a charge\n---\n![A shot](shot.png)\n")
    with a_dropping_proxy(portal.base_url) as proxy:
        remote.config(remote.read("kbsync.toml").replace(portal.base_url, proxy.base_url))
        done = remote.run("check")
        assert done.code == 0 and "note  token:       The header `api_access_token` does not arrive" in done.out
        assert "underscores_in_headers on;" in done.out
        for command in (("push",), ("pull",), ("verify",), ("api", "get", "inboxes"), ("plan", "--check")):
            assert remote.run(*command).code == 0, command
        # One in each command: what is learned is not kept.
        assert {status for _, status in proxy.with_header("api_access_token")} == {401}
        assert len(proxy.with_header("api_access_token")) <= 6
    with a_dropping_proxy(portal.base_url, dropped="access") as proxy:
        done = remote.run("check", KBSYNC_SERVICE__BASE_URL=proxy.base_url, KBSYNC_TOKEN_ORIGIN=proxy.base_url)
        assert done.code == 5 and "The token did not arrive. If KBSYNC_TOKEN has it, a proxy" in done.words


def test_articles_without_an_author_are_told_before_a_service_that_needs_one_refuses_each(remote, portal: Sandbox):
    config = f'[service]\nbase_url = "{portal.base_url}"\nprofile = "documented"\n'
    remote.config(config)
    done = remote.run("check")
    assert done.says(2, "bad   authors:     3 articles without an author", "`default = 1` under [authors]")
    plan = remote.run("plan")
    assert plan.says(4, words="under [authors]")
    assert plan.out.count("not possible with this profile: author") == 3
    assert remote.run("push", "--first-push").code == 4
    assert not [request for request in portal.requests if request.path.endswith("/articles")]
    remote.config(config + "[authors]\ndefault = 1\n")
    assert remote.run("check").code == 0
    assert remote.run("push").code == 0
    assert len(portal.panel.articles("handbook")) == 3


def test_demo_shows_the_main_job_and_touches_nothing_of_the_project(project):
    done = project.run("demo", "--once")
    assert done.says(0, "First push:   2 categories and 3 drafts created, 2 published (", "Second push:  0 changes")
    narrow = project.run("demo", "--once", COLUMNS="60").out.splitlines()[2:]
    assert max(map(len, narrow[:-1])) <= 60 and narrow[1].startswith(" " * 14), narrow
    # The sandbox has ended: an address would lead nowhere.
    assert "http://" not in done.out
    assert not (project.folder / ".kbsync" / "ledger.db").exists()
    assert not (project.folder / ".kbsync" / "sandbox.db").exists()


def test_the_addresses_of_a_demo_that_stays_lead_to_its_pages_and_its_panel(project):
    with project.running("demo") as demo:
        readers = next(line for line in demo.stdout if "what readers see" in line).split()[0]
        panel = next(line for line in demo.stdout if "/-/panel" in line).strip()
        page = httpx.get(readers, timeout=GIVE_UP_S, follow_redirects=True)
        practice = httpx.get(panel, timeout=GIVE_UP_S, follow_redirects=True)
        next(line for line in demo.stdout if "Press Ctrl-C" in line)
    assert re.fullmatch(r"http://panel:[0-9a-f]{48}@127\.0\.0\.1:\d+/-/panel", panel)
    assert (page.status_code, practice.status_code) == (200, 200)


def test_the_drafts_of_a_push_are_readable_in_the_sandbox_that_runs_beside_it(project):
    with project.running("sandbox", "--port", "0") as sandbox:
        base_url = sandbox.stdout.readline().split()[-1]
        panel = next(line for line in sandbox.stdout if "practice panel" in line).split()[-1]
        assert project.run("push").code == 0
        listed = httpx.get(panel, timeout=GIVE_UP_S, follow_redirects=True)
        page = httpx.get(f"{base_url}/hc/handbook/articles/refunds", timeout=GIVE_UP_S)
    assert page.status_code == 200 and "Refund a charge" in page.text
    assert listed.status_code == 200 and "Refund a charge" in listed.text
    assert '<a href="/hc/handbook/articles/invoices">invoices</a>' in page.text


def test_options_may_stand_before_or_after_the_command(project):
    project.write("other.toml", '[service]\nbase_url = "sandbox"\nportal = "docs"\n')
    before = project.run("--config", "other.toml", "plan").out
    assert before == project.run("plan", "--config", "other.toml").out
    assert before.startswith("Plan for portal `docs` in the sandbox\n")


def test_an_environment_puts_its_tables_on_top(remote):
    remote.config(remote.read("kbsync.toml") + '[env.staging.service]\nportal = "other"\n')
    assert remote.run("--env", "staging", "plan").out.startswith("Plan for portal `other` at")
    assert remote.run("--env", "stagin", "plan").code == 2


def test_two_portals_share_a_ledger_file_and_no_row(remote):
    (remote.folder / "content/fr/billing/refunds.md").unlink()
    (remote.folder / "content/fr/billing/_category.md").unlink()
    remote.configure('[env.other.service]\nportal = "other"\n')
    assert remote.run("push").code == 0
    assert remote.run("push", "--env", "other").says(4, "belong to another portal")
    assert remote.run("plan", "--check").code == 0
