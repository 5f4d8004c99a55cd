"""Whether a file that git calls renamed is the same one still."""

from __future__ import annotations

from kbsync.content.body import CATEGORY_FILE, body_of
from kbsync.content.parse import parse_source
from kbsync.history.blobs import Blobs
from kbsync.history.raw_log import Entry
from kbsync.history.repository import SURE_PERCENT
from kbsync.plan.likeness import MIN_WORDS, NEAR, likeness, words


def has_same_body(blobs: Blobs, entry: Entry) -> bool:
    """Whether a file that git calls renamed has nearly its body still: front matter makes short files alike.

    A category has no body; there the name decides.
    """
    found = blobs.read([entry.old_oid, entry.oid])
    bodies = []
    for name, oid in ((entry.old_name, entry.old_oid), (entry.name, entry.oid)):
        blob = found.get(oid)
        if blob is None or blob.data is None:
            return False
        source = parse_source(name, blob.data)
        bodies.append((words(body_of(source, blob.data)), source.title or source.name))
    (old, old_title), (new, new_title) = bodies
    if max(old.total(), new.total()) < MIN_WORDS or entry.name.endswith(CATEGORY_FILE):
        is_category = entry.name.endswith(CATEGORY_FILE)
        return entry.percent >= SURE_PERCENT or (is_category and new_title == old_title)
    return (likeness(new, old, same_title=new_title == old_title) or 0.0) >= NEAR
