"""kbsync.toml and the environment become `Settings`: immutable, checked, every complaint with file, line and key.

Source of the keys and their defaults: docs/architecture.md, kbsync.toml.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_origin, get_type_hints
from urllib.parse import SplitResult, urlsplit

import msgspec

from kbsync.errors import ConfigError
from kbsync.files import real_path
from kbsync.toml import read_toml

CONFIG_NAME = "kbsync.toml"
SANDBOX = "sandbox"
"""The `base_url` that means: the embedded service."""

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """Which portal, and how it is spoken to."""

    base_url: str = SANDBOX
    account_id: int = 1
    portal: str = "handbook"
    profile: str = "chatwoot"
    timeout_s: float = 30.0
    token_command: str | list[str] = ""
    allow_http: bool = False


@dataclass(frozen=True, slots=True)
class ContentSettings:
    """Where the content tree is. No `locales` means: as many as the tree has folders."""

    root: str = "content"
    default_locale: str = "en"
    locales: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class PushSettings:
    """How far a push may go."""

    publish: bool = False
    live: Literal["update", "hold"] = "update"
    removed: Literal["report", "archive", "delete"] = "report"
    max_removals: str = "10%"

    @property
    def max_fraction(self) -> float:
        """The share of the managed articles that one plan may remove, 0.0 to 1.0."""
        return float(self.max_removals.rstrip("%")) / 100


@dataclass(frozen=True, slots=True)
class PaceSettings:
    """How fast. Zero means: the profile's own number."""

    requests_per_minute: int = 0
    concurrency: int = 4
    uploads_per_hour: int = 0


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """Where kbsync's own record is kept."""

    url: str = "sqlite:.kbsync/ledger.db"

    @property
    def place(self) -> str:
        """The address as it may be shown: without a user's password, wherever in it that stands."""
        if self.url.startswith("sqlite:"):
            return self.url
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"


Verdict = Literal["error", "warning", "off"]


@dataclass(frozen=True, slots=True)
class AssetsSettings:
    """The pictures of articles. `base_url` is where they are published otherwise; "" means: upload them.

    `max_kb` is a file's size in units of 1,000 bytes, `max_pixels` its longer side.
    """

    base_url: str = ""
    max_kb: int = 5_000
    max_pixels: int = 8_000
    allow_svg: bool = False

    @property
    def max_bytes(self) -> int:
        """The largest file, in bytes."""
        return self.max_kb * 1_000


@dataclass(frozen=True, slots=True)
class LintSettings:
    """Which findings are nobody's business here, and which weigh more than elsewhere: codes, or beginnings of codes.

    `external_private` lets `lint --external` ask machines of this network, too.
    """

    ignore: list[str] = field(default_factory=list)
    levels: dict[str, Verdict] = field(default_factory=dict)
    external_private: bool = False


EDITORS = (
    *(
        "vscode",
        "vscode-insiders",
        "vscodium",
        "cursor",
        "windsurf",
        "positron",
        "zed",
        "subl",
        "txmt",
        "mvim",
        "emacs",
    ),
    *("org-protocol", "nvim", "idea", "jetbrains", "pycharm", "phpstorm", "webstorm", "goland", "rubymine", "clion"),
    *(
        "rider",
        "fleet",
        "atom",
        "pulsar",
        "nova",
        "bbedit",
        "x-bbedit",
        "kate",
        "lapce",
        "editor",
        "obsidian",
        "typora",
    ),
)
"""How addresses begin that editors open."""


@dataclass(frozen=True, slots=True)
class PreviewSettings:
    """What opens a source from the preview: an address with {path}, {line} and {column} in it, "" for nothing."""

    editor: str = "vscode://file/{path}:{line}:{column}"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything kbsync.toml says, with the environment's words on top.

    `path` is the file read; the content root and the ledger are relative to its folder. `state` is another
    place for what kbsync keeps than `.kbsync` beside it.
    """

    path: Path
    service: ServiceSettings = field(default_factory=ServiceSettings)
    content: ContentSettings = field(default_factory=ContentSettings)
    push: PushSettings = field(default_factory=PushSettings)
    authors: Mapping[str, int] = field(default_factory=dict)
    pace: PaceSettings = field(default_factory=PaceSettings)
    ledger: LedgerSettings = field(default_factory=LedgerSettings)
    lint: LintSettings = field(default_factory=LintSettings)
    assets: AssetsSettings = field(default_factory=AssetsSettings)
    preview: PreviewSettings = field(default_factory=PreviewSettings)
    state: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder that kbsync.toml lies in."""
        return self.path.parent

    @property
    def content_root(self) -> Path:
        """The folder of the content tree."""
        return self.folder / self.content.root

    @property
    def state_folder(self) -> Path:
        """Where kbsync keeps what is its own: ledger, caches, the sandbox's data."""
        return self.state or self.folder / ".kbsync"

    @property
    def is_sandbox(self) -> bool:
        """Whether the portal is the embedded one."""
        return self.service.base_url == SANDBOX


