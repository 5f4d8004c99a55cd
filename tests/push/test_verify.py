"""`kbsync verify`: what readers get, beside the files. No token is read, and none is sent."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from builders import write_files
from commands import Done, run_here
from kbsync import Project as Opened
from kbsync.app.asking.verify_values import Checked, Problem, Verified
from kbsync.errors import ConfigError, ExitCode, ServiceError, UsageError
from kbsync.sandbox import V4_10, Behaviour, Fault, Sandbox
from kbsync.service.public_site import body_in
from service.world import Server, a_server, reply

from .project import PIXEL, Project, a_checkout
from .world import PORTAL, a_sandbox

TREE: dict[str, str | bytes] = {
    "content/en/guide/_category.md": "---\nname: Guide\n---\n",
    "content/en/guide/refunds.md": "---\ntitle: Refunds\nstatus: published\n---\nFirst line.\n\nSecond line.\n",
    "content/en/guide/images.md": "---\ntitle: Images\nstatus: published\n---\n\n![a](a.png)\r\nWindows.\r\n\n",
    "content/en/guide/a.png": PIXEL,
    "content/en/guide/links.md": "---\ntitle: Links\nstatus: published\n---\n[r](refunds.md), [d](draft.md), [g](.)\n",
    "content/en/guide/draft.md": "---\ntitle: Draft\n---\nNot yet.\n",
}
pytestmark = pytest.mark.slow

BOTH = pytest.mark.parametrize("behaviour", [Behaviour(), V4_10], ids=["4.16", "4.10"])


@dataclass(frozen=True)
class Published:
    """A project that was pushed, and the portal that it was pushed to."""

    sandbox: Sandbox
    folder: Path

    def verify(self, *selectors: str, listed: bool = False) -> Verified:
        return Opened.open(self.folder).verify([str(self.folder / one) for one in selectors], listed=listed)

    def of(self, stem: str, **options: bool) -> Checked:
        (found,) = [item for item in self.verify(**options).articles if item.slug == stem]
        return found

    def write(self, name: str, old: str, new: str) -> None:
        path = self.folder / "content/en/guide" / name
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode()))


@pytest.fixture
def behaviour() -> Behaviour:
    return Behaviour()


@pytest.fixture
def site(tmp_path: Path, behaviour: Behaviour) -> Iterator[Published]:
    with a_sandbox(tmp_path, behaviour) as sandbox:
        project = a_checkout(tmp_path / "project", sandbox, TREE)
        done = project.run("push", "--publish")
        assert done.code == 0, done.err
        yield Published(sandbox, project.folder)


# --- the same


@BOTH
def test_what_was_just_published_is_the_same_with_images_links_and_line_endings(site):
    found = site.verify()
    assert [(item.path, item.state) for item in found.articles] == [
        ("en/guide/images.md", "same"),
        ("en/guide/links.md", "same"),
        ("en/guide/refunds.md", "same"),
    ]
    assert found.exit_code is ExitCode.DONE
    assert found.articles[0].address == f"{site.sandbox.base_url}/hc/handbook/articles/images"


def test_selectors_limit_it_and_mean_what_they_mean_to_a_plan(site):
    assert [item.slug for item in site.verify("content/en/guide/refunds.md").articles] == ["refunds"]
    assert site.verify("content/en/guide/draft.md").articles == ()
    with pytest.raises(UsageError, match="matches"):
        site.verify("content/en/guide/nothing.md")


def test_line_breaks_at_both_ends_do_not_count_since_the_panel_drops_them(site):
    site.sandbox.panel.edit("refunds", content="First line.\n\nSecond line.")
    assert site.of("refunds").state == "same"


def test_what_kbsync_does_not_keep_in_step_is_counted_and_not_compared(site):
    site.sandbox.panel.edit("refunds", content="Theirs.")
    site.write("refunds.md", "status", "manage: seed\nstatus")
    found = site.verify()
    assert (len(found.articles), found.skipped, found.exit_code) == (2, 1, ExitCode.DONE)


def test_an_article_that_is_published_without_the_prefix_is_found_under_the_slug_that_it_keeps(site):
    config = site.folder / "kbsync.toml"
    config.write_text(config.read_text("utf-8") + 'slug_prefix = "handbook-"\n', "utf-8")
    found = site.verify()
    assert {item.slug: item.state for item in found.articles} == {"refunds": "same", "links": "same", "images": "same"}


# --- what differs


@BOTH
def test_an_edited_body_is_shown_by_the_first_line_that_differs(site):
    site.sandbox.panel.edit("refunds", content="First line.\n\nSecond, edited.\n")
    (problem,) = site.of("refunds").problems
    assert (problem.what, problem.line, problem.theirs, problem.ours) == ("body", 3, "Second, edited.", "Second line.")
    assert site.verify().exit_code is ExitCode.CHANGES


def test_a_line_that_was_added_is_shown_beside_nothing(site):
    site.sandbox.panel.edit("refunds", content="First line.\n\nSecond line.\nThird.")
    (problem,) = site.of("refunds").problems
    assert (problem.line, problem.theirs, problem.ours) == (4, "Third.", "")


def test_line_endings_that_differ_are_said_in_words(site):
    site.sandbox.panel.edit("refunds", content="First line.\r\n\r\nSecond line.")
    (problem,) = site.of("refunds").problems
    assert problem.message == "only the line endings differ"


def test_of_a_long_line_the_part_that_differs_is_shown(site):
    site.sandbox.panel.edit("refunds", content="x" * 9_000 + "Y" + "x" * 9_000)
    site.write("refunds.md", "First line.\n\nSecond line.\n", "x" * 18_001)
    (problem,) = site.of("refunds").problems
    assert (len(problem.theirs), len(problem.ours)) == (500, 500)
    assert "Y" in problem.theirs


@BOTH
def test_a_title_that_differs_is_shown_with_both_values(site):
    site.sandbox.panel.edit("refunds", title="Money back")
    assert site.of("refunds").problems == (Problem("title", "", theirs="Money back", ours="Refunds"),)


@BOTH
@pytest.mark.parametrize(("status", "said"), [("draft", "It is a draft"), ("archived", "It is archived")])
def test_what_readers_do_not_see_is_not_published(site, status, said):
    site.sandbox.panel.change_status(["refunds"], status)
    found = site.of("refunds")
    assert found.state == "not_published"
    assert found.problems[0].message.startswith(said)


@pytest.mark.parametrize("keys", ["publish_on: 2099-12-01", "release: 5.2"])
def test_an_article_whose_time_has_not_come_is_no_difference(site, keys):
    site.write("draft.md", "title: Draft", f"title: Draft\nstatus: published\n{keys}")
    found = site.verify()
    assert {item.slug: item.state for item in found.articles}["draft"] == "waiting"
    assert found.exit_code is ExitCode.DONE
    told = Project(site.folder).run("verify").out
    assert "3 articles are as in your files, 1 waits for its date or release." in told


@pytest.mark.parametrize("keys", ["publish_on: 2020-12-01", "release: 5.2"])
def test_an_article_whose_time_has_come_is_not_published(site, keys):
    site.write("refunds.md", "status", "release: 5.2\nstatus")
    site.write("draft.md", "title: Draft", f"title: Draft\nstatus: published\n{keys}")
    assert site.of("draft").state == "not_published"


@BOTH
def test_an_article_that_is_gone_is_not_published(site):
    site.sandbox.panel.delete("refunds")
    found = site.of("refunds")
    assert (found.state, found.problems[0].message) == ("not_published", "The portal has no article with this slug.")


@BOTH
def test_a_slug_that_another_portal_took_is_not_published(site):
    site.sandbox.panel.delete("refunds")
    site.sandbox.panel.create("other", "Theirs", "x", slug="refunds")
    found = site.of("refunds")
    assert found.state == "not_published"
    assert "Another portal" in found.problems[0].message


def test_a_slug_with_a_dot_has_no_page_that_readers_could_get(site):
    site.write("refunds.md", "status", "slug: v1.2\nstatus")
    found = site.of("v1.2")
    assert (found.state, found.problems[0].message) == ("not_published", "The portal has no page for the slug `v1.2`.")


def test_a_link_to_a_page_that_is_gone_is_a_problem_of_the_article_that_has_it(site):
    site.sandbox.panel.delete("draft")
    found = site.of("links")
    assert found.problems == (Problem("link", "answers 404", address="/hc/handbook/articles/draft"),)


def test_an_image_that_is_gone_is_a_problem_of_the_article_that_shows_it(site):
    site.sandbox.faults.add(Fault("status", status=404, path="/rails/", times=None))
    (problem,) = site.of("images").problems
    assert (problem.what, problem.message) == ("image", "answers 404")
    assert "/rails/active_storage/" in problem.address


def test_an_address_that_gives_a_page_instead_of_an_image_is_a_problem(site):
    site.sandbox.faults.add(Fault("junk", path="/rails/", times=None))
    (problem,) = site.of("images").problems
    assert problem.message == "answers with text/html instead of an image or a video"


def test_with_all_published_articles_that_no_file_publishes_are_listed(site):
    site.sandbox.panel.create(PORTAL, "Stranger", "x", slug="stranger", status=1)
    site.sandbox.panel.change_status(["draft"], "published")
    assert site.verify().exit_code is ExitCode.DONE
    found = site.verify(listed=True)
    others = [(item.slug, item.path) for item in found.articles if item.state == "not_in_files"]
    assert sorted(others) == [("draft", ""), ("stranger", "")]
    assert found.exit_code is ExitCode.CHANGES


@BOTH
def test_with_all_every_page_of_the_list_is_read_and_a_list_without_pages_too(site):
    for number in range(120):
        site.sandbox.panel.create(PORTAL, f"S{number}", "x", slug=f"s-{number:03}", status=1)
    found = site.verify(listed=True)
    listed = [item.slug for item in found.articles if item.state == "not_in_files"]
    assert len(listed) == len(set(listed)) == 120


def test_with_all_and_a_selector_other_files_are_not_strangers(site):
    site.sandbox.panel.create(PORTAL, "Stranger", "x", slug="stranger", status=1)
    found = site.verify("content/en/guide/refunds.md", listed=True)
    assert [(item.slug, item.state) for item in found.articles] == [("refunds", "same"), ("stranger", "not_in_files")]


def test_a_list_that_cannot_be_read_leaves_what_was_compared(site):
    site.sandbox.faults.add(Fault("status", status=502, path="/en/articles.json", times=None))
    found = site.verify(listed=True)
    assert [item.state for item in found.articles] == ["same", "same", "same", "unreachable"]
    assert found.exit_code is ExitCode.SERVICE


# --- what cannot be reached


def test_an_article_that_cannot_be_read_does_not_hide_the_others(site):
    site.sandbox.faults.add(Fault("status", status=502, path="/refunds", times=None))
    found = site.verify()
    # The article that links to it is not different for that.
    assert {item.slug: item.state for item in found.articles} == {
        "images": "same",
        "links": "unreachable",
        "refunds": "unreachable",
    }
    assert found.exit_code is ExitCode.SERVICE


def test_a_service_that_cannot_be_reached_at_all_is_an_error(site):
    site.sandbox.faults.add(Fault("status", status=401, times=None))
    with pytest.raises(ServiceError, match="401") as caught:
        site.verify()
    assert caught.value.exit_code is ExitCode.SERVICE


def test_a_closed_port_is_an_error(site):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    config = site.folder / "kbsync.toml"
    config.write_text(config.read_text("utf-8").replace(site.sandbox.base_url, f"http://127.0.0.1:{port}"), "utf-8")
    with pytest.raises(ServiceError, match="cannot be reached"):
        site.verify("content/en/guide/refunds.md")


def test_a_profile_without_public_pages_says_so(site):
    config = site.folder / "kbsync.toml"
    config.write_text(config.read_text("utf-8").replace("[content]", 'profile = "documented"\n[content]'), "utf-8")
    with pytest.raises(ConfigError, match="does not say where the public pages are"):
        site.verify()


# --- a service that has only pages

PAGE = '<main><article id="cw-article-content" class="prose">\n  {}\n</article></main>'
STRONG = reply(PAGE.format("<p>A <strong>word</strong>.</p>"), kind="text/html")
VERSION = reply('{"version": "4.10.0"}')


def an_answer(content: str, slug: str = "refunds") -> bytes:
    return reply(json.dumps({"slug": slug, "title": "Refunds", "status": "published", "content": content}))


@contextmanager
def of_pages(folder: Path, *answers: bytes) -> Iterator[Server]:
    """A project of one article, of a service that gives these answers, one after the other."""
    with a_server(*answers) as server:
        config = f'[service]\nbase_url = "{server.base_url}"\n[pace]\nconcurrency = 1\n'
        tree = {"content/en/refunds.md": "---\ntitle: Refunds\nstatus: published\n---\nA **word**.\n"}
        write_files(folder, {"kbsync.toml": config, **tree})
        yield server


def from_pages(folder: Path, *answers: bytes) -> tuple[Checked, list[bytes]]:
    """What is found of that article, and what the service was asked."""
    with of_pages(folder, *answers) as server:
        return Opened.open(folder).verify().articles[0], server.requests


def test_of_an_older_service_the_page_is_compared_too(tmp_path):
    found, requests = from_pages(tmp_path, VERSION, an_answer("A **word**.\n"), STRONG)
    assert found.state == "same"
    assert len(requests) == 3


def test_a_page_that_shows_something_else_differs(tmp_path):
    page = reply(PAGE.format("<p>A <em>word</em>.</p>"), kind="text/html")
    found, _ = from_pages(tmp_path, VERSION, an_answer("A **word**.\n"), page)
    (problem,) = found.problems
    assert (problem.what, problem.line) == ("page", 1)
    assert (problem.theirs, problem.ours) == ("<p>A <em>word</em>.</p>", "<p>A <strong>word</strong>.</p>")


def test_no_request_has_a_token_in_it_whatever_the_environment_has(tmp_path):
    with of_pages(tmp_path, VERSION, an_answer("A **word**.\n"), STRONG) as server:
        done = Project(tmp_path).run("verify", KBSYNC_TOKEN="secret-token")
        assert done.code == 0, done.err
        raw = b"\n".join(server.requests).lower()
        assert len(server.requests) == 3
    assert not any(word in raw for word in (b"secret-token", b"api_access_token", b"authorization", b"cookie"))


def test_an_answer_about_another_article_is_not_believed(tmp_path):
    with pytest.raises(ServiceError, match="answered with `other`"):
        from_pages(tmp_path, VERSION, an_answer("A **word**.\n", slug="other"))


@pytest.mark.parametrize(
    ("page", "body"),
    [
        ('<article id="cw-article-content">\n  <p>a</p>\n</article><article>b</article>', "<p>a</p>"),
        ('<div id="cw-article-content" class="x"><div>a</div><p>b</p></div><div></div>', "<div>a</div><p>b</p>"),
        ('<div id="cw-article-content"><div>never closed</div>', None),
        ("<main>no body</main>", None),
    ],
)
def test_the_body_is_found_in_a_page_of_each_version(page, body):
    assert body_in(page) == body


# --- the command


def run(folder: Path, *arguments: str, columns: int = 100) -> Done:
    """Without a token."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("KBSYNC_TOKEN")}
    return run_here(("verify", *arguments), folder=folder, environ=environ | {"COLUMNS": str(columns)})


