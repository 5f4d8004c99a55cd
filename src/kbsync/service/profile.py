"""Profiles: a declaration of what a service can do, as data. Declared, never guessed.

Also: the header that the token goes into. It has several forms, and which of them arrives is found out once.

nginx, unless it is told otherwise, and some other proxies drop headers whose names have underscores. The service takes
the name with hyphens for the same header (docs/service.md, section 1).
"""

from __future__ import annotations

import threading
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from kbsync.config.toml import read_toml
from kbsync.errors import ConfigError
from kbsync.fields import SideEffects
from kbsync.markdown.versions import NEWEST, Version
from kbsync.model import Kind, Status
from kbsync.service.declaration import FACTS, LIMITS, TABLES, Facts, check_declaration

UNAUTHORIZED = 401

TOKEN_HEADERS = ("api_access_token: {token}",)
"""Of a profile that extends no other one and does not say. Source: docs/service.md, section 11."""

BEARER = "Authorization: Bearer {token}"
"""Tried last, and only where a 401 asks for it. Source: docs/service.md, S161."""


class TokenHeader(msgspec.Struct, eq=False):
    """Which form is sent, for all threads of one transport. No request has two of them.

    Args:
        forms: such as `api_access_token: {token}`, in the order in which they are tried.
    """

    forms: tuple[str, ...] = TOKEN_HEADERS
    _place: int = 0
    _is_settled: bool = False
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    @property
    def form(self) -> str:
        """The form to send."""
        return self.forms[self._place]

    @property
    def dropped(self) -> tuple[str, ...]:
        """The names of headers that did not arrive, where another one did."""
        return tuple(form.partition(":")[0] for form in self.forms[: self._place]) if self._is_settled else ()

    def is_another(self, sent: str, status: int, challenge: str = "") -> bool:
        """Whether a request that went out with this form is to be sent again, with the form of now.

        A 401 comes before anything is done, so every request may be. Where no form is taken, the first one stays, and
        the others are not tried again. `challenge` is what the answer asks for, its WWW-Authenticate.
        """
        with self._lock:
            if challenge.lower().startswith("bearer") and BEARER not in self.forms:
                self.forms = (*self.forms, BEARER)
            place = self.forms.index(sent)
            if status != UNAUTHORIZED:
                if status < 300 and not self._is_settled:
                    self._place, self._is_settled = place, True
                return False
            if place == self._place and not self._is_settled:
                self._place = (place + 1) % len(self.forms)
                self._is_settled = self._place == 0
                return not self._is_settled
            return place != self._place


def header_of(form: str, token: str) -> dict[str, str]:
    """A form with the token in it."""
    name, _, value = form.partition(":")
    return {name: value.strip().replace("{token}", token)}


PROFILES = Path(__file__).with_name("profiles")
BUILT_IN = ("chatwoot", "documented")

NEEDED = {
    **{table: TABLES[table] for table in ("fields", "public")},
    "pace": ("requests_per_minute", "uploads_per_hour"),
    "status": (Status.DRAFT.value,),
}
"""What a profile cannot do without; operations and limits may be few or none."""


class Operation(msgspec.Struct, frozen=True):
    """One thing the service can do. `path` is a template over account_id, portal, id and slug."""

    name: str
    method: str
    path: str


class Limits(msgspec.Struct, frozen=True):
    """The longest a text may be, in characters; 0 where it is unknown. And the slugs that no article may have."""

    title_chars: int = 0
    slug_chars: int = 0
    content_chars: int = 0
    description_chars: int = 0
    reserved_slugs: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> Limits:
        """The limits but for these, which are as if nothing were known of them."""
        return replace(self, **{name: getattr(UNLIMITED, name) for name in names})


UNLIMITED = Limits()


