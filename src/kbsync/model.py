"""The values kbsync thinks in. This docstring is the glossary; `plan/build.py` is what is done with them.

desired   what the content tree wants on the portal
observed  what the portal holds now
base      the last value of each field that both sides agreed on
plan      an ordered list of changes, each an action on one article, category or the portal, and what is held
held      what kbsync will not change on its own, with the reason
drift     the portal's value moved since the base
conflict  both moved, differently
adopt     an article that is equal on both sides becomes managed
orphan    managed, and no longer in the tree

All three sides describe an item by the same *fields* (name to value), so that they can be compared one by one.
A body of text is compared by its `body_digest`: ten thousand articles are decided without holding their texts.
What exists once for each article is a msgspec struct, which is made ten times faster than a frozen dataclass.
So is what every command loads: to declare a dataclass takes half a millisecond, because Python compiles its methods.
Annotations are no text here (no `annotations` of `__future__`), as in the other modules whose structs every command
decodes: msgspec compiles each text, and these are more than a hundred.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from enum import StrEnum
from hashlib import blake2b
from typing import Literal

import msgspec

RemoteId = int | str
"""An id as the service gave it: numbers mostly, text from some."""

Value = str | int | tuple[str, ...] | None
Fields = Mapping[str, Value]

NO_FIELDS: Fields = {}
"""One object for all: an empty dict for each of a hundred thousand takes 6 megabytes."""

Agreed = tuple[Value, ...]
"""What both sides had agreed on of one field: one value, or `()` where they never had."""

Kind = Literal["category", "article", "asset", "portal"]
Level = Literal["error", "warning"]

PORTAL_FILE = "portal.toml"
"""The file of the portal itself, beside kbsync.toml; and so its path wherever an item has one."""
DRAFTS: Mapping[str, str] = {"title": "draft_title", "content": "draft_content"}
"""The fields of which the panel keeps an edit that readers do not see yet, and what that is called here as there.

Source: docs/service.md, section 14. Such an edit is compared and sent like a field, and is None where there is none.
"""

DIGEST_PREFIX = "blake2b:"
BODY_PREFIX = "body:"


class Status(StrEnum):
    """Where an article is in its life, in the service's words."""

    DRAFT = "draft"
    PUBLISHED = "published"
    ARCHIVED = "archived"


STATUSES: Mapping[str | None, Status | None] = {None: None, **{status.value: status for status in Status}}
"""Statuses by their words; a look-up here costs a tenth of `Status(word)`, and tens of thousands are made."""


class Manage(StrEnum):
    """How far kbsync may go with an article: keep it in step, create it once, never touch it."""

    TRUE = "true"
    SEED = "seed"
    FALSE = "false"


MANAGED: Mapping[str, Manage] = {manage.value: manage for manage in Manage}


def digest(text: str) -> str:
    """Name a text by its content: `blake2b:` and 32 hex digits over its UTF-8 bytes."""
    return DIGEST_PREFIX + blake2b(_encoded(text), digest_size=16).hexdigest()


def name_body(text: str) -> str:
    """Name an article's text by its content: `body:` and 32 hex digits. Line breaks at both ends do not count, nor
    whether lines end as on Windows.

    The panel's editor drops the ones, and git adds and removes the others; no reader sees them. What is sent still has
    them as they are written. Texts are compared by `markdown.uploaded.body_digest`, which also knows images that are
    the same.
    """
    text = text.replace("\r\n", "\n") if "\r" in text else text
    # Encoded as it is, not what is left of it: of a text that was parsed, Python keeps the bytes.
    return BODY_PREFIX + blake2b(_encoded(text).strip(b"\r\n"), digest_size=16).hexdigest()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def visible(text: str) -> str:
    """Take the control characters out of a text from the portal or a file before a terminal sees it.

    Bidirectional overrides count as control characters: they can make a line read as another.
    """
    if text.isprintable():
        return text
    return "".join(" " if c in "\n\r\t" else c for c in text if c in "\n\r\t" or unicodedata.category(c)[0] != "C")


class Target(msgspec.Struct, frozen=True):
    """The portal that a command talks about; two targets never share ledger rows.

    `base_url` is the word `sandbox` for the embedded one, whose port is another each time.
    """

    base_url: str
    account_id: int
    portal: str
    profile: str

    @property
    def place(self) -> str:
        """`at https://support.example.com`, or `in the sandbox`."""
        return "in the sandbox" if self.base_url == "sandbox" else f"at {self.base_url}"

    @property
    def key(self) -> str:
        """The name of this portal in the ledger. The profile is how it is spoken to, not what it is."""
        return f"{self.base_url}|{self.account_id}|{self.portal}"


