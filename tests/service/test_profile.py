"""Profiles: declared, never guessed; a user's own may extend one, and what is wrong in it is told."""

from pathlib import Path

import pytest

from kbsync.errors import ConfigError
from kbsync.fields import ARTICLE_FIELDS, CATEGORY_FIELDS, SideEffects
from kbsync.markdown.versions import NEWEST, V4_10, V4_16, V4_17, Version
from kbsync.model import Status
from kbsync.service.declaration import FACTS, OPERATIONS, Facts
from kbsync.service.profile import Limits, read_profile


@pytest.fixture
def own(tmp_path):
    """Reads a profile from the TOML of a test."""

    def read(text, name="own.toml"):
        (tmp_path / name).write_text(text, "utf-8")
        return read_profile(name, folder=tmp_path)

    return read


def test_the_documented_profile_has_what_the_document_has_and_nothing_else():
    profile = read_profile("documented", folder=Path())
    assert set(profile.operations) == {"check", "list_portals", "create_category", "create_article"}
    assert not profile.can_list
    assert profile.status == {Status.DRAFT: 0}
    assert not profile.keeps("article", "tags")
    assert profile.limits == Limits()
    assert profile.facts == Facts()
    assert profile.at(V4_10) == profile


def test_the_chatwoot_profile_has_every_operation_field_and_status():
    profile = read_profile("chatwoot", folder=Path())
    assert set(profile.operations) == set(OPERATIONS)
    assert profile.can_list
    assert all(profile.keeps("article", name) for name in ARTICLE_FIELDS)
    assert all(profile.keeps("category", name) for name in CATEGORY_FIELDS)
    assert profile.limits == Limits(255, 255, 20_000, 20_000, ("search", "articles", "categories"))
    assert [profile.number_of(status) for status in Status] == [0, 1, 2]


def test_a_profile_of_ones_own_names_what_differs_and_keeps_the_rest(own):
    profile = own(
        'extends = "chatwoot"\nname = "ours"\n[operations]\ndelete_article = ""\nshow_article = "GET /a/{id}"\n'
        '[pace]\nrequests_per_minute = 60\n[status]\narchived = 9\n[fields]\ncategory = ["name", "slug"]\n'
    )
    assert (profile.name, profile.requests_per_minute, profile.uploads_per_hour) == ("ours", 60, 60)
    assert not profile.can("delete_article")
    assert profile.operations["show_article"].path == "/a/{id}"
    assert profile.can("update_article")
    assert profile.status_of(9) is Status.ARCHIVED
    assert not profile.keeps("category", "icon")


def test_what_a_save_changes_besides_is_declared_once_and_may_be_taken_away(own):
    assert read_profile("chatwoot", folder=Path()).side_effects == SideEffects(("category",), "category")
    plain = own('extends = "chatwoot"\n[side_effects]\nrenumbers_on = []\nlocale_follows = ""\n').side_effects
    assert (plain.overwrites({"category"}), plain.settles_place()) == ((), {"locale"})


@pytest.mark.parametrize("wrong", ['renumbers_on = ["categories"]', 'locale_follows = "folder"', "renumbers_on = 3"])
def test_a_side_effect_names_a_field_of_articles(own, wrong):
    with pytest.raises(ConfigError, match="side_effects"):
        own(f'extends = "chatwoot"\n[side_effects]\n{wrong}\n')


