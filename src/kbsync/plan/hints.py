"""What a person can do about a field that is held. Pure.

Also: what is held although a pull of this clone put the portal's value into the file. Another changes nothing. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kbsync.command import Option, command_line
from kbsync.model import PORTAL_FILE, Base, Held, Observed, Reason, Value
from kbsync.plan.draft import Draft, Policy
from kbsync.plan.known import NO_RECORD, Records
from kbsync.plan.match import Match
from kbsync.words import field_names


def with_pulled_hints(held: tuple[Held, ...], records: Records) -> tuple[Held, ...]:
    """The same, with a hint that works where the file was made from the portal's value of now, and changed since.

    Nothing is decided: on another branch the file may not have that value.
    """
    return tuple(replace(item, hint=_hint(item)) if _is_in_file(item, records) else item for item in held)


def _is_in_file(item: Held, records: Records) -> bool:
    if item.reason is not Reason.CONFLICT or item.remote_id is None or not item.values:
        return False
    known = records.get((item.kind, item.remote_id), NO_RECORD)
    pulled = ((known.get(value.name), value) for value in item.values)
    return all(
        last is not None and last.theirs == value.before and last.before != (value.after,) for last, value in pulled
    )


def _hint(item: Held) -> str:
    named = [("--field", field_names([name])) for name in item.fields]
    ours = command_line("resolve", item.path, options=[("--ours", True), *named])
    return (
        "The last `kbsync pull` put the portal's value into your file, and the file changed since. If it still has "
        f"what you want of it, run `{ours}`, then push. `{command_line('resolve', item.path)}` shows both and asks."
    )


def push_alone(path: str, *options: Option) -> str:
    """The command that sends one file, with these options for it, and nothing else that waits.

    A release is one whole, and takes no selector.
    """
    of_release = any(name == "--release" and value for name, value in options)
    return command_line("push", *(() if of_release else (path,)), options=options)


def live_hint(path: str) -> str:
    """What to do about an article that readers see, where [push] live is "hold"."""
    live = push_alone(path, ("--live", path))
    first = "" if path == PORTAL_FILE else ", or unpublish the article first"
    return f'[push] live is "hold". Run `{live}` to change it this once{first}.'


def live_and_pending_hint(path: str) -> str:
    """What to do about such an article where a person also has an edit of it pending in the panel."""
    both = push_alone(path, ("--live", path), ("--overwrite", path))
    return (
        '[push] live is "hold", and an edit of this article is pending in the panel. Publish or discard that edit, or '
        f"run `{both}` to discard it and send your file."
    )


def needs_version_hint(policy: Policy, what: str, way_out: str) -> str:
    """What to do about something that the version of the service does not have; `what` says it of the version."""
    return f"This portal runs version {policy.version}, which {what}. {way_out}"


def unfinished_hint(path: str) -> str:
    """What to do about a text of an article that readers see, where it is not written or translated yet."""
    translated = command_line("translate", path, options=[("--done", True)])
    return (
        "Readers see this article, so the portal keeps its text. Finish your file, or unpublish the article first. If "
        f"a translation may be the same as its original, run `{translated}`."
    )


def no_staging_hint(policy: Policy, path: str) -> str:
    """What to do about a live article whose edit is to be staged where the service has no staged edits."""
    live = push_alone(path, ("--live", path))
    way_out = f"run `{live}`" if policy.live == "stage" else "push without `--stage`"
    way_out = f"To send your file to readers now, {way_out}."
    if "stages_edits" in policy.lacks:
        return needs_version_hint(policy, "has no staged edits", way_out)
    return f"This service has no staged edits. {way_out}"


def three_texts_hint(path: str, options: Sequence[Option]) -> str:
    """What to do where what readers see, an edit that is pending in the panel and a file are three different texts."""
    resolve = command_line("resolve", path, options=[option for option in options if option[0] != "--live"])
    return (
        f"What readers see, this pending edit and your file are three different texts. `{resolve}` shows them all and "
        "decides about all of it: `--merge` puts both edits into your file, `--into-file` only the pending one, "
        "`--ours` sends your file and discards both, and `--theirs` leaves both as they are."
    )


def and_pending_hint(path: str, why: str) -> str:
    """What to do about the first of these three texts: the entry of the pending edit has what decides about all."""
    resolve = command_line("resolve", path)
    return (
        f"{why} An edit of this article is pending in the panel, too. The entry about that edit has the commands, and "
        f"each decides about both. `{resolve}` shows all three texts and asks."
    ).lstrip()


def publish_staged_hint(paths: Sequence[str], live: str) -> str:
    """How to publish the staged edits of some files, and what else does so where [push] live is this."""
    line = command_line("push", *(paths if len(paths) == 1 else ()), options=[("--publish-staged", True)])
    more = f" {PLAIN_PUSH}" if live == "update" else ""
    return f"Publish {'it' if len(paths) == 1 else 'them'} in the panel, or run `{line}`.{more}"


PLAIN_PUSH = "A push without `--stage` publishes what is staged, too."


def publish_hint(path: str) -> str:
    """How to apply the status of one file."""
    line = push_alone(path, ("--publish", True))
    return f"To publish it, run `{line}`, or set `publish = true` under [push]."


def status_options(policy: Policy) -> list[Option]:
    """The options without which no command looks at statuses."""
    return [("--release", policy.release) if policy.release else ("--publish", policy.publish)]


def hold_hint(draft: Draft, match: Match, reason: Reason, base: Base | None, options: Sequence[Option] = ()) -> str:
    """What to do about a field of which `base` is None where the two sides never agreed on it.

    With the options without which the commands would not look at the field.
    """
    desired = match.desired
    overwrite = push_alone(desired.path, *options, ("--overwrite", desired.path))
    why = ""
    if match.is_stranger:
        why = f"The {desired.kind} was deleted in the panel, and a new one was made with the same slug. "
    elif base is None and reason is Reason.DRIFT:
        why = (
            "The portal has the value of an older version of this file, and the article was edited after the newer "
            "version was committed. Maybe it was changed back on purpose. "
        )
    elif desired.kind == "portal":
        why = "" if base is not None else "kbsync has no record of setting this, and the portal has another value. "
    elif base is None:
        if draft.git.word:
            take = command_line("pull", desired.path, options=[("--theirs", True)])
            return (
                f"kbsync cannot tell who wrote the portal's value. {draft.git.word} "
                f"Or run `{take}` to take it into your file, or `{overwrite}` to send your file."
            )
        place = draft.places.get(desired.path)
        if place is not None and place.said is not None and desired.fields["position"] == _position(match):
            why = "Neither the ledger nor git knows who arranged this. "  # Its own number is not what differs.
        else:
            why = f"The portal's {desired.kind} has a value that this file never had in the ledger or in git. "
    resolve = command_line("resolve", desired.path, options=options)
    return (
        f"{why}{_into_file(match, reason, base, options)} `{overwrite}` to send your file. "
        f"`{resolve}` shows both and asks."
    )


def _position(match: Match) -> Value:
    return match.observed.fields.get("position") if match.observed else None


def _into_file(match: Match, reason: Reason, base: Base | None, options: Sequence[Option]) -> str:
    """How the portal's value comes into the file: the first half of a sentence."""
    desired = match.desired
    if desired.kind == "portal":
        return f"Copy the portal's value into {PORTAL_FILE}, or run"
    if base is None or options:
        # Without a base a pull would mark both versions in the file.
        take = command_line("resolve", desired.path, options=[*options, ("--into-file", True)])
        return f"Run `{take}` to take the portal's value into your file, or"
    pull = command_line("pull", desired.path)
    what = "merge the edit into" if reason is Reason.CONFLICT else "take the edit into"
    return f"Run `{pull}` to {what} your file, or"


def unknown_status_hint(item: Observed) -> str:
    """What to do about an article whose status nobody knows here: whether readers see it is not known either."""
    return f"Its status on the portal is `{item.unknown_status}`, which kbsync does not know. Change it in the panel."