class Finding(msgspec.Struct, frozen=True, gc=False):
    """One problem in the content tree, or one thing a reader of the plan should know.

    `path` is relative to the content root with forward slashes; `line` and `column` count from 1.
    """

    code: str
    level: Level
    path: str
    line: int
    column: int
    message: str
    hint: str = ""
    fixable: bool = False


class Rule(msgspec.Struct, frozen=True):
    """One kind of finding, declared beside the check that finds it.

    Its explanation and example are in `lint/rules/<code>.md`.

    Args:
        code: stable: `KB` and three digits.
        title: what was found, in a few words.
        level: of its findings.
        fixable: whether `lint --fix` can fix it where there is only one way to do so.
        unnoticed: whether readers see nothing wrong, so that a project may well ignore it.
    """

    code: str
    title: str
    level: Level = "warning"
    fixable: bool = False
    unnoticed: bool = False

    def finding(self, path: str, line: int, column: int, message: str, hint: str = "") -> Finding:
        """A finding of this rule."""
        return Finding(self.code, self.level, path, line, column, message, hint)


class ItemRef(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Which article or category something is about, as people and files name it.

    `path` is that of its source, relative to the content root with forward slashes; "" where it has none. The portal
    itself is one item too: without a locale, its path is the name of its file.
    """

    kind: Kind
    locale: str
    slug: str
    path: str


class Desired(ItemRef, frozen=True, gc=False, kw_only=True):
    """What one source wants: the identity, and the fields that it gives. A field left out is not ours.

    `creation` holds what only a create sends (the default author). `publish_on` (ISO 8601 with an offset) and `release`
    say when it is published; "" where nothing says so.
    """

    fields: Fields
    status: Status | None = None
    manage: Manage = Manage.TRUE
    aliases: tuple[str, ...] = ()
    root_path: str = ""
    creation: Fields = {}
    publish_on: str = ""
    release: str = ""

    @property
    def title(self) -> str:
        """What a person calls it."""
        return str(self.fields.get("title") or self.fields.get("name") or self.slug)


class Observed(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One item as the portal holds it. `updated_at` is in seconds since 1970, 0 where the service gives none.

    `images` are the addresses in its body of what kbsync uploaded. `outline` names the body without its destinations
    (`markdown.outline`), "" where the body is not known. `by_path` names the body with paths in the place of full
    addresses of the portal's own pages, "" where it has none. `staged` are title and body of an edit that is pending in
    the panel and that readers do not see; `stages`: whether the service has such edits. `unknown_status` is a status
    that has no name here, as the service says it.
    """

    kind: Kind
    remote_id: RemoteId
    locale: str
    slug: str
    fields: Fields
    status: Status | None = None
    unknown_status: str = ""
    updated_at: int = 0
    images: tuple[str, ...] = ()
    outline: str = ""
    by_path: str = ""
    staged: Fields = {}
    stages: bool = False

    @property
    def title(self) -> str:
        """What a person calls it."""
        return str(self.fields.get("title") or self.fields.get("name") or self.slug)

    @property
    def called_by_path(self) -> "Observed":
        """The same with the name that its body has with paths; in the place of that is the name of now."""
        fields = {**self.fields, "content": self.by_path}
        return msgspec.structs.replace(self, fields=fields, by_path=str(self.fields["content"]))

    @property
    def drafts(self) -> dict[str, Value]:
        """The pending edit as fields of an article, None where nothing is pending."""
        return {draft: self.staged.get(name) for name, draft in DRAFTS.items()}

    @property
    def shown(self) -> dict[str, Value]:
        """Everything that changes are about; the locale only where it is known."""
        drafts = self.drafts if self.stages else {}
        place: dict[str, Value] = {"locale": self.locale} if self.locale else {}
        return {**drafts, "status": self.status, **place, **self.fields}


class Base(ItemRef, frozen=True, gc=False, kw_only=True):
    """What both sides last agreed on for one item, field by field. Source: the ledger, or git history.

    `kept` are values of the portal that differ from ours, and that a person decided to leave as they are. `overruled`
    are values of the portal that a person decided to replace: each counts until it is sent over, or is another one.
    Where the file had moved when they decided, or got the answer, `decided_for` has what it had then. A `status` among
    `fields`, which is None, is one that the source gives and that the two sides never shared.

    `touched_s` is the portal's `updated_at` of that moment, in seconds since 1970; 0 where it is not known.
    """

    remote_id: RemoteId
    fields: Fields
    status: Status | None = None
    kept: Fields = {}
    overruled: Fields = {}
    decided_for: Fields = {}
    touched_s: int = 0

    @property
    def staged(self) -> dict[str, Value]:
        """Title and body that kbsync staged, as far as both sides agreed on that."""
        return {name: value for name, draft in DRAFTS.items() if (value := self.fields.get(draft)) is not None}

    @property
    def is_decided(self) -> bool:
        """Whether a person decided about any of its fields."""
        return bool(self.kept or self.overruled)


LastRun = tuple[int, float | None]
"""The number of a run and when it ended, seconds since 1970; None while it lasts, or where it was killed.

Where this is the same before and after, no push, undo or join recorded in this ledger was between.
"""


class Pending(ItemRef, frozen=True, gc=False, kw_only=True):
    """A request that the journal knows was about to be sent, and whose answer was not recorded.

    `before` and `after` are the fields it was to change; a create has an empty `before` and no `remote_id`. `leaves` is
    that of its fields.
    """

    entry: int
    action: str
    remote_id: RemoteId | None
    before: Fields
    after: Fields
    leaves: Mapping[str, Agreed] = {}


class Action(StrEnum):
    """What a change does, in the words of a plan."""

    CREATE = "create"
    ADOPT = "adopt"
    UPDATE = "update"
    PUBLISH = "publish"
    UNPUBLISH = "unpublish"
    ARCHIVE = "archive"
    DELETE = "delete"
    UPLOAD = "upload"


class Reason(StrEnum):
    """Why something is held."""

    DRIFT = "drift"
    CONFLICT = "conflict"
    GONE = "gone"
    UNKNOWN = "unknown"
    UNSUPPORTED = "unsupported"
    LIVE = "live"
    STAGED = "staged"
    BEHIND = "behind"
    FILLED = "filled"
    UNFINISHED = "unfinished"


Neighbors = tuple[RemoteId | None, RemoteId | None]
"""What an item is between in an order, by id; None at an end."""


class FieldChange(msgspec.Struct, frozen=True, gc=False):
    """One field before and after. Texts of a body are given by `body_digest`.

    `said` is what people are shown instead of the two, where these mean nothing to them: ids, and slugs that are the
    same in two locales. `agreed` is what had been agreed on where that is not the value before: somebody's edit is
    overwritten. `leaves` is what will have been agreed on where that is not the value after: an undo gives somebody's
    edit back, and it is held again. `beside` are the neighbors of a place before and after: its numbers mean nothing
    once the category was numbered anew.
    """

    name: str
    before: Value
    after: Value
    said: tuple[str, str] | None = None
    agreed: Agreed | None = None
    leaves: Agreed | None = None
    beside: tuple[Neighbors, Neighbors] | None = None

    @property
    def shown(self) -> tuple[Value, Value]:
        """Before and after, as people know them."""
        return self.said or (self.before, self.after)


class Change(ItemRef, frozen=True, gc=False, kw_only=True):
    """One action on one item. `live` means that readers see the item now.

    `turn` puts changes of one phase after each other where one needs what another frees (a slug). `was` is the source
    path before a rename, or before the source was deleted. `displaced` are fields that the service changes along with
    those that are sent, as they were before; what they will be, only its answer says. `together`: its status is sent in
    one request with that of others.
    """

    action: Action
    remote_id: RemoteId | None
    title: str
    fields: tuple[FieldChange, ...] = ()
    live: bool = False
    status: Status | None = None
    turn: int = 0
    was: str = ""
    displaced: tuple[FieldChange, ...] = ()
    together: bool = False

    @property
    def staged(self) -> dict[str, Value]:
        """The edit that was pending when the plan was made, where this change replaces or discards it."""
        before = self.before
        return {name: value for name, draft in DRAFTS.items() if (value := before.get(draft)) is not None}

    @property
    def stages(self) -> bool:
        """Whether it stages an edit, which readers do not see until somebody publishes it."""
        return self._is_of_staged and any(field.after is not None for field in self.fields)

    @property
    def discards_staged(self) -> bool:
        """Whether it only takes a staged edit back."""
        return self._is_of_staged and all(field.after is None for field in self.fields)

    @property
    def _is_of_staged(self) -> bool:
        return bool(self.fields) and all(field.name in DRAFTS.values() for field in self.fields)

    @property
    def publishes_staged(self) -> bool:
        """Whether readers see from now on what was staged before."""
        staged, after = self.staged, self.after
        return bool(staged) and all(after.get(name) == value for name, value in staged.items())

    @property
    def is_removal(self) -> bool:
        """A delete, or an archive that no source asks for: its path is not in the tree any more."""
        return self.action is Action.DELETE or (self.action is Action.ARCHIVE and not self.path)

    @property
    def after(self) -> dict[str, Value]:
        """The fields as they shall be."""
        return {change.name: change.after for change in self.fields}

    @property
    def before(self) -> dict[str, Value]:
        """The fields as they were when the plan was made."""
        return {change.name: change.before for change in self.fields}

    @property
    def leaves(self) -> dict[str, Agreed]:
        """What will have been agreed on of the fields whose value after that is not."""
        return {change.name: change.leaves for change in self.fields if change.leaves is not None}


class Held(ItemRef, frozen=True, gc=False, kw_only=True):
    """What kbsync will not change on its own, why, and one thing a person can do.

    `values` are what the portal has (before) and what we would send (after), where both are known. `edited_s` is the
    portal's `updated_at`, in seconds since 1970, where somebody edited it there; 0 where that is not known. `has_base`:
    whether both sides agreed on these fields before, as far as kbsync knows. `elsewhere` is what to do where another
    portal of the service has the slug, "" for anything else. `needs` is the version of the service from which on it is
    possible, "" where the version is not why. `by_run` is the later run that changed what an undo would put back. `way`
    is how to get what is newer, of what is behind.
    """

    reason: Reason
    remote_id: RemoteId | None
    fields: tuple[str, ...]
    hint: str
    title: str = ""
    values: tuple[FieldChange, ...] = ()
    edited_s: int = 0
    has_base: bool = True
    elsewhere: str = ""
    needs: str = ""
    by_run: int = 0
    way: str = ""


class Unpublished(ItemRef, frozen=True, gc=False, kw_only=True):
    """An article whose file says `published`, and that stays a draft because this plan leaves statuses alone."""

    title: str
    remote_id: RemoteId | None
    hint: str


class StagedEdit(ItemRef, frozen=True, gc=False, kw_only=True):
    """A live article whose edit is staged: readers see it after somebody publishes it."""

    title: str
    remote_id: RemoteId | None
    hint: str


class Waiting(ItemRef, frozen=True, gc=False, kw_only=True):
    """An article whose file says `published`, and that is not published before a date, or without a release.

    `until` is ISO 8601 with an offset, "" where it waits for no date; `release` is "" where it waits for none.
    """

    title: str
    remote_id: RemoteId | None
    until: str
    release: str


class Refusal(msgspec.Struct, frozen=True, gc=False):
    """Why a plan must not be carried out: it has `removals`, and at most so many are `allowed`. `limit` says which."""

    removals: int
    allowed: int
    limit: str
    message: str
    hint: str = ""


class AsOf(msgspec.Struct, frozen=True):
    """The run whose record stands for the portal, and when it ended, in seconds since 1970."""

    run: int
    at_s: float


class Plan(msgspec.Struct, frozen=True):
    """What a push would do, in order, and what it would leave to people.

    `kept` is what differs and was left so by a person (`kbsync resolve --theirs`): it is not held, and can be decided
    anew. `overruled` is what a person decided to replace (`kbsync resolve --ours`): a change sends it, and until then
    it can be decided anew. `settled` are bases that need no request: of what is adopted, and of edits that both sides
    made. A push records them. `forgotten` are bases of what is neither in the tree nor on the portal any more.
    `unpublished` is what only a status in a file would publish, `staged_edits` what is staged and has to be published,
    `panel_edits` what a person has pending in the panel while nothing of ours would touch it, as far as it was read,
    `waiting` what is published later. A plan that is `refused` is shown and not carried out. `seconds` and `requests`
    are an estimate of what the changes cost. `as_of` is the run that the files were compared with; None: the portal.
    `version` is that of the service; "" where it is not known. `not_here` are the paths of files that only newer
    commits have, each with the way to get it.
    """

    target: Target
    changes: tuple[Change, ...] = ()
    held: tuple[Held, ...] = ()
    unchanged: int = 0
    unmanaged: tuple[Observed, ...] = ()
    settled: Sequence[Base] = ()
    forgotten: tuple[Base, ...] = ()
    warnings: tuple[Finding, ...] = ()
    managed: int = 0
    requests: int = 0
    seconds: float = 0.0
    kept: tuple[Held, ...] = ()
    overruled: tuple[Held, ...] = ()
    unpublished: Sequence[Unpublished] = ()
    refused: Refusal | None = None
    as_of: AsOf | None = None
    version: str = ""
    staged_edits: tuple[StagedEdit, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    panel_edits: tuple[Held, ...] = ()
    not_here: Mapping[str, str] = {}

    @property
    def sent(self) -> tuple[Change, ...]:
        """The changes that change the portal; an adoption changes the ledger alone."""
        return tuple(change for change in self.changes if change.action is not Action.ADOPT)

    def count(self, action: Action) -> int:
        """How many changes take this action."""
        return sum(1 for change in self.changes if change.action is action)


class Outcome(msgspec.Struct, frozen=True):
    """How one change went. `hopeless` means that no other change would have fared better.

    `held` is what came up on the portal while the change was sent, and needs a decision.
    """

    change: Change
    outcome: Literal["done", "failed", "skipped"]
    remote_id: RemoteId | None = None
    error: str = ""
    hint: str = ""
    hopeless: bool = False
    held: Held | None = None
