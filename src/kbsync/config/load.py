"""kbsync.toml and the environment become `Settings`; every error names file, line and key."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_origin, get_type_hints

import msgspec
from msgspec.structs import replace

from kbsync.config.checks import check_settings
from kbsync.config.places import Origin, shown_path
from kbsync.config.settings import Settings
from kbsync.config.toml import read_toml
from kbsync.errors import ConfigError
from kbsync.words import did_you_mean

CONFIG_NAME = "kbsync.toml"

TABLES = [name for name in Settings.__struct_fields__ if name not in {"path", "state"}]
HINTS = get_type_hints(Settings)
KINDS = {
    "int": "a whole number", "float": "a number", "bool": "true or false", "str": "text", "array": "a list",
    "object": "a table", "date": "a date", "datetime": "a date", "time": "a time",
}  # fmt: skip
"""How messages name the types of TOML."""


def find_config(start: Path) -> Path:
    """The nearest kbsync.toml, in this folder or above it.

    Raises:
        ConfigError: there is no kbsync.toml, or a folder may not be searched.
    """
    for path in (folder / CONFIG_NAME for folder in (start, *start.parents)):
        try:
            path.lstat()
        except FileNotFoundError:
            continue
        except OSError as exc:
            raise ConfigError(f"{path} cannot be read: {exc.strerror}.", hint="Check its permissions.") from exc
        return path  # Also a folder or a link to nowhere: whoever reads it gets an error that names it.
    raise ConfigError(
        f"There is no {CONFIG_NAME} in this folder or in a folder above it.",
        hint="Run `kbsync init` to write one, or name one with `--config FILE`.",
    )


def read_settings(path: Path, *, env: str = "", environ: Mapping[str, str] | None = None) -> Settings:
    """Read kbsync.toml, put the named environment's table and the KBSYNC_… variables on top, and check all of it.

    Args:
        path: the file.
        env: the name of an `[env.NAME]` table, or "".
        environ: variables; the process's own where left out.

    Raises:
        ConfigError: with file, line, key and what was expected.
    """
    shown = shown_path(path)
    try:
        text, raw = read_toml(path, shown)
    except FileNotFoundError as exc:
        hint = "Run `kbsync init` to write one."
        if path.is_symlink():
            hint = f"{path.name} is a link to it. Correct or delete the link."
        raise ConfigError(f"{shown}: There is no such file.", hint=hint) from exc
    variables = os.environ if environ is None else environ
    origin = Origin(shown, text, env, frozenset(variables))
    tables = _layer_environment(raw, env, origin)
    built = {name: _build_table(name, table, origin) for name, table in tables.items()}
    settings = _apply_variables(Settings(path=path, **built), variables)
    check_settings(settings, origin)
    return replace(settings, service=replace(settings.service, base_url=settings.service.base_url.rstrip("/")))


def _layer_environment(raw: dict[str, Any], env: str, origin: Origin) -> dict[str, Any]:
    environments = raw.pop("env", {})
    if not isinstance(environments, dict):
        raise ConfigError(f"{origin.of('env', '')}: Expected tables such as [env.staging.service].")
    for name in environments:
        _build_environment(name, environments[name], origin)
    for name, table in raw.items():
        _build_table(name, table, origin)
    if env and env not in environments:
        known = ", ".join(environments) or "none"
        raise ConfigError(
            f"{origin.path}: There is no environment `{env}` (declared: {known}).",
            hint=f"Add a table [env.{env}.service], or leave out `--env`.",
        )
    layer = environments[env] if env else {}
    return {name: {**raw.get(name, {}), **layer.get(name, {})} for name in {**raw, **layer}}


def _build_environment(name: str, tables: Any, origin: Origin) -> None:
    """Check an environment even if it is not in use: a typo in it should show now."""
    if not isinstance(tables, dict):
        raise ConfigError(f"{origin.of('env', name)}: Expected tables such as [env.{name}.service].")
    for table, content in tables.items():
        _build_table(table, content, origin, prefix=f"env.{name}.")


def _build_table(name: str, table: Any, origin: Origin, *, prefix: str = "") -> Any:
    full = prefix + name
    if name not in TABLES:
        raise ConfigError(
            f"{origin.of(full, '')} is not a known table.",
            hint=did_you_mean(name, TABLES) or f"The tables are: {', '.join(TABLES)}, env.",
        )
    if not isinstance(table, dict):
        raise ConfigError(f"{origin.of(full, '')} must be a table.", hint=f"Write [{full}] and its keys below it.")
    if name == "authors":
        return {key: convert(value, int, partial(origin.of, full, key)) for key, value in table.items()}
    kind = HINTS[name]
    hints = get_type_hints(kind)
    values = {}
    for key, value in table.items():
        if key not in hints:
            hint = _unknown_key_hint(name, key, hints)
            raise ConfigError(f"{origin.of(full, key)} is not a known key.", hint=hint)
        values[key] = convert(value, hints[key], partial(origin.of, full, key), OWN_HINTS.get(key, ""))
    return kind(**values)


def _unknown_key_hint(table: str, key: str, known: Mapping[str, Any]) -> str:
    if table == "service" and "token" in key and key not in known:
        return (
            "The token does not belong in this file. Set KBSYNC_TOKEN, or use --token-file or [service] token_command."
        )
    return did_you_mean(key, known) or f"The keys of [{table}] are: {', '.join(known)}."


OWN_HINTS = {"max_removals": 'Write a share of what kbsync published, in quotes and with a percent sign: "10%".'}
"""For keys of which a number in quotes would be the next error."""


def convert(value: Any, kind: Any, where: Callable[[], str], hint: str = "") -> Any:
    """A value as its type. Where it was written is looked up only for an error: each look reads the whole file.

    `hint` is what to do about a wrong one, where its type does not say it.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as exc:
        hint = hint or _allowed_words(kind) or _quoted_hint(value, kind)
        raise ConfigError(f"{where()}: {_reason(exc, value)}", hint=hint) from exc


