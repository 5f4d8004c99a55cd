"""kbsync.toml: what may stand there, and that every complaint names file, line, key and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbsync.config import Settings, find_config, read_settings
from kbsync.errors import ConfigError


def read(folder: Path, text: str, *, env: str = "", **environ: str) -> Settings:
    path = folder / "kbsync.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(path, env=env, environ=environ)


def complaint(folder: Path, text: str, *, env: str = "", **environ: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(folder, text, env=env, **environ)
    assert "kbsync.toml" in caught.value.message or environ or env
    return caught.value


EVERYTHING = """
[service]
base_url = "https://support.example.com/"
account_id = 3
portal = "docs"
profile = "documented"
timeout_s = 5
token_command = ["pass", "kbsync"]
[content]
root = "help"
default_locale = "fr"
locales = ["fr", "en"]
[push]
publish = true
live = "hold"
removed = "archive"
max_removals = "2.5%"
[authors]
default = 1
ana = 12
[pace]
requests_per_minute = 30
concurrency = 2
uploads_per_hour = 5
[ledger]
url = "sqlite:elsewhere.db"
[lint]
ignore = ["KB301"]
"""


def test_every_key_of_the_design_is_read(tmp_path):
    settings = read(tmp_path, EVERYTHING)
    assert (settings.service.account_id, settings.service.portal, settings.service.timeout_s) == (3, "docs", 5.0)
    assert settings.service.base_url == "https://support.example.com"
    assert settings.content_root == tmp_path / "help" and settings.content.locales == ["fr", "en"]
    assert (settings.push.live, settings.push.removed, settings.push.max_fraction) == ("hold", "archive", 0.025)
    assert settings.authors == {"default": 1, "ana": 12}
    assert (settings.pace.concurrency, settings.ledger.url, settings.lint.ignore) == (
        2,
        "sqlite:elsewhere.db",
        ["KB301"],
    )


def test_an_empty_file_is_the_embedded_sandbox_with_all_defaults(tmp_path):
    settings = read(tmp_path, "")
    assert settings.is_sandbox and settings.service.portal == "handbook" and settings.push.max_fraction == 0.1


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ('[service]\nportl = "x"', "kbsync.toml:2: `[service] portl`", "Did you mean `portal`?"),
        ("[servce]", "kbsync.toml:1: `[servce]`", "Did you mean `service`?"),
        ('[service]\naccount_id = "1"', "kbsync.toml:2: `[service] account_id`: Expected a whole number, got text", ""),
        ('[push]\n\nlive = "never"', "kbsync.toml:3: `[push] live`", "Use one of: update, stage, hold"),
        ("[push]\npublish = 1", "kbsync.toml:2: `[push] publish`", ""),
        ('[push]\nmax_removals = "ten"', "kbsync.toml:2: `[push] max_removals`", ""),
        ('[push]\nmax_removals = "200%"', "kbsync.toml:2: `[push] max_removals`", ""),
        ("[pace]\nconcurrency = 0", "kbsync.toml:2: `[pace] concurrency`: Expected 1 to 64", ""),
        ("[pace]\nrequests_per_minute = -1", "kbsync.toml:2: `[pace] requests_per_minute`", ""),
        ("[service]\ntimeout_s = 0", "kbsync.toml:2: `[service] timeout_s`", ""),
        ('[service]\ntoken = "abc"', "kbsync.toml:2: `[service] token`", "KBSYNC_TOKEN"),
        ('[content]\ndefault_locale = "de"\nlocales = ["en"]', "kbsync.toml:2: `[content] default_locale`", "en"),
        ('[authors]\nana = "x"', "kbsync.toml:2: `[authors] ana`", ""),
        ('[ledger]\nref = "refs/heads/main"', "kbsync.toml:2: `[ledger] ref`", "refs/kbsync/handbook"),
        ('[ledger]\nref = "refs/tags/v1"', "kbsync.toml:2: `[ledger] ref`", "refs/kbsync/handbook"),
        ('[ledger]\nref = "main"', "kbsync.toml:2: `[ledger] ref`", "refs/kbsync/handbook"),
        ("[service\n", "kbsync.toml:1:9", "toml.io"),
        ('service = "x"', "kbsync.toml", "[service]"),
        ('[env.staging.servce]\nportal = "x"', "kbsync.toml:1: `[env.staging.servce]`", "Did you mean `service`?"),
    ],
)
def test_a_wrong_key_or_value_names_file_line_key_and_what_was_expected(tmp_path, text, where, hint):
    error = complaint(tmp_path, text)
    assert where in error.message and hint in error.hint


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("support.example.com", "Expected an address such as https://"),
        ("ftp://support.example.com", "Expected an address such as https://"),
        ("http://support.example.com", "Plain http would send the token unencrypted"),
        ("https://ana:secret@support.example.com", "no user name, password"),
        ("https://support.example.com/?a=1", "no user name, password, query"),
        ("https://support.example.com/app/accounts/3/portals", "is the address of a page, not of the service"),
    ],
)
def test_an_address_that_should_not_be_used_is_refused(tmp_path, address, message):
    error = complaint(tmp_path, f'[service]\nbase_url = "{address}"')
    assert "kbsync.toml:2" in error.message and message in error.message
    assert "secret" not in error.message + error.hint


@pytest.mark.parametrize(
    ("address", "service"),
    [
        ("https://app.example.com/app/accounts/3/dashboard", "https://app.example.com"),
        ("https://app.example.com/app/login", "https://app.example.com"),
        ("https://x.example:8443/help/hc/handbook/en/", "https://x.example:8443/help"),
    ],
)
def test_the_address_of_a_page_is_answered_with_that_of_the_service(tmp_path, address, service):
    assert complaint(tmp_path, f'[service]\nbase_url = "{address}"').hint == f"Write {service}."
    assert read(tmp_path, f'[service]\nbase_url = "{service}"').service.base_url == service


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:3000", "http://localhost", "http://[::1]:3000", "https://x.example"]
)
def test_plain_http_is_for_loopback(tmp_path, address):
    assert read(tmp_path, f'[service]\nbase_url = "{address}"').service.base_url == address


def test_plain_http_goes_further_where_the_operator_says_so(tmp_path):
    assert read(tmp_path, '[service]\nbase_url = "http://10.0.0.1"\nallow_http = true').service.allow_http


def test_an_environment_lies_on_top_and_only_when_it_is_named(tmp_path):
    text = '[service]\nportal = "docs"\naccount_id = 3\n[env.staging.service]\nportal = "try"\n'
    text += "[env.staging.push]\npublish = true"
    assert read(tmp_path, text).service.portal == "docs"
    staging = read(tmp_path, text, env="staging")
    assert (staging.service.portal, staging.service.account_id, staging.push.publish) == ("try", 3, True)
    assert "declared: staging" in complaint(tmp_path, text, env="production").message


def test_variables_override_every_kind_of_key(tmp_path):
    settings = read(
        tmp_path, '[service]\nportal = "docs"', KBSYNC_SERVICE__PORTAL="try", KBSYNC_SERVICE__ACCOUNT_ID="7",
        KBSYNC_PUSH__PUBLISH="true", KBSYNC_CONTENT__LOCALES="en, fr", KBSYNC_AUTHORS__ANA="12", KBSYNC_TOKEN="t",
    )  # fmt: skip
    assert (settings.service.portal, settings.service.account_id, settings.push.publish) == ("try", 7, True)
    assert settings.content.locales == ["en", "fr"] and settings.authors == {"ana": 12}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("KBSYNC_SERVICE__PORTL", "x", "KBSYNC_SERVICE__PORTL: [service] has no key `portl`"),
        ("KBSYNC_SERVCE__PORTAL", "x", "KBSYNC_SERVCE__PORTAL: There is no table `servce`"),
        ("KBSYNC_SERVICE__ACCOUNT_ID", "many", "KBSYNC_SERVICE__ACCOUNT_ID: "),
        ("KBSYNC_PUSH__LIVE", "never", "KBSYNC_PUSH__LIVE: "),
        ("KBSYNC_LEDGER__REF", "refs/heads/main", "KBSYNC_LEDGER__REF: Expected a name that begins with refs/kbsync/"),
    ],
)
def test_a_wrong_variable_is_named(tmp_path, name, text, message):
    assert message in complaint(tmp_path, "", **{name: text}).message


def test_a_bom_dotted_and_quoted_keys_and_comments_do_not_confuse_the_lines(tmp_path):
    text = '\ufeff# [push]\n[service]  # here\n"portal" = "docs"\n\n  accountid = 3\n'
    assert "kbsync.toml:5: `[service] accountid`" in complaint(tmp_path, text).message


def test_a_missing_or_unreadable_file_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="There is no such file"):
        read_settings(tmp_path / "kbsync.toml", environ={})
    (tmp_path / "kbsync.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        read_settings(tmp_path / "kbsync.toml", environ={})


def test_the_nearest_file_upwards_is_found(tmp_path):
    (tmp_path / "kbsync.toml").write_text("")
    deep = tmp_path / "content" / "en"
    deep.mkdir(parents=True)
    assert find_config(deep) == tmp_path / "kbsync.toml"