class Profile(msgspec.Struct, frozen=True):
    """What one version of a service can do, which paths do it, what its numbers mean, and how fast it may be asked.

    `allowed_per_minute` is how many requests the service takes from one address, 0 where that is unknown.
    `token_headers` are forms of the header that the token goes into; the next one is tried where one does not arrive.
    `since` has the version from which on an operation, a field, a limit or a fact exists; what is not in it was always
    there.
    `whole` is the profile of the newest version, where this is that of an older one; `lacks` is what is missing here,
    with the version that it came with.
    """

    name: str
    operations: Mapping[str, Operation]
    fields: Mapping[str, tuple[str, ...]]
    status: Mapping[Status, int]
    limits: Limits
    side_effects: SideEffects
    requests_per_minute: int
    uploads_per_hour: int
    allowed_per_minute: int
    article_url: str
    category_url: str
    token_headers: tuple[str, ...]
    since: Mapping[str, Version]
    facts: Facts
    whole: Profile | None = None
    lacks: Mapping[str, Version] = msgspec.field(default_factory=dict)

    def at(self, version: Version) -> Profile:
        """The same service in this version: without the operations, fields, limits and facts that came later."""
        whole = self.whole or self
        later = {name: since for name, since in self.since.items() if version < since}
        return replace(
            whole,
            operations={name: operation for name, operation in whole.operations.items() if name not in later},
            fields={kind: tuple(name for name in names if name not in later) for kind, names in whole.fields.items()},
            limits=whole.limits.without(later.keys() & LIMITS),
            facts=Facts(**{name: name not in later for name in FACTS if name in self.since}),
            whole=whole if later else None,
            lacks=later,
        )

    def surely(self, fact: str) -> bool | None:
        """Whether a fact is so in this version; None where the profile says nothing of it."""
        return bool(getattr(self.facts, fact)) if fact in self.since else None

    def can(self, operation: str) -> bool:
        """Whether the service has this operation."""
        return operation in self.operations

    def operation(self, name: str) -> Operation:
        """How this is asked for.

        Raises:
            ConfigError: the service does not have it.
        """
        if not self.can(name):
            raise ConfigError(
                f"Profile `{self.name}` has no operation `{name}`.",
                hint="Do it in the panel, or use another profile. `kbsync check` lists what yours can do.",
            )
        return self.operations[name]

    @property
    def can_list(self) -> bool:
        """Whether the portal can be looked at. Without it the ledger alone is `observed`."""
        return self.can("list_articles") and self.can("list_categories")

    def keeps(self, kind: Kind, name: str) -> bool:
        """Whether the service keeps this field of an article or category."""
        return name in self.fields[kind]

    def number_of(self, status: Status) -> int:
        """The number that the service understands: the string \"1\" is an error to it (docs/service.md, S24).

        Raises:
            ConfigError: the profile gives none.
        """
        if status not in self.status:
            raise ConfigError(
                f"Profile `{self.name}` has no number for the status `{status}`.", hint="Add it to the table [status]."
            )
        return self.status[status]

    def status_of(self, number: object) -> Status | None:
        """The status that an answer names by number or by word; None for what is neither."""
        for status, value in self.status.items():
            if number in (value, str(value), status.value):
                return status
        return Status(number) if isinstance(number, str) and number in set(Status) else None

    def unknown_status(self, number: object) -> str:
        """A status that has no name here, as an answer says it; "" for a known one, and for none."""
        return "" if number is None or self.status_of(number) else str(number)


MAX_LAYERS = 20
"""Profiles that extend one another."""


def read_profile(name: str, *, folder: Path, version: Version = NEWEST) -> Profile:
    """Read a built-in profile by name, or a TOML file of the user's.

    Args:
        name: `chatwoot`, `documented`, or a path.
        folder: what a path is relative to: the folder of kbsync.toml.
        version: of the service.

    Raises:
        ConfigError: no such profile, or it declares something that cannot be.
    """
    raw = _read_layers(name, folder, seen=())
    for table, keys in NEEDED.items():
        for key in keys:
            if key not in raw.get(table, {}):
                raise ConfigError(
                    f"Profile `{name}`: [{table}] {key} is missing.",
                    hint='Add it, or add `extends = "chatwoot"`, which has everything.',
                )
    return _build(raw, name).at(version)


def _read_layers(name: str, folder: Path, *, seen: tuple[str, ...]) -> dict[str, Any]:
    if name in seen:
        raise ConfigError(f"Profile `{name}` extends itself: {' -> '.join((*seen, name))}.")
    if len(seen) > MAX_LAYERS:
        raise ConfigError(f"Profile `{seen[0]}`: more than {MAX_LAYERS} profiles extend each other.")
    raw = _load(name, folder, seen)
    check_declaration(raw, name)
    parent = raw.pop("extends", None)
    if parent is None:
        return raw
    layers = _read_layers(parent, folder, seen=(*seen, name))
    for table, value in raw.items():
        layers[table] = {**layers.get(table, {}), **value} if isinstance(value, dict) else value
    return layers


def _load(name: str, folder: Path, seen: tuple[str, ...]) -> dict[str, Any]:
    if name in BUILT_IN:
        # By path: `importlib.resources` loads zipfile first, for a package that never lies in one.
        return tomllib.loads((PROFILES / f"{name}.toml").read_text("utf-8"))
    path = folder / name
    try:
        return read_toml(path, name)[1]
    except FileNotFoundError as exc:
        raise ConfigError(
            f"Profile `{name}`" + (f", which `{seen[-1]}` extends," if seen else "") + " does not exist.",
            hint=f"Use one of: {', '.join(BUILT_IN)}, or the path of your own TOML file.",
        ) from exc


def _build(raw: dict[str, Any], name: str) -> Profile:
    pace, public = raw["pace"], raw["public"]
    return Profile(
        name=raw.get("name", name),
        operations={key: _operation(key, text) for key, text in raw.get("operations", {}).items() if text},
        fields={kind: tuple(names) for kind, names in raw["fields"].items()},
        status={Status(word): number for word, number in raw["status"].items()},
        limits=_limits(raw.get("limits", {})),
        side_effects=_side_effects(raw.get("side_effects", {})),
        requests_per_minute=pace["requests_per_minute"],
        uploads_per_hour=pace["uploads_per_hour"],
        allowed_per_minute=pace.get("allowed_per_minute", 0),
        article_url=public["article_url"],
        category_url=public["category_url"],
        token_headers=tuple(raw.get("token", {}).get("headers", TOKEN_HEADERS)),
        since={key: Version.of(text) for key, text in raw.get("since", {}).items() if text},
        facts=Facts(),
    )


def _side_effects(raw: Mapping[str, Any]) -> SideEffects:
    return SideEffects(tuple(raw.get("renumbers_on", ())), raw.get("locale_follows", ""))


def _limits(raw: Mapping[str, Any]) -> Limits:
    return Limits(**{**raw, "reserved_slugs": tuple(raw.get("reserved_slugs", ()))})


def _operation(name: str, text: str) -> Operation:
    method, _, path = text.partition(" ")
    return Operation(name, method, path)