def _quoted_hint(value: Any, kind: Any) -> str:
    if kind is not str or type(value) not in {int, float}:
        return ""
    # What was written as 4.10 is the number 4.1.
    return "Put it in quotes." if isinstance(value, float) else f'Put it in quotes: "{value}".'


def _reason(exc: msgspec.ValidationError, found: object) -> str:
    """What msgspec says, in a writer's words: its own are about enums and Python's types."""
    if enum := re.match(r"Invalid enum value ('.*')", str(exc)):
        return f"The value {enum[1]} is not allowed."
    text = str(exc).replace(" - at `$", " at `")
    joint = ":" if ", got " in text else ", found"
    return f"{re.sub(r'`([^`]*)`', _in_words, text)}{joint} {found!r}."


def _in_words(kinds: re.Match[str]) -> str:
    """`int` or `str | array` as a message names it."""
    return " or ".join(KINDS.get(kind, kind) for kind in kinds[1].split(" | "))


def _allowed_words(kind: Any) -> str:
    words = getattr(kind, "__args__", None)
    if words and get_origin(kind) is dict:
        words = getattr(words[1], "__args__", None)
    return f"Use one of: {', '.join(words)}." if words and isinstance(words[0], str) else ""


def _apply_variables(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """KBSYNC_<TABLE>__<KEY> overrides a key; its text is read as the key's type asks."""
    for name, text in sorted(environ.items()):
        if not name.startswith("KBSYNC_") or "__" not in name:
            continue
        table, key = (part.lower() for part in name.removeprefix("KBSYNC_").split("__", 1))
        if table not in TABLES:
            raise ConfigError(f"{name}: There is no table `{table}`.", hint=did_you_mean(table, TABLES))
        if table == "authors":
            authors = {**settings.authors, key: _parse_variable(text, int, name)}
            settings = replace(settings, authors=authors)
            continue
        hints = get_type_hints(HINTS[table])
        if key not in hints:
            raise ConfigError(f"{name}: [{table}] has no key `{key}`.", hint=_unknown_key_hint(table, key, hints))
        changed = replace(getattr(settings, table), **{key: _parse_variable(text, hints[key], name)})
        settings = replace(settings, **{table: changed})
    return settings


def _parse_variable(text: str, kind: Any, name: str) -> Any:
    if kind == list[str]:
        return [part.strip() for part in text.split(",") if part.strip()]
    if get_origin(kind) is dict:
        pairs = (part.partition("=") for part in text.split(",") if part.strip())
        return convert({key.strip(): value.strip() for key, _, value in pairs}, kind, lambda: name)
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as exc:
        raise ConfigError(f"{name}: {_reason(exc, text)}", hint=_allowed_words(kind)) from exc
