"""One sentence about each table and key of kbsync.toml, for the schema that editors use. A test compares both."""

from __future__ import annotations

from collections.abc import Mapping

ABOUT: Mapping[str, str] = {
    "service": "Which portal, and how to reach it.",
    "service.base_url": "Address of the service, or `sandbox` for the one built into kbsync.",
    "service.account_id": "Number of the account.",
    "service.portal": "Slug of the portal.",
    "service.profile": "What the service can do: `chatwoot`, `documented`, or the path of your own TOML file.",
    "service.timeout_s": "How many seconds kbsync waits for an answer, at most 3600.",
    "service.token_command": "A command that prints the token, as one text or as a list of words.",
    "service.allow_http": "Whether plain http to machines other than your own is allowed.",
    "content": "Where your Markdown files are.",
    "content.root": "The folder of your Markdown files, relative to kbsync.toml.",
    "content.default_locale": "The language of the originals.",
    "content.locales": "All your languages; without this key, every folder directly below the root is one.",
    "push": "How far a push may go.",
    "push.publish": "Whether the status in your files is applied.",
    "push.live": "What a push does to an article that readers see now.",
    "push.removed": "What happens to an article whose file is gone.",
    "push.max_removals": "The share of what kbsync published that one plan may remove, such as `10%`.",
    "push.timezone": "Time zone of a `publish_on` without a time, such as `Europe/Paris`; without it, UTC.",
    "authors": "Names of authors, each with the number of a user of the service.",
    "pace": "How fast kbsync sends; 0 is the number of the profile.",
    "pace.requests_per_minute": "Requests a minute.",
    "pace.concurrency": "Requests at a time, 1 to 64.",
    "pace.uploads_per_hour": "Images that the service takes in an hour.",
    "ledger": "Where kbsync keeps its own record.",
    "ledger.url": "`sqlite:` with a path, `git:` with a remote, or the address of a PostgreSQL database.",
    "ledger.ref": "The ref of a ledger in git. Default: one that is named after the portal.",
    "lint": "Which warnings are left out, and which get another level.",
    "lint.ignore": "Codes of warnings to ignore, or the beginning of codes.",
    "lint.levels": "The level of a code, or of all codes that begin so.",
    "lint.external_private": "Whether `kbsync lint --external` checks machines in your own network too.",
    "assets": "The images of articles.",
    "assets.base_url": "Address where something else publishes your images, instead of an upload.",
    "assets.max_kb": "The largest image file, in units of 1,000 bytes.",
    "assets.max_pixels": "The longest side of an image, in pixels.",
    "assets.allow_svg": "Whether SVG files are uploaded.",
    "preview": "The local preview.",
    "preview.editor": "Address that opens a file in your editor, with {path}, {line} and {column} in it.",
    "env": "Tables of an environment, which `--env NAME` puts on top of the others.",
}
"""By `table` and `table.key`."""
