"""Parts of a plan that the tests of reports share: what a test does not name is the smallest thing that works."""

from kbsync.model import Action, Change, FieldChange, Held, Reason, Target

TARGET = Target("https://support.example.com", 1, "handbook", "chatwoot")


def a_change(action: Action, path: str = "en/billing/refunds.md", *fields: FieldChange, **others) -> Change:
    given = {"kind": "article", "locale": "en", "slug": "refunds", "remote_id": 7, "title": "Refunds"} | others
    return Change(action=action, path=path, fields=fields, **given)


def a_held(path: str = "en/billing/invoices.md", hint: str = "decide", **others) -> Held:
    given = {"reason": Reason.DRIFT, "kind": "article", "locale": "en", "slug": "invoices", "remote_id": 7}
    return Held(path=path, hint=hint, **given | {"fields": ("title", "content")} | others)
