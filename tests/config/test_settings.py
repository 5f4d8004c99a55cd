"""kbsync.toml: what may stand there, and complaints: each names the file and line, environment or variable to change."""

from pathlib import Path

import pytest

from kbsync.config import Settings, find_config, read_settings
from kbsync.errors import ConfigError


def read(folder: Path, text: str | bytes, *, env: str = "", **environ: str) -> Settings:
    path = folder / "kbsync.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_settings(path, env=env, environ=environ)


def complaint(folder: Path, text: str | bytes, *, env: str = "", **environ: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read(folder, text, env=env, **environ)
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
    assert (settings.pace.concurrency, settings.ledger.url) == (2, "sqlite:elsewhere.db")
    assert settings.lint.ignore == ["KB301"]


def test_an_empty_file_is_the_embedded_sandbox_with_all_defaults(tmp_path):
    settings = read(tmp_path, "")
    assert settings.is_sandbox and settings.service.portal == "handbook" and settings.push.max_fraction == 0.1


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


def test_plain_http_goes_further_where_the_operator_says_so(tmp_path):
    assert read(tmp_path, '[service]\nbase_url = "http://10.0.0.1"\nallow_http = true').service.allow_http


def test_a_missing_or_unreadable_file_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="There is no such file"):
        read_settings(tmp_path / "kbsync.toml", environ={})
    (tmp_path / "kbsync.toml").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        read_settings(tmp_path / "kbsync.toml", environ={})
    assert "is not UTF-8" in complaint(tmp_path / "kbsync.toml", b"\xff\xfe").message


def test_the_nearest_file_upwards_is_found(tmp_path):
    (tmp_path / "kbsync.toml").write_text("")
    deep = tmp_path / "content" / "en"
    deep.mkdir(parents=True)
    assert find_config(deep) == tmp_path / "kbsync.toml"


# --- complaints ------------------------------------------------------------------------------------------------------

LINES = [
    ("[service]\nportl = 'x'", "2: `[service] portl`"),
    ("# [service]\n\n[service] # here\n\n  portl='x'", "5: `[service] portl`"),
    ("[ service ]\nportl = 'x'", "2: `[service] portl`"),
    ('["service"]\n"portl" = "x"', "2: `[service] portl`"),
    ("['service']\n'portl' = 'x'", "2: `[service] portl`"),
    ("\nservice.portl = 'x'", "2: `[service] portl`"),
    ("\nservice . 'portl' = 'x'", "2: `[service] portl`"),
    ("\nservice = {portl = 'x'}", "2: `[service] portl`"),
    ("[content]\nroot = '''\n[service]\nportl = 1\n'''\n[service]\nportl = 'x'", "7: `[service] portl`"),
    ("[push]\n[service]\r\n\r\nportl = 'x'\r\n", "4: `[service] portl`"),
    ("[authors]\nportal = 1\n[service]\nportal = 2", "4: `[service] portal`"),
    ("[service]\nportal = 'x'\n[authors]\n\nana = 'x'", "5: `[authors] ana`"),
    ('[authors]\n"ana maria" = "x"', "2: `[authors] ana maria`"),
    ("\n[servce]", "2: `[servce]`"),
    ("\nservce.portal = 'x'", "2: `[servce]`"),
    ("\nservice = 3", "2: `[service]` must be a table"),
    ("\n\n[[service]]\nportal = 'x'", "3: `[service]` must be a table"),
    ("\nenv = 3", "2: `[env]`"),
    ("[env]\n\nstaging = 3", "3: `[env] staging`"),
    ("[env.staging.service]\n\nportl = 'x'", "3: `[env.staging.service] portl`"),
    ("env.staging.service.portl = 'x'", "1: `[env.staging.service] portl`"),
    ("[env.staging]\npush.live = 'x'", "2: `[env.staging.push] live`"),
    ("[service]\nportal = 'x'\n[env.staging.authors]\nana = 'x'", "4: `[env.staging.authors] ana`"),
    ("\ufeff\n[service]\nportl = 1", "3: `[service] portl`"),
]


@pytest.mark.parametrize(("text", "place"), LINES)
def test_the_line_is_found_however_the_key_is_written(tmp_path, text, place):
    assert f"kbsync.toml:{place}" in complaint(tmp_path, text).message


