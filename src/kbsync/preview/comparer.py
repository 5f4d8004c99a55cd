"""How an article differs from the portal's, or from the last push. Looked up in the background; no page waits."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kbsync.content.body import body_of
from kbsync.content.compile import Addresses, article_fields, replacements_of
from kbsync.content.identity import Identity, former_slugs
from kbsync.content.images import Images, look_at
from kbsync.errors import KbsyncError
from kbsync.fields import label_of
from kbsync.files import read_within
from kbsync.markdown.uploaded import body_digest, by_key
from kbsync.model import Value, visible
from kbsync.preview.checking import Project
from kbsync.preview.file_plan import UP_TO_DATE, FilePlan, FilePlans, FindPlans
from kbsync.preview.live_tree import LiveTree
from kbsync.preview.word_diff import difference_columns
from kbsync.site.writer_panel import WriterDiff
from kbsync.words import field_names

FRESH_S = 60.0
"""An answer of the portal is used for this long."""

ASKING = WriterDiff("Asking the portal …")
WITH_PORTAL = "To compare with the portal, start the preview with `--portal`."
NEVER_PUSHED = WriterDiff(f"This article was not pushed yet, as far as the ledger knows. {WITH_PORTAL}")
NOT_THERE = WriterDiff("Not on the portal yet. A push creates it as a draft.")
NOT_FOUND = "Not on the portal."
PLANNING = "Your file has changed. Making the plan again …"

AGAIN_AFTER_S = 5.0
"""So long no new plan is made after one, and ten times as long as that one took: saves come every few seconds."""


@dataclass(frozen=True, slots=True)
class PortalArticle:
    """One article as the portal holds it.

    Args:
        fields: by kbsync's names.
        content: its text.
        status: in the portal's word, "" where it has none.
    """

    fields: Mapping[str, Value]
    content: str
    status: str


@dataclass(frozen=True, slots=True)
class LastPush:
    """One article as the ledger has it: what both sides last agreed on, the text by its digest only.

    Args:
        fields: by kbsync's names; none where no push sent it.
    """

    fields: Mapping[str, Value]


Known = PortalArticle | LastPush | None

Ask = Callable[[str, str], Known]
"""Locale and slug to the article, None where the portal or the ledger has none. May take long; raises KbsyncError."""


@dataclass(frozen=True, slots=True)
class Ours:
    """One article as a push would send it. The portal may have it under one of its `former` default slugs.

    `asked_at` is when the page was made, in the comparer's seconds.
    """

    locale: str
    slug: str
    fields: Mapping[str, Value]
    content: str
    former: tuple[str, ...] = ()
    asked_at: float = field(default=0.0, compare=False)


@dataclass(slots=True)
class Answer:
    """The portal's answer about one article, and when (a monotonic time in seconds)."""

    at: float
    article: Known = None
    error: str = ""