def test_the_command_needs_no_token_and_shows_what_differs(site):
    site.sandbox.panel.edit("refunds", content="First line.\n\nSecond, edited.\n")
    site.sandbox.panel.change_status(["links"], "draft")
    done = run(site.folder)
    assert done.code == 10, done.err
    base = site.sandbox.base_url
    assert (
        done.out.partition("1 article is as")[0]
        == f"""\
Readers see something else than your files say: 1
  en/guide/refunds.md
      {base}/hc/handbook/articles/refunds
      body, line 3 on the portal: Second, edited.
      body, line 3 in your file:  Second line.

Published in your files, but readers do not see it: 1
  en/guide/links.md
      {base}/hc/handbook/articles/links
      It is a draft on the portal.

"""
    )
    assert "1 article is as in your files, 1 differs, 1 is not published. " in done.out


def test_the_command_prints_json_and_markdown(site):
    site.sandbox.panel.edit("refunds", title="<b>Money</b> | back")
    report: dict[str, Any] = json.loads(run(site.folder, "--format", "json").out)
    assert (report["schema"], report["summary"]["same"], report["summary"]["differs"]) == ("kbsync.verify/1", 2, 1)
    (differs,) = [item for item in report["articles"] if item["result"] == "differs"]
    assert differs["problems"] == [
        {"what": "title", "message": "", "line": 0, "portal": "<b>Money</b> | back", "ours": "Refunds", "address": ""}
    ]
    markdown = run(site.folder, "--format", "markdown").out
    assert markdown.startswith("## kbsync verify: 2 articles are as in your files, 1 differs\n")
    assert "| `en/guide/refunds.md` | title | " in markdown
    assert "<b>" not in markdown


def test_files_with_errors_are_not_compared(site):
    site.write("refunds.md", "status: published", "status: nonsense")
    done = run(site.folder)
    assert done.code == 3
    assert "Nothing was compared. Fix the errors first." in done.err