TABLES = {spec.name: spec for spec in fields(Settings) if spec.name not in {"path", "state"}}
HINTS = get_type_hints(Settings)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was written, for the complaint about it: the file, its `[env.NAME]` in use, the variables."""

    path: str
    text: str
    env: str = ""
    variables: frozenset[str] = frozenset()

    def of(self, table: str, key: str) -> str:
        """`file:line: [table] key`; the table's own line, or 1, where the key is not written."""
        line = find_line(self.text, table, key) or find_line(self.text, table, "") or 1
        return f"{self.path}:{line}: `[{table}] {key}`" if key else f"{self.path}:{line}: `[{table}]`"

    def in_force(self, table: str, key: str) -> str:
        """Where the value came from that counts in the end: a variable, the environment's table, or the table."""
        variable = f"KBSYNC_{table}__{key}".upper()
        if variable in self.variables:
            return variable
        layer = f"env.{self.env}.{table}"
        return self.of(layer if self.env and find_line(self.text, layer, key) else table, key)


def written_at(path: Path, env: str, table: str, key: str) -> str:
    """Where a value came from that was read and turned out wrong later: `file:line: [table] key`, or a variable."""
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    return Origin(_shown(path), text, env, frozenset(os.environ)).in_force(table, key)


def find_line(text: str, table: str, key: str) -> int:
    """The line (from 1) on which a table, or a key of it, begins: under its header, dotted or inline; 0 for nowhere."""
    wanted = [*table.split("."), *([key] if key else [])]
    header: list[str] = []
    inline, lines = 0, re.sub(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'', _blanked, text).split("\n")
    for number, line in enumerate(lines, start=1):
        if found := re.match(r"\s*\[+([^\[\]=]+)\]", line):
            header = path = _names(found[1])
        elif "=" in line and not line.lstrip().startswith("#"):
            path = header + _names(line.partition("=")[0])
        else:
            continue
        if path[: len(wanted)] == wanted:
            return number
        if len(path) < len(wanted) and path == wanted[: len(path)] and "{" in line:
            inline = number
    return inline


def _names(dotted: str) -> list[str]:
    return [part.strip().strip("\"'") for part in dotted.split(".")]


