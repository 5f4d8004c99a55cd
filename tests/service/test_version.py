"""The version of the service: who tells it, when it is asked for, and what kbsync does where nobody tells."""

import pytest

from kbsync.errors import NotFound
from kbsync.sandbox import V4_10, V4_16, Fault
from kbsync.service.declaration import Facts
from kbsync.service.snapshot import Snapshot

from .world import a_sandbox, a_server, a_service, create, create_category, observe, reply, update

NOBODY_TELLS = {
    "no such page": reply("{}", "404 Not Found"),
    "a page of a proxy": reply("<html>Sign in</html>", kind="text/html"), "a list": reply('["4.16.2"]'),
    "another key": reply('{"release": "4.16.2"}'), "a number": reply('{"version": 4.16}'),
    "a word": reply('{"version": "newest"}'), "a line more": reply('{"version": "4.16.2\\nnot asked for"}'),
    "nothing": reply(""), "redirected": reply("", "302 Found"),
}  # fmt: skip


def asked_for(sandbox) -> int:
    """How often the version was asked for."""
    return sum(request.path == "/api" for request in sandbox.requests)


@pytest.mark.parametrize(("behaviour", "facts"), [(V4_10, Facts()), (V4_16, Facts(True, True, True, True))])
def test_a_first_listing_asks_for_the_version_and_facts_follow_from_it(tmp_path, behaviour, facts):
    with a_sandbox(tmp_path, behaviour=behaviour) as sandbox, a_service(sandbox.base_url) as service:
        observe(service)
        assert (service.endpoint.version, service.profile.facts) == (behaviour.version, facts)
        assert service.profile.can("bulk_status") == facts.stages_edits
        assert asked_for(sandbox) == 1


@pytest.mark.parametrize("answer", NOBODY_TELLS.values(), ids=NOBODY_TELLS.keys())
def test_where_nobody_tells_the_service_is_taken_for_the_newest(answer):
    with a_server(answer) as server, a_service(server.base_url) as service:
        assert service.endpoint.fetch_version() == ""
        service.endpoint.use_version("")
        assert service.profile.facts.stages_edits


def test_a_service_that_does_not_tell_is_asked_once(sandbox, service):
    sandbox.faults.add(Fault("status", path="^/api$", status=404, times=None))
    assert [service.endpoint.fetch_version(), service.endpoint.fetch_version()] == ["", ""]
    observe(service)
    assert asked_for(sandbox) == 1


def test_a_listing_of_what_nobody_changed_does_not_ask_again_and_one_of_what_moved_does(tmp_path):
    known = Snapshot()
    with a_sandbox(tmp_path) as sandbox:
        with a_service(sandbox.base_url) as service:
            made = create(service)
            observe(service, known)
            known.version = service.endpoint.version
        with a_service(sandbox.base_url) as service:
            observe(service, known)
            assert (asked_for(sandbox), service.endpoint.version) == (1, V4_16.version)
        with a_service(sandbox.base_url) as service:
            update(service, made, title="Another")
            observe(service, known)
            assert asked_for(sandbox) == 2


def test_the_last_version_counts_while_the_service_does_not_tell(sandbox, service):
    known = Snapshot(version="4.10.0")
    sandbox.faults.add(Fault("status", path="^/api$", status=404))
    create(service)
    observe(service, known)
    assert (service.endpoint.version, service.profile.facts) == ("4.10.0", Facts())


def test_a_version_that_was_set_is_not_asked_for(sandbox, service):
    service.endpoint.use_version("4.10")
    observe(service)
    assert (service.endpoint.version, service.profile.facts.stages_edits, asked_for(sandbox)) == ("4.10", False, 0)


def test_surprise_118_in_a_version_that_reserves_no_slug_an_article_of_it_is_found(tmp_path):
    with a_sandbox(tmp_path, behaviour=V4_10) as sandbox, a_service(sandbox.base_url) as service:
        made = create(service, slug="search")
        assert not service.can_find("search")
        observe(service)
        assert service.can_find("search")
        found = service.find_article("search", locale="en")
        assert found is not None and found.remote_id == made.remote_id


def test_surprise_132_a_category_below_an_unknown_portal_names_the_portal_and_what_to_do(tmp_path):
    with (
        a_sandbox(tmp_path) as sandbox,
        a_service(sandbox.base_url, portal="hand") as service,
        pytest.raises(NotFound) as caught,
    ):
        create_category(service, "billing")
    assert "Account 1 seems to have no portal `hand`." in caught.value.message
    assert "`kbsync check` names the portals" in caught.value.hint