TYPES = [
    ("service", "account_id", '"1"', "Expected a whole number, got text: '1'."),
    ("service", "account_id", "true", "Expected a whole number, got true or false: True."),
    ("service", "base_url", "1", "Expected text, got a whole number"),
    ("service", "portal", "[]", "Expected text, got a list"),
    ("service", "portal", '""', "slug is missing"),
    ("service", "timeout_s", '"30"', "Expected a number, got text"),
    *(
        ("service", "version", f'"{wrong}"', f"Expected a version such as \"4.16\", found '{wrong}'")
        for wrong in ("newest", "4", "v4.16", "4.16 ", "4.16.2.1", "4.x", "4.99999")
    ),
    ("service", "version", "4.10", "Expected text, got a number"),
    ("service", "timeout_s", "0", "more than 0 and at most 3600"),
    ("service", "timeout_s", "nan", "more than 0 and at most 3600"),
    ("service", "timeout_s", "inf", "more than 0 and at most 3600"),
    ("service", "token_command", "1", "Expected text or a list, got a whole number"),
    ("service", "allow_http", '"yes"', "Expected true or false, got text"),
    ("content", "locales", '"en"', "Expected a list, got text"),
    ("content", "locales", '["en", 1]', "Expected text, got a whole number at [1]"),
    ("push", "publish", "1", "Expected true or false, got a whole number"),
    ("push", "live", '"never"', "The value 'never' is not allowed."),
    ("push", "removed", '"keep"', "The value 'keep' is not allowed."),
    ("push", "max_removals", "10", "Expected text, got a whole number"),
    ("push", "max_removals", '"10"', 'Expected a share such as "10%"'),
    ("push", "max_removals", '"-1%"', 'Expected a share such as "10%"'),
    ("push", "max_removals", '"101%"', 'Expected a share such as "10%"'),
    ("push", "max_removals", '"100.1%"', 'Expected a share such as "10%"'),
    ("push", "max_removals", '"1e1%"', 'Expected a share such as "10%"'),
    ("push", "max_removals", '" 10 %"', 'Expected a share such as "10%"'),
    ("push", "timezone", '"Europe/Nowhere"', "'Europe/Nowhere' is not a time zone that this computer knows"),
    ("push", "timezone", '"Europe"', "is not a time zone that this computer knows"),
    ("push", "timezone", '"../../etc/passwd"', "is not a time zone that this computer knows"),
    ("push", "timezone", '"/etc/passwd"', "is not a time zone that this computer knows"),
    ("authors", "ana", '"12"', "Expected a whole number, got text"),
    ("pace", "concurrency", "0", "Expected 1 to 64, found 0"),
    ("pace", "concurrency", "65", "Expected 1 to 64, found 65"),
    ("pace", "requests_per_minute", "-1", "1 or more"),
    ("pace", "uploads_per_hour", "-1", "1 or more"),
    ("pace", "requests_per_minute", "1.5", "Expected a whole number, got a number"),
    ("ledger", "url", "1979-05-27", "Expected text, got a date"),
    ("lint", "ignore", '"KB301"', "Expected a list, got text"),
]


@pytest.mark.parametrize(("table", "key", "value", "message"), TYPES)
def test_a_value_of_the_wrong_kind_names_the_key_and_what_was_expected(tmp_path, table, key, value, message):
    error = complaint(tmp_path, f"\n[{table}]\n{key} = {value}\n")
    assert f"kbsync.toml:3: `[{table}] {key}`" in error.message and message in error.message


@pytest.mark.parametrize(("value", "fraction"), [("0%", 0.0), ("10%", 0.1), ("2.5%", 0.025), ("100%", 1.0)])
def test_a_share_of_removals_is_percent(tmp_path, value, fraction):
    assert read(tmp_path, f'[push]\nmax_removals = "{value}"').push.max_fraction == pytest.approx(fraction)