def test_a_profile_may_extend_another_of_ones_own(own):
    own('extends = "chatwoot"\n[pace]\nrequests_per_minute = 5\n', "base.toml")
    profile = own('extends = "base.toml"\n')
    assert (profile.requests_per_minute, profile.can_list) == (5, True)


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ('[operations]\nlist_article = "GET /a"\n', "Unknown key in [operations]: `list_article`", "`list_articles`"),
        ("[pase]\n", "Unknown key: `pase`", "`pace`"),
        ('extend = "chatwoot"\n', "Unknown key: `extend`", "`extends`"),
        ("[pace]\nrequest_per_minute = 5\n", "Unknown key in [pace]: `request_per_minute`", "`requests_per_minute`"),
        ("[limits]\ntitle = 5\n", "Unknown key in [limits]: `title`", "title_chars"),
        ("[status]\npublish = 1\n", "Unknown key in [status]: `publish`", "`published`"),
        ('[fields]\narticle = ["titel"]\n', "Unknown field in [fields] article: `titel`", "`title`"),
        ("[fields]\narticle = [1]\n", "Unknown field in [fields] article: `1`", "title"),
        ('[fields]\narticle = "title"\n', "[fields] article: expected a list of fields", "extends"),
        ('operations = "none"\n', "operations: expected a table", "extends"),
        ("[operations]\nupload = 5\n", "[operations] upload: expected METHOD /path", "extends"),
        ('[operations]\nupload = "GET"\n', "[operations] upload: expected METHOD /path", "extends"),
        ('[operations]\nupload = "get /x"\n', "expected METHOD /path", "extends"),
        ('[operations]\nupload = "POST https://elsewhere/x"\n', "expected METHOD /path", "extends"),
        ('[operations]\nupload = "POST /{account}"\n', "{account_id}", "extends"),
        ('[operations]\nupload = "POST /{}"\n', "{account_id}", "extends"),
        ('[operations]\nupload = "POST /{"\n', "{account_id}", "extends"),
        ('[operations]\nupload = "POST /{id.real}"\n', "{account_id}", "extends"),
        ('[operations]\nupload = "POST /{id!r}"\n', "{account_id}", "extends"),
        ('[public]\narticle_url = "/{id}"\n', "[public] article_url: expected a path with only {portal}", "extends"),
        ("[public]\narticle_url = 1\n", "[public] article_url: expected a path", "extends"),
        ('[status]\ndraft = "0"\n', "[status] draft: expected a whole number, 0 or more", "extends"),
        ("[status]\ndraft = true\n", "[status] draft: expected a whole number, 0 or more", "extends"),
        ("[pace]\nrequests_per_minute = 0\n", "expected a whole number, 1 or more, found 0", "extends"),
        ("[limits]\ntitle_chars = -1\n", "expected a whole number, 0 or more, found -1", "extends"),
        ("name = 5\n", "name: expected a name, found 5", "extends"),
        ("[token]\nheaders = []\n", "[token] headers: expected a list of headers", "extends"),
        ('[token]\nheaders = ["X-Token: secret"]\n', "[token] headers: expected a list of headers", "extends"),
        ('[token]\nheaders = ["X: {token}\\r\\nY: a"]\n', "[token] headers: expected a list of headers", "extends"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_the_file_the_key_and_what_was_expected(own, text, message, hint):
    with pytest.raises(ConfigError) as caught:
        own(text if text.startswith(("name", "extend", "op")) else 'extends = "chatwoot"\n' + text)
    assert caught.value.message.startswith("Profile `own.toml`: ")
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize("value", ["5", "[1]", '""', "{}"])
def test_extends_is_the_name_of_a_profile(own, value):
    with pytest.raises(ConfigError, match="extends: expected a name"):
        own(f"extends = {value}\n")


def test_what_is_missing_is_told_with_the_way_to_have_it(own):
    with pytest.raises(ConfigError) as caught:
        own('[operations]\ncheck = "GET /x"\n')
    assert "[fields] article is missing" in caught.value.message
    assert "extends" in caught.value.hint
    with pytest.raises(ConfigError, match=r"\[status\] draft is missing"):
        own(
            "[fields]\narticle = []\ncategory = []\n[pace]\nrequests_per_minute = 1\nuploads_per_hour = 1\n"
            '[public]\narticle_url = "/"\ncategory_url = "/"\n'
        )


def test_a_profile_that_extends_itself_is_told_with_the_whole_way(own, tmp_path):
    (tmp_path / "b.toml").write_text('extends = "own.toml"\n', "utf-8")
    with pytest.raises(ConfigError, match=r"own\.toml -> b\.toml -> own\.toml"):
        own('extends = "b.toml"\n')


def test_a_profile_that_is_not_there_or_no_toml_is_told(own, tmp_path):
    with pytest.raises(ConfigError, match="Profile `chatwood` does not exist") as caught:
        read_profile("chatwood", folder=tmp_path)
    assert "chatwoot, documented" in caught.value.hint
    with pytest.raises(ConfigError, match=r"own\.toml"):
        own("not toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff")
    (tmp_path / "folder").mkdir()
    for name in ("bytes.toml", "folder"):
        with pytest.raises(ConfigError, match=name):
            read_profile(name, folder=tmp_path)


# --- versions


def test_what_came_with_a_version_is_there_from_that_version_on():
    newest = read_profile("chatwoot", folder=Path())
    assert newest.facts == Facts(**dict.fromkeys(FACTS, True))
    assert newest.at(V4_17) == newest.at(NEWEST) == newest
    assert newest.at(V4_16).lacks == {"analytics": V4_17} and newest.at(Version(5, 2)).lacks == {}
    old = newest.at(V4_10)
    added = {"reorder_categories", "bulk_status", "bulk_category", "bulk_delete"}
    assert set(newest.operations) - set(old.operations) == added
    assert not old.can("bulk_status")
    assert old.facts == Facts()
    assert old.limits == Limits(255, 255, 20_000, 20_000)


def test_a_version_between_two_known_ones_has_what_came_before_it():
    between = read_profile("chatwoot", folder=Path()).at(Version(4, 14))
    assert between.facts == Facts(public_markdown=True)
    assert not between.can("bulk_status")
    assert not between.limits.reserved_slugs


def test_a_profile_of_an_older_version_still_knows_the_newer_ones():
    newest = read_profile("chatwoot", folder=Path())
    assert newest.at(Version(3, 0)) == newest.at(V4_10)
    assert newest.at(V4_10).at(V4_17) == newest


def test_a_profile_of_ones_own_says_since_when_and_may_take_a_fact_away(own):
    profile = own('extends = "chatwoot"\n[since]\nstages_edits = ""\nupload = "4.15"\nslug_chars = "4.12"\n')
    assert not profile.facts.stages_edits
    assert profile.facts.empty_drafts
    assert (profile.at(Version(4, 14)).can("upload"), profile.at(Version(4, 15)).can("upload")) == (False, True)
    assert [profile.at(version).limits.slug_chars for version in (V4_10, V4_16)] == [0, 255]
