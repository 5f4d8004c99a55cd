"""kbsync.toml: what may stand there. What may not, test_complaints.py tells."""

from __future__ import annotations

import pytest

from kbsync.config import find_config, read_settings
from kbsync.errors import ConfigError

from .reading import complaint, read

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
    (tmp_path / "kbsync.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        read_settings(tmp_path / "kbsync.toml", environ={})


def test_the_nearest_file_upwards_is_found(tmp_path):
    (tmp_path / "kbsync.toml").write_text("")
    deep = tmp_path / "content" / "en"
    deep.mkdir(parents=True)
    assert find_config(deep) == tmp_path / "kbsync.toml"