def _blanked(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def find_config(start: Path) -> Path:
    """The nearest kbsync.toml, in this folder or above it.

    Raises:
        ConfigError: there is none.
    """
    for folder in (start, *start.parents):
        if (folder / CONFIG_NAME).is_file():
            return folder / CONFIG_NAME
    raise ConfigError(
        f"no {CONFIG_NAME} here or in any folder above",
        hint="run `kbsync init` to write one, or name it with `--config FILE`",
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
    shown = _shown(path)
    try:
        text, raw = read_toml(path, shown)
    except FileNotFoundError as exc:
        raise ConfigError(f"{shown}: there is no such file", hint="run `kbsync init` to write one") from exc
    variables = os.environ if environ is None else environ
    origin = Origin(shown, text, env, frozenset(variables))
    tables = _layer_environment(raw, env, origin)
    built = {name: _build_table(name, table, origin) for name, table in tables.items()}
    settings = _apply_variables(Settings(path=path, **built), variables)
    check_settings(settings, origin)
    return replace(settings, service=replace(settings.service, base_url=settings.service.base_url.rstrip("/")))


def _shown(path: Path) -> str:
    """The path as a message shows it: from where the user stands, if it lies below."""
    try:
        return real_path(path).relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.as_posix()


def _layer_environment(raw: dict[str, Any], env: str, origin: Origin) -> dict[str, Any]:
    environments = raw.pop("env", {})
    if not isinstance(environments, dict):
        raise ConfigError(f"{origin.of('env', '')}: expected tables such as [env.staging.service]")
    for name in environments:
        _build_environment(name, environments[name], origin)
    for name, table in raw.items():
        _build_table(name, table, origin)
    if env and env not in environments:
        known = ", ".join(environments) or "none"
        raise ConfigError(
            f"{origin.path}: there is no environment `{env}` (declared: {known})",
            hint=f"add a table [env.{env}.service], or leave `--env` out",
        )
    layer = environments[env] if env else {}
    return {name: {**raw.get(name, {}), **layer.get(name, {})} for name in {**raw, **layer}}


def _build_environment(name: str, tables: Any, origin: Origin) -> None:
    """Check an environment that may not be the one in use: a typo in it should not wait for its day."""
    if not isinstance(tables, dict):
        raise ConfigError(f"{origin.of('env', name)}: expected tables such as [env.{name}.service]")
    for table, content in tables.items():
        _build_table(table, content, origin, prefix=f"env.{name}.")


def _build_table(name: str, table: Any, origin: Origin, *, prefix: str = "") -> Any:
    full = prefix + name
    if name not in TABLES:
        raise ConfigError(
            f"{origin.of(full, '')} is not a table that kbsync knows",
            hint=did_you_mean(name, TABLES) or f"the tables are: {', '.join(TABLES)}, env",
        )
    if not isinstance(table, dict):
        raise ConfigError(f"{origin.of(full, '')} must be a table", hint=f"write [{full}] and its keys below")
    if name == "authors":
        return {key: _convert(value, int, origin.of(full, key)) for key, value in table.items()}
    kind = HINTS[name]
    hints = get_type_hints(kind)
    values = {}
    for key, value in table.items():
        where = origin.of(full, key)
        if key not in hints:
            raise ConfigError(f"{where} is not a key that kbsync knows", hint=_unknown_key_hint(name, key, hints))
        values[key] = _convert(value, hints[key], where)
    return kind(**values)


def _unknown_key_hint(table: str, key: str, known: Mapping[str, Any]) -> str:
    if table == "service" and "token" in key and key not in known:
        return "a token never stands in the file: set KBSYNC_TOKEN, use --token-file, or [service] token_command"
    return did_you_mean(key, known) or f"the keys of [{table}] are: {', '.join(known)}"


def did_you_mean(word: str, known: Mapping[str, Any]) -> str:
    """`did you mean ...?` for the nearest known word, or ""."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""


def _convert(value: Any, kind: Any, where: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as exc:
        reason = str(exc).replace("`", "").replace(" - at $", " at ")
        raise ConfigError(
            f"{where}: {reason[0].lower()}{reason[1:]}, found {value!r}", hint=_allowed_words(kind)
        ) from exc


def _allowed_words(kind: Any) -> str:
    words = getattr(kind, "__args__", None)
    if words and get_origin(kind) is dict:
        words = getattr(words[1], "__args__", None)
    return f"use one of: {', '.join(words)}" if words and isinstance(words[0], str) else ""


def _apply_variables(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """KBSYNC_<TABLE>__<KEY> overrides a key; its text is read as the key's type asks."""
    for name, text in sorted(environ.items()):
        if not name.startswith("KBSYNC_") or "__" not in name:
            continue
        table, key = (part.lower() for part in name.removeprefix("KBSYNC_").split("__", 1))
        if table not in TABLES:
            raise ConfigError(f"{name}: there is no table `{table}`", hint=did_you_mean(table, TABLES))
        if table == "authors":
            authors = {**settings.authors, key: _parse_variable(text, int, name)}
            settings = replace(settings, authors=authors)
            continue
        hints = get_type_hints(HINTS[table])
        if key not in hints:
            raise ConfigError(f"{name}: [{table}] has no key `{key}`", hint=_unknown_key_hint(table, key, hints))
        changed = replace(getattr(settings, table), **{key: _parse_variable(text, hints[key], name)})
        settings = replace(settings, **{table: changed})
    return settings


def _parse_variable(text: str, kind: Any, name: str) -> Any:
    if kind == list[str]:
        return [part.strip() for part in text.split(",") if part.strip()]
    if get_origin(kind) is dict:
        pairs = (part.partition("=") for part in text.split(",") if part.strip())
        return _convert({key.strip(): value.strip() for key, _, value in pairs}, kind, name)
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError as exc:
        reason = str(exc).replace("`", "")
        raise ConfigError(
            f"{name}: {reason[0].lower()}{reason[1:]}, found {text!r}", hint=_allowed_words(kind)
        ) from exc


def check_settings(settings: Settings, origin: Origin) -> None:
    """Refuse values of the right type that cannot be meant.

    Raises:
        ConfigError: with file, line and key.
    """
    check_base_url(settings.service, origin)
    check_editor(settings.preview.editor, origin)
    if not re.fullmatch(r"\d{1,3}(\.\d+)?%", settings.push.max_removals) or settings.push.max_fraction > 1:
        raise ConfigError(f'{origin.in_force("push", "max_removals")}: expected a share such as "10%"')
    if not 1 <= settings.pace.concurrency <= 64:
        raise ConfigError(
            f"{origin.in_force('pace', 'concurrency')}: expected 1 to 64, found {settings.pace.concurrency}"
        )
    for key in ("requests_per_minute", "uploads_per_hour"):
        if getattr(settings.pace, key) < 0:
            raise ConfigError(f"{origin.in_force('pace', key)}: expected a number of 1 or more")
    for key in ("max_kb", "max_pixels"):
        if getattr(settings.assets, key) < 1:
            raise ConfigError(f"{origin.in_force('assets', key)}: expected a number of 1 or more")
    if settings.assets.base_url and _split_address(settings.assets.base_url) is None:
        raise ConfigError(
            f"{origin.in_force('assets', 'base_url')}: expected an address such as https://cdn.example.com/help, "
            f"found {settings.assets.base_url!r}"
        )
    if not 0 < settings.service.timeout_s <= 3600:
        raise ConfigError(f"{origin.in_force('service', 'timeout_s')}: expected seconds, more than 0 and at most 3600")
    if not settings.service.portal:
        raise ConfigError(f"{origin.in_force('service', 'portal')}: the portal's slug is missing")
    content = settings.content
    if content.locales and content.default_locale not in content.locales:
        raise ConfigError(
            f"{origin.in_force('content', 'default_locale')}: `{content.default_locale}` is not among the locales",
            hint=f"add it to `locales`, or use one of: {', '.join(content.locales)}",
        )


def check_editor(address: str, origin: Origin) -> None:
    """A link of the preview opens an editor and nothing else: `javascript:` and `file:` do more.

    Raises:
        ConfigError: the address begins otherwise.
    """
    if address and address.partition(":")[0] not in EDITORS:
        raise ConfigError(
            f"{origin.in_force('preview', 'editor')}: {address!r} does not begin like the address of an editor",
            hint=f'begin with one of: {", ".join(f"{name}:" for name in EDITORS)}; or write "" for no links',
        )


def check_base_url(service: ServiceSettings, origin: Origin) -> None:
    """Plain http goes to loopback only, unless `allow_http` says that it may go further.

    Raises:
        ConfigError: the address cannot or should not be used.
    """
    if service.base_url == SANDBOX:
        return
    where = origin.in_force("service", "base_url")
    # First of all, so that no later message repeats a password.
    if set(service.base_url) & set("@?#"):
        raise ConfigError(
            f"{where}: no user name, password, query or fragment belongs there",
            hint="write the address alone, such as https://support.example.com",
        )
    parts = _split_address(service.base_url)
    if parts is None:
        raise ConfigError(
            f"{where}: expected an address such as https://support.example.com, found {service.base_url!r}",
            hint='or base_url = "sandbox" for the embedded service',
        )
    if parts.scheme == "http" and parts.hostname not in LOOPBACK and not service.allow_http:
        raise ConfigError(
            f"{where}: plain http would send the token in the clear to {parts.hostname}",
            hint="use https, or set `allow_http = true` in [service] if you must",
        )


def _split_address(address: str) -> SplitResult | None:
    """The parts of an http or https address with a host, or None."""
    if not re.fullmatch(r"[!-~]+", address) or "\\" in address:
        return None
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port beyond 65535, half a bracket
        return None
    return parts if usable else None