TABLES = "The tables are: service, content, push, authors, pace, ledger, lint, assets, preview, env"
NO_TOKEN = "The token does not belong in this file. Set KBSYNC_TOKEN"


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ("[service]\nportl = 1", "2: `[service] portl`", "Did you mean `portal`?"),
        ("[service]\nzzz = 1", "2: `[service] zzz`", "The keys of [service] are: base_url, account_id, portal"),
        ("[servic]", "1: `[servic]`", "Did you mean `service`?"),
        ("[zzz]", "1: `[zzz]`", TABLES),
        ("[push]\nlive = 'x'", "2: `[push] live`", "Use one of: update, stage, hold"),
        ("[push]\nremoved = 'x'", "2: `[push] removed`", "Use one of: report, archive, delete"),
        ("[service]\ntoken = 'abc'", "2: `[service] token`", NO_TOKEN),
        ("[service]\napi_token = 'abc'", "2: `[service] api_token`", NO_TOKEN),
        ("service = 3", "1: `[service]`", "Write [service] and its keys below it."),
        ('[content]\ndefault_locale = "de"\nlocales = ["en"]', "2: `[content] default_locale`", "en"),
        ('[ledger]\nref = "refs/heads/main"', "2: `[ledger] ref`", "refs/kbsync/handbook"),
        ('[ledger]\nref = "refs/tags/v1"', "2: `[ledger] ref`", "refs/kbsync/handbook"),
        ('[ledger]\nref = "main"', "2: `[ledger] ref`", "refs/kbsync/handbook"),
        ("[service\n", "1:9", "toml.io"),
        ('[env.staging.servce]\nportal = "x"', "1: `[env.staging.servce]`", "Did you mean `service`?"),
    ],
)
def test_a_complaint_comes_with_its_place_and_one_thing_to_do(tmp_path, text, where, hint):
    error = complaint(tmp_path, text)
    assert f"kbsync.toml:{where}" in error.message
    assert hint in error.hint and "abc" not in error.message + error.hint


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[service\n", "kbsync.toml:1:9: Not valid TOML"),
        ("[service]\nportal = x\n", "kbsync.toml:2:10: Not valid TOML"),
        ('[service]\n\nportal = "x', "kbsync.toml:3: Not valid TOML: Unterminated string"),
        ("[content]\nlocales = [1,\n", "kbsync.toml:2: Not valid TOML"),
        ("[service]\nportal = 'a'\nportal = 'b'\n[push]\n", "kbsync.toml:3:13: Not valid TOML"),
        ("[service]\n[service]\n", "kbsync.toml:2:9: Not valid TOML"),
        ("[service]\naccount_id = " + "9" * 5000, "kbsync.toml:2: Not valid TOML"),
        ("[service]\nportal = " + "[" * 5_000, "kbsync.toml:2: Not valid TOML: nested too deeply"),
        ('[service]\nportal = "a"\n"\\u001b[2J" = 1', "kbsync.toml:3: The line has a control character (U+001B)"),
        ('[content]\nlocales = ["en", "\\u202efr"]', "kbsync.toml:2: The line has a control character (U+202E)"),
        ("[service]\nportal = '\x9b31m'", "kbsync.toml:2: The line has a control character (U+009B)"),
        ("[service]\n" + "a." * 50_000 + "a = 1", "kbsync.toml:1: The file has more than 100,000 bytes"),
        ("[service]\n" + "a." * 10_000 + "a = 1", "kbsync.toml:2: The line has more than 200 dots"),
        (b"[service]\nportal = '\xff'", "kbsync.toml:2:11: The byte 0xff is not UTF-8"),
        ("[service]\nportal = 'a'".encode("utf-16"), "kbsync.toml:1:1: The byte 0xff is not UTF-8"),
    ],
)
def test_broken_toml_is_told_with_its_line(tmp_path, text, place):
    error = complaint(tmp_path, text)
    assert place in error.message and error.hint


# --- environments and variables --------------------------------------------------------------------------------------

TWO = """
[service]
base_url = "https://a.example"
account_id = 3
[push]
max_removals = "10%"
[env.staging.service]
base_url = "https://b.example"
[env.staging.lint]
ignore = ["KB301"]
"""


def test_an_environment_adds_keys_and_whole_tables(tmp_path):
    staging = read(tmp_path, TWO, env="staging")
    assert (staging.service.base_url, staging.service.account_id) == ("https://b.example", 3)
    assert (staging.lint.ignore, staging.push.max_fraction) == (["KB301"], 0.1)
    assert read(tmp_path, TWO).lint.ignore == []


