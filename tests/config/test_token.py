"""Where the token comes from, and that it is shown to nobody."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kbsync.app.token import read_token
from kbsync.config import ServiceSettings, Settings
from kbsync.errors import ConfigError


def free() -> None:
    """Somebody agreed."""


def token(
    folder: Path,
    command: str | list[str] = "",
    *,
    file: Path | None = None,
    allow: Callable[[], None] = free,
    **environ: str,
) -> str:
    """The token of a project with this command, of this option and these variables."""
    settings = Settings(folder / "kbsync.toml", service=ServiceSettings(token_command=command))
    return read_token(settings, token_file=file, environ=environ, allow=allow)


def test_a_file_goes_before_the_variable_and_the_variable_before_the_command(tmp_path):
    file, command = tmp_path / "token", [sys.executable, "-c", "print('from-command')"]
    file.write_text("from-file\n")
    variable, named = {"KBSYNC_TOKEN": "from-variable"}, {"KBSYNC_TOKEN_FILE": str(file)}
    assert token(tmp_path, command, file=file, **variable) == "from-file"
    assert token(tmp_path, command, **variable) == "from-variable"
    assert token(tmp_path, command, **variable, **named) == "from-variable"
    assert token(tmp_path, command, **named) == "from-file"
    assert token(tmp_path, command) == "from-command"


def test_without_any_the_message_says_how_to_give_one(tmp_path):
    with pytest.raises(ConfigError) as caught:
        token(tmp_path)
    assert "KBSYNC_TOKEN" in caught.value.hint


@pytest.mark.parametrize("text", ["", "   \n", "two words", "zwei\nzeilen", "tökén"])
def test_what_cannot_be_a_header_is_refused_and_not_shown(tmp_path, text):
    (tmp_path / "token").write_text(text)
    with pytest.raises(ConfigError) as caught:
        token(tmp_path, file=tmp_path / "token")
    assert not text.strip() or text.strip() not in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    ("file", "message"),
    [("nowhere", "nowhere cannot be read"), ("/dev/zero", "cannot be read")],
    ids=["none", "endless"],
)
def test_a_token_file_that_is_not_there_or_has_no_end_is_refused(tmp_path, file, message):
    with pytest.raises(ConfigError, match=message):
        token(tmp_path, file=tmp_path / file)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program-here", "does not exist"),
        ([sys.executable, "-c", "raise SystemExit(3)"], "failed with exit code 3"),
        ("pass 'kbsync", "token_command: No closing quotation"),
        ("   ", "token_command is empty"),
        ([sys.executable, "-c", "print('two words')"], "expected one line"),
        ([sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff')"], "expected one line"),
        ([sys.executable, "-c", ""], "expected one line"),
        ([sys.executable, "-c", "while True: print('x' * 1000)"], "printed more than 4,096 bytes"),
        ("./folder", "cannot be run: Permission denied"),
        ("./plain", "cannot be run: Permission denied"),
    ],
)
def test_a_command_that_gives_no_token_is_an_error_and_not_a_crash(tmp_path, command, message):
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").write_text("not a program")
    with pytest.raises(ConfigError, match=message):
        token(tmp_path, command)


def test_a_command_runs_in_the_folder_of_kbsync_toml(tmp_path):
    (tmp_path / "token.txt").write_text("token-1\n")
    assert token(tmp_path, "cat token.txt") == "token-1"


def test_a_program_of_the_folder_is_not_meant_by_a_bare_name(tmp_path):
    trap = tmp_path / "tokens"
    trap.write_text("#!/bin/sh\necho trapped\n")
    trap.chmod(0o755)
    with pytest.raises(ConfigError, match="The program `tokens` does not exist"):
        token(tmp_path, "tokens", PATH=".")
    assert token(tmp_path, "./tokens", PATH=".") == "trapped"


def test_a_token_file_may_begin_with_a_bom(tmp_path):
    (tmp_path / "token.txt").write_text("\ufefftoken-1\r\n", encoding="utf-8")
    assert token(tmp_path, file=tmp_path / "token.txt") == "token-1"


def test_a_command_with_a_secret_in_it_is_not_shown_when_it_fails(tmp_path):
    with pytest.raises(ConfigError) as caught:
        token(tmp_path, "false --key secret")
    assert "secret" not in caught.value.message + caught.value.hint


def test_a_program_does_not_run_before_somebody_agreed(tmp_path):
    def refuse() -> None:
        raise ConfigError("not trusted")

    ran = tmp_path / "ran"
    with pytest.raises(ConfigError, match="not trusted"):
        token(tmp_path, ["touch", str(ran)], allow=refuse)
    assert not ran.exists()
    assert token(tmp_path, "false", allow=refuse, KBSYNC_TOKEN="t") == "t"


@pytest.mark.parametrize(
    ("text", "message"), [("", "expected one line"), ("zwei\nzeilen", "expected one line"), (None, "cannot be read")]
)
def test_the_file_of_the_variable_follows_the_rules_of_the_option(tmp_path, text, message):
    path = tmp_path / "token"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ConfigError, match=message) as caught:
        token(tmp_path, KBSYNC_TOKEN_FILE=str(path))
    assert caught.value.message.startswith(f"KBSYNC_TOKEN_FILE={path}")


def test_an_empty_variable_names_no_file(tmp_path):
    with pytest.raises(ConfigError, match="There is no token"):
        token(tmp_path, KBSYNC_TOKEN_FILE="")


def test_a_token_beside_the_file_counts_and_the_file_is_not_opened(tmp_path):
    assert token(tmp_path, KBSYNC_TOKEN="t", KBSYNC_TOKEN_FILE=str(tmp_path / "nowhere")) == "t"