@dataclass(slots=True)
class Comparer:
    """Compares articles with the portal in a thread of its own.

    Args:
        ask: asks the portal, or looks into the ledger.
        notify: called with the path of an article whose difference has changed; in that thread.
        clock: a monotonic time in seconds.
        find_plans: makes the plan of all files; None: differences alone are shown.
    """

    ask: Ask
    notify: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    find_plans: FindPlans | None = None
    _plans: FilePlans | None = None
    _planned_at: float = -math.inf
    _not_before: float = -math.inf
    _wanted: queue.SimpleQueue[tuple[str, Ours | None] | None] = field(default_factory=queue.SimpleQueue)
    _answers: dict[tuple[str, str], Answer] = field(default_factory=dict)
    _asked: dict[str, Ours] = field(default_factory=dict)
    _known: dict[str, WriterDiff] = field(default_factory=dict)

    def start(self) -> None:
        """Begin to answer. The thread does not keep the process alive: a portal may take a minute to time out."""
        threading.Thread(target=self._work, name="portal", daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._wanted.put(None)

    def diff_of(self, live_tree: LiveTree, path: str) -> WriterDiff:
        """The difference as it is known; what is not known, or old, is on its way."""
        try:
            ours = replace(ours_of(live_tree, path), asked_at=self.clock())
        except (OSError, UnicodeDecodeError):
            return WriterDiff("Not compared: the file cannot be read.")
        if (asked := self._asked.get(path)) == ours:
            ours = asked
        answer = self._answers.get(self._place_of(path, ours))
        if answer is None or asked is not ours or self.clock() - answer.at > FRESH_S:
            self._asked[path] = ours
            self._wanted.put((path, ours))
        return self._with_plan(self._known.get(path, ASKING), self._sentences(live_tree, path, ours))

    def want_plan(self) -> None:
        """Make the plan anew, as soon as may be: the files are others, and one can be about another."""
        if self.find_plans is not None:
            self._wanted.put(("", None))

    # --- what the plan says ------------------------------------------------------------------------------------------

    def edited(self) -> frozenset[str]:
        """The files whose articles were edited in the panel, as far as that is known."""
        return self._plans.edited if self._plans else frozenset()

    def _sentences(self, live_tree: LiveTree, path: str, ours: Ours) -> FilePlan:
        """What the plan has for a file as it is now."""
        plans = self._plans or FilePlans()
        if plans.error:
            return FilePlan(b"", (f"There is no plan: {plans.error}",))
        plan = plans.by_path.get(path)
        if plan is not None and plan.digest == live_tree.sources[path].raw_digest:
            return plan
        return FilePlan(b"", (PLANNING,) if self._is_behind(ours) else ())

    def _with_plan(self, diff: WriterDiff, plan: FilePlan) -> WriterDiff:
        if self.find_plans is None or diff == ASKING:
            return diff
        # A push may create it, or find it under another slug: only the plan knows.
        found = WriterDiff(NOT_FOUND) if diff == NOT_THERE else diff
        state = found.state
        if plan.sentences:
            # What is compared here is not all that there is to a plan: a slug, a position.
            same = "" if UP_TO_DATE in plan.sentences else "Fields and body are the same."
            state = state.replace(UP_TO_DATE, same).rstrip()
        return replace(found, state=state, plan=plan.sentences, commands=plan.commands)

    def _place_of(self, path: str, ours: Ours) -> tuple[str, str]:
        """Under which locale and slug the portal has the article: as the plan found it, or else as the file says."""
        plan = self._plans.by_path.get(path) if self._plans else None
        return (plan and plan.place) or (ours.locale, ours.slug)

    def _plan_again(self) -> None:
        """Make the plan, unless it is too early, and notify of the pages on which it says something else now."""
        if self.find_plans is None or self.clock() < self._not_before:
            return
        began, before = self.clock(), self._plans or FilePlans()
        now = self.find_plans()
        self._plans, self._planned_at = now, began
        ended = self.clock()
        self._not_before = ended + max(AGAIN_AFTER_S, 10 * (ended - began))
        for path in list(self._asked):
            if now.error != before.error or now.by_path.get(path) != before.by_path.get(path):
                self.notify(path)
        if now.edited != before.edited:
            self.notify("")

    def _is_behind(self, ours: Ours) -> bool:
        """Whether the plan was begun before this was saved."""
        return self.find_plans is not None and ours.asked_at >= self._planned_at

    # --- the thread --------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        late: dict[str, Ours | None] = {}
        while True:
            try:
                wait_s = max(0.0, self._not_before - self.clock()) if late else None
                wanted = self._wanted.get(timeout=wait_s)
            except queue.Empty:
                wanted = late.popitem()
            if wanted is None:
                return
            path, ours = wanted
            if ours is None:
                if self.clock() < self._not_before:
                    late[path] = None
                self._plan_again()
            elif self._asked.get(path) is ours:
                self.compare(path, ours)
                if self._is_behind(ours):
                    late[path] = ours

    def compare(self, path: str, ours: Ours) -> None:
        """Ask if need be, compare, and tell if that is news."""
        if self._is_behind(ours) or self.clock() - self._planned_at > FRESH_S:
            self._plan_again()
        key = self._place_of(path, ours)
        answer = self._answers.get(key)
        if answer is None or self.clock() - answer.at > FRESH_S:
            answer = self._answers[key] = self._fetch(ours, key)
        found = difference_of(ours, answer)
        if self._known.get(path) != found:
            self._known[path] = found
            self.notify(path)

    def _fetch(self, ours: Ours, place: tuple[str, str]) -> Answer:
        try:
            found = self.ask(*place)
            for former in ours.former:
                if found is None or not found.fields:
                    found = self.ask(ours.locale, former)
            return Answer(self.clock(), found)
        except KbsyncError as exc:
            return Answer(self.clock(), error=visible(exc.message))


def ours_of(live_tree: LiveTree, path: str) -> Ours:
    """An article as a push would send it.

    Raises:
        OSError: its file is not there any more.
    """
    source, data = live_tree.text_of(path)
    site, project = live_tree.index.site, live_tree.project
    identity = site.articles[path]
    profile = project.profile
    addresses = Addresses(profile.article_url, profile.category_url, project.settings.service.portal)

    def address_of(target: str) -> str | None:
        found: Identity | None = site.by_path.get(target)
        return addresses.of(found, is_article=found.path in site.articles) if found else None

    def image_of(target: str) -> str | None:
        return _image_of(project, target) if target in live_tree.tree.others else None

    content = body_of(source, data, replacements_of(source, address_of, image_of))
    fields = article_fields(source, identity, project.settings.authors, "")
    former = () if source.slug else former_slugs(path, identity.locale, site)
    return Ours(identity.locale, identity.slug, fields, content, former)


def _image_of(project: Project, path: str) -> str | None:
    """The placeholder of an image, wherever it was uploaded to; None for what is not an image."""
    try:
        image = look_at(path, read_within(project.root / path, project.settings.assets.max_bytes))
    except OSError:
        return None
    return Images(project.root, {path: image}, project.settings.assets.base_url, can_upload=True).name(path)


def difference_of(ours: Ours, answer: Answer) -> WriterDiff:
    """The portal's version beside ours, field by field and word by word."""
    if answer.error:
        return WriterDiff(f"Not compared: {answer.error}")
    theirs = answer.article
    if theirs is None:
        return NOT_THERE
    fields = tuple(_different(ours, theirs))
    if isinstance(theirs, LastPush):
        return _since_last_push(ours, theirs, fields)
    body = difference_columns(by_key(theirs.content), ours.content)
    named = [name for name, _, _ in fields] + (["body"] if body else [])
    where = f"On the portal ({theirs.status})." if theirs.status else "On the portal."
    if not named:
        return WriterDiff(f"{where} {UP_TO_DATE}")
    return WriterDiff(f"{where} {_differ(named)}", fields, body)


def _different(ours: Ours, theirs: PortalArticle | LastPush) -> Iterator[tuple[str, str, str]]:
    """The fields that differ: name, value there, value here."""
    for name in (name for name in ours.fields if name in theirs.fields and name not in {"content", "slug"}):
        before, after = _shown(theirs.fields[name]), _shown(ours.fields[name])
        if before != after:
            yield name, before, after


def _differ(names: list[str]) -> str:
    """`Title and body differ.`"""
    words = [label_of(name) for name in names]
    listed = " and ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
    return f"{listed[:1].upper()}{listed[1:]} {'differs' if len(words) == 1 else 'differ'}."


def _since_last_push(ours: Ours, theirs: LastPush, fields: tuple[tuple[str, str, str], ...]) -> WriterDiff:
    """What changed here; what somebody edited in the panel since, only the portal knows."""
    if not theirs.fields:
        return NEVER_PUSHED
    is_same = theirs.fields.get("content") in (None, body_digest(ours.content))
    named = [name for name, _, _ in fields] + ([] if is_same else ["body"])
    state = f"Changed since the last push: {field_names(named)}." if named else "Not changed since the last push."
    return WriterDiff(f"{state} {WITH_PORTAL}", fields)


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return ", ".join(value)
    return "" if value is None else visible(str(value))
