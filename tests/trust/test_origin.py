"""A token belongs to the service that it was first used with."""

import stat
from pathlib import Path

import pytest

from kbsync.errors import ConfigError
from kbsync.trust.consents import Store, data_folder
from kbsync.trust.origin import check_token, origin_of

OURS, THEIRS, LOCAL = "https://support.example.com", "https://evil.example", "http://127.0.0.1:8420"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "data" / "kbsync", {})


def use(store: Store, address: str, *, token: str = "token-1", pinned: str | None = None) -> list[str]:
    """What is noted when a token is used; it raises where the token is refused."""
    notes: list[str] = []
    command = f"kbsync trust --origin {address}"
    check_token(token, "token", address, pinned=pinned, store=store, note=notes.append, command=command)
    return notes


@pytest.mark.parametrize(
    ("address", "origin"),
    [
        ("https://Support.Example.com:443/a/b", "https://support.example.com"),
        ("https://support.example.com.", "https://support.example.com"),
        ("https://support.example.com:8443", "https://support.example.com:8443"),
        ("http://support.example.com:443", "http://support.example.com:443"),
        ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1:8001/", "http://127.0.0.1:8001"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:80", "http://[::1]"),
        ("http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example"),
        ("http://localhost.evil.example", "http://localhost.evil.example"),
    ],
)
def test_an_origin_is_scheme_host_and_port(address, origin):
    assert origin_of(address) == origin


def test_the_first_use_is_remembered_and_the_same_token_goes_nowhere_else(store):
    assert use(store, OURS) == []
    assert use(store, OURS + "/some/path") == []
    with pytest.raises(ConfigError) as caught:
        use(store, THEIRS)
    assert caught.value.message == (
        "This token belongs to https://support.example.com, but kbsync.toml would send it to https://evil.example. "
        "Nothing was sent."
    )
    assert caught.value.hint == (
        "Fix base_url if it is wrong. "
        "If this is the token of https://evil.example, run `kbsync trust --origin https://evil.example`."
    )
    assert use(store, THEIRS, token="token-2") == []


def test_a_service_of_this_machine_is_remembered_with_its_port(store):
    assert use(store, LOCAL) == use(store, LOCAL + "/path") == []
    for other in ("http://127.0.0.1:8002", "http://localhost:8420", "https://127.0.0.1:8420", OURS):
        with pytest.raises(ConfigError, match=f"This token belongs to {LOCAL}, but .* {other}. Nothing was sent"):
            use(store, other)


@pytest.mark.parametrize(
    ("pinned", "allowed", "refused"),
    [
        ("http://127.0.0.1:8001", "http://127.0.0.1:8001/", "http://127.0.0.1:8002"),
        ("http://127.0.0.1", "http://127.0.0.1:80", "http://127.0.0.1:8001"),
        ("https://localhost", "https://localhost:443", "http://localhost"),
    ],
)
def test_a_pinned_address_of_this_machine_is_one_port_of_it(store, pinned, allowed, refused):
    assert use(store, allowed, pinned=pinned) == []
    with pytest.raises(ConfigError, match="KBSYNC_TOKEN_ORIGIN"):
        use(store, refused, pinned=pinned)


def test_a_pinned_origin_is_the_last_word_and_nothing_is_remembered(store):
    assert use(store, OURS, pinned=OURS + "/") == []
    assert not store.folder.exists()
    with pytest.raises(ConfigError, match="KBSYNC_TOKEN_ORIGIN"):
        use(store, THEIRS, pinned=OURS)
    with pytest.raises(ConfigError, match="expected an address"):
        use(store, OURS, pinned="support.example.com")


def test_where_nothing_can_be_remembered_it_is_said_and_the_pin_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    [note] = use(Store(tmp_path / "file" / "kbsync", {}), OURS)
    assert "cannot remember" in note and "KBSYNC_TOKEN_ORIGIN=https://support.example.com" in note
    assert use(Store(None, {}), OURS, pinned=OURS) == []


def test_a_memory_that_cannot_be_read_is_not_taken_for_an_empty_one(store):
    use(store, OURS)
    [file] = (store.folder / "tokens").iterdir()
    file.write_text("{")
    with pytest.raises(ConfigError, match="cannot be read"):
        use(store, THEIRS)
    assert use(store, OURS, pinned=OURS) == []


def test_the_folder_is_its_owners_alone_and_has_no_token_in_it(store):
    use(store, OURS, token="sekrit-token")
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700
    files = [path for path in store.folder.rglob("*") if path.is_file()]
    assert files and not any("sekrit" in path.name or b"sekrit" in path.read_bytes() for path in files)


def test_a_folder_that_others_can_write_to_is_not_believed(store):
    use(store, OURS)
    store.folder.chmod(0o777)
    with pytest.raises(ConfigError, match="Other users can write to"):
        use(store, OURS)


def test_a_data_folder_inside_the_repository_says_nothing(tmp_path):
    environ = {"XDG_DATA_HOME": str(tmp_path / "repo" / "data")}
    assert Store.beside(tmp_path / "repo", environ).folder is None
    assert Store.beside(tmp_path / "other", environ).folder == tmp_path / "repo" / "data" / "kbsync"


def test_the_data_folder_is_the_users_and_never_relative():
    assert data_folder({"XDG_DATA_HOME": "/x"}) == Path("/x/kbsync")
    assert data_folder({"XDG_DATA_HOME": "data"}) == data_folder({}) == Path.home() / ".local/share/kbsync"


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_pin_that_nobody_filled_in_is_refused_with_what_to_do(store, blank: str):
    with pytest.raises(ConfigError, match="KBSYNC_TOKEN_ORIGIN is set but empty") as caught:
        use(store, OURS, pinned=blank)
    assert "If https://support.example.com is your service, set it to that." in caught.value.hint
    assert "Variables" in caught.value.hint