def test_a_value_that_cannot_be_meant_is_told_where_it_was_said_last(tmp_path):
    text = TWO.replace("https://b.example", "http://b.example")
    assert read(tmp_path, text).service.base_url == "https://a.example"
    assert "kbsync.toml:8: `[env.staging.service] base_url`" in complaint(tmp_path, text, env="staging").message
    assert "kbsync.toml:3: `[service] base_url`" in complaint(tmp_path, TWO.replace("https://a", "ftp://a")).message
    error = complaint(tmp_path, text, env="staging", KBSYNC_SERVICE__BASE_URL="http://c.example")
    assert error.message.startswith("KBSYNC_SERVICE__BASE_URL: Plain http")
    error = complaint(tmp_path, text.replace("http:", "https:"), env="staging", KBSYNC_PUSH__MAX_REMOVALS="half")
    assert error.message.startswith("KBSYNC_PUSH__MAX_REMOVALS: Expected a share")


def test_a_mistake_that_the_environment_covers_up_is_told_all_the_same(tmp_path):
    text = "service = 3\n[env.staging.service]\nportal = 'x'"
    assert "kbsync.toml:1: `[service]` must be a table" in complaint(tmp_path, text, env="staging").message
    text = "[service]\naccount_id = 'x'\n[env.staging.service]\naccount_id = 1"
    assert "kbsync.toml:2: `[service] account_id`" in complaint(tmp_path, text, env="staging").message


def test_an_unknown_environment_is_told_with_those_that_are_declared(tmp_path):
    error = complaint(tmp_path, TWO, env="production")
    assert "declared: staging" in error.message and "[env.production.service]" in error.hint
    assert "declared: none" in complaint(tmp_path, "", env="production").message


VARIABLES = [
    ("KBSYNC_SERVICE__PORTAL", "try", lambda found: found.service.portal == "try"),
    ("KBSYNC_SERVICE__ACCOUNT_ID", "7", lambda found: found.service.account_id == 7),
    ("KBSYNC_SERVICE__TIMEOUT_S", "5", lambda found: found.service.timeout_s == 5.0),
    ("KBSYNC_SERVICE__ALLOW_HTTP", "false", lambda found: found.service.allow_http is False),
    ("KBSYNC_SERVICE__TOKEN_COMMAND", "pass kbsync", lambda found: found.service.token_command == "pass kbsync"),
    ("KBSYNC_SERVICE__BASE_URL", "https://c.example/", lambda found: found.service.base_url == "https://c.example"),
    ("KBSYNC_CONTENT__LOCALES", " en , fr,", lambda found: found.content.locales == ["en", "fr"]),
    ("KBSYNC_CONTENT__LOCALES", "", lambda found: found.content.locales == []),
    ("KBSYNC_PUSH__PUBLISH", "1", lambda found: found.push.publish is True),
    ("KBSYNC_PUSH__PUBLISH", "true", lambda found: found.push.publish is True),
    ("KBSYNC_PUSH__LIVE", "hold", lambda found: found.push.live == "hold"),
    ("KBSYNC_AUTHORS__ANA", "7", lambda found: found.authors == {"ana": 7}),
    ("KBSYNC_LINT__IGNORE", "KB301,KB302", lambda found: found.lint.ignore == ["KB301", "KB302"]),
    ("KBSYNC_TOKEN", "secret", lambda found: found.service.portal == "docs"),
    ("OTHER_SERVICE__PORTAL", "x", lambda found: found.service.portal == "docs"),
]


@pytest.mark.parametrize(("name", "text", "holds"), VARIABLES)
def test_a_variable_is_read_as_its_key_asks(tmp_path, name, text, holds):
    assert holds(read(tmp_path, '[service]\nportal = "docs"', **{name: text}))


@pytest.mark.parametrize(
    ("name", "text", "message", "hint"),
    [
        ("KBSYNC_SERVICE__PORTL", "x", "[service] has no key `portl`", "Did you mean `portal`?"),
        ("KBSYNC_SERVCE__PORTAL", "x", "There is no table `servce`", "Did you mean `service`?"),
        ("KBSYNC_ENV__STAGING", "x", "There is no table `env`", ""),
        ("KBSYNC_SERVICE__ACCOUNT_ID", "", "Expected a whole number, got text: ''.", ""),
        ("KBSYNC_PUSH__PUBLISH", "maybe", "Expected true or false, got text: 'maybe'.", ""),
        ("KBSYNC_PUSH__LIVE", "never", "The value 'never' is not allowed.", "Use one of: update, stage, hold"),
        ("KBSYNC_AUTHORS__ANA", "x", "Expected a whole number, got text: 'x'.", ""),
        ("KBSYNC_PACE__CONCURRENCY", "0", "Expected 1 to 64, found 0", ""),
        ("KBSYNC_LEDGER__REF", "refs/heads/main", "Expected a name that begins with refs/kbsync/", ""),
        ("KBSYNC_SERVICE__TOKEN", "secret", "[service] has no key `token`", "KBSYNC_TOKEN"),
    ],
)
def test_a_wrong_variable_is_named_with_what_was_expected(tmp_path, name, text, message, hint):
    error = complaint(tmp_path, "", **{name: text})
    assert error.message.startswith(f"{name}: ") and message in error.message and hint in error.hint
    assert "secret" not in error.message + error.hint


