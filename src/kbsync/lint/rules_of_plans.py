"""KB5xx: what only a plan can know, since the portal has to be seen for it."""

from __future__ import annotations

from kbsync.lint.rule import Rule

RULES_OF_PLANS = (
    Rule(
        "KB501",
        "an article that is managed and has no source any more",
        "Its file is gone, and it stays on the portal. If you renamed the file and rewrote it, write "
        "`aliases: [old-slug]` into the new one; if it shall go, delete it in the panel or set `removed`.",
    ),
    Rule(
        "KB502",
        "an article made in the panel that looks like one of ours",
        "It has the title of one of your files, and a slug that the panel made. Two of a kind confuse readers: take it "
        "over with `aliases`, or delete one of the two.",
    ),
    Rule(
        "KB503",
        "an address that readers may know and that will be dead",
        "The article gets another slug, and the service makes no redirect: links from outside will break. "
        "To keep the address, write the old slug into the file.",
    ),
    Rule(
        "KB505",
        "an article that may be another one renamed",
        "No longer reported: such a file is held as `unknown` until you say which article it is, and nothing is "
        "created. Add the `aliases` line that the plan shows.",
    ),
    Rule(
        "KB506",
        "more pictures than the service takes in an hour",
        "What does not fit waits, with the articles that show it; everything else is pushed. Push again each hour.",
    ),
)