# --- addresses -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("support.example.com", "Expected an address such as https://"),
        ("", "Expected an address"),
        ("https://", "Expected an address"),
        ("https://[::1", "Expected an address"),
        ("https://x.example:99999", "Expected an address"),
        ("https://x.example:port", "Expected an address"),
        ("https://x y.example", "Expected an address"),
        (" https://x.example", "Expected an address"),
        ("https://x.example\\t", "Expected an address"),
        ("https://x.example\\\\y", "Expected an address"),
        ("ftp://x.example", "Expected an address"),
        ("file:///etc/passwd", "Expected an address"),
        ("http://x.example", "Plain http would send the token unencrypted to x.example"),
        ("http://localhost.x.example", "Plain http"),
        ("http://127.0.0.1.x.example", "Plain http"),
        ("http://0.0.0.0", "Plain http"),
        ("https://ana:secret@x.example", "no user name, password"),
        ("https://ana:secret@", "no user name, password"),
        ("ftp://ana:secret@x.example", "no user name, password"),
        ("http://localhost@x.example", "no user name, password"),
        ("https://x.example?token=secret", "no user name, password, query"),
        ("https://x.example/?", "no user name, password, query"),
        ("https://x.example/#secret", "no user name, password, query or fragment"),
        ("https://support.example.com/app/accounts/3/portals", "is the address of a page, not of the service"),
    ],
)
def test_an_address_that_cannot_or_should_not_be_used_is_refused_without_repeating_a_password(
    tmp_path, address, message
):
    error = complaint(tmp_path, f'[service]\nbase_url = "{address}"')
    assert "kbsync.toml:2: `[service] base_url`" in error.message and message in error.message and error.hint
    assert "secret" not in error.message + error.hint


@pytest.mark.parametrize(
    ("address", "used"),
    [
        ("https://support.example.com", "https://support.example.com"),
        ("https://support.example.com///", "https://support.example.com"),
        ("https://support.example.com/chat/", "https://support.example.com/chat"),
        ("https://10.0.0.1:8443", "https://10.0.0.1:8443"),
        ("HTTP://LOCALHOST:3000", "HTTP://LOCALHOST:3000"),
        ("http://127.0.0.1:3000/", "http://127.0.0.1:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("http://localhost", "http://localhost"),
        ("sandbox", "sandbox"),
    ],
)
def test_an_address_loses_the_slashes_at_its_end_and_nothing_else(tmp_path, address, used):
    assert read(tmp_path, f'[service]\nbase_url = "{address}"').service.base_url == used


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)//{path}", "JavaScript:alert(1)", "file://{path}", "https://example.com/?{path}", "data:text/html,",
     "{path}", " vscode://file/{path}", "ms-msdt:/id", "search-ms:query=x"],
)  # fmt: skip
def test_a_link_to_the_editor_begins_as_those_of_editors_do(tmp_path, address):
    error = complaint(tmp_path, f'[preview]\neditor = "{address}"')
    assert "kbsync.toml:2: `[preview] editor`" in error.message
    assert "vscode:" in error.hint


@pytest.mark.parametrize(
    "address", ["", "vscode://file/{path}:{line}", "idea://open?file={path}", "subl://open?url=file://{path}"]
)
def test_editors_that_are_known_are_taken(tmp_path, address):
    assert read(tmp_path, f'[preview]\neditor = "{address}"').preview.editor == address


def test_no_locales_at_all_go_with_any_default(tmp_path):
    assert read(tmp_path, '[content]\ndefault_locale = "de"').content.locales == []


def test_the_hint_about_a_share_without_a_percent_sign_leads_to_no_second_error(tmp_path):
    hint = complaint(tmp_path, "[push]\nmax_removals = 5").hint
    assert '"5"' not in hint and 'with a percent sign: "10%"' in hint
