"""One sentence about each key of a front matter, for the schema that editors use. A test compares both."""

from __future__ import annotations

from collections.abc import Mapping

ABOUT: Mapping[str, str] = {
    "title": "Title of the article; without it, the first level-1 heading is the title.",
    "name": "Name of the category.",
    "slug": "Last part of the address; without it, it is made from the name of the file or folder.",
    "category": "Slug of a category in the same language; without it, the category of the folder.",
    "locale": "Language, such as `en`; without it, the name of the first folder.",
    "status": "Status of the article on the portal; without it, it is a draft.",
    "description": "One sentence about the article or category.",
    "position": "Place in the order; smaller numbers come first.",
    "icon": "One emoji that the portal shows beside the category.",
    "icon_color": "Color behind the icon of the category, such as `#1f93ff`.",
    "author": "Name of an author from [authors] in kbsync.toml.",
    "tags": "Words that the article is filed under.",
    "meta_title": "Title for search engines.",
    "meta_description": "Description for search engines.",
    "translation_of": "Path of the original below the content folder; without it, the same path in the default locale.",
    "aliases": "Slugs that it had before, so that a new slug is a rename.",
    "manage": "Whether kbsync publishes the article: true, false, or `seed` to create it once.",
    "publish_on": "Not published before this date, or this date and time with a zone.",
    "release": "Published by `kbsync push --release` with this name, together with the others of the release.",
    "translated_from": "Version of the original that this translation renders; `kbsync translate --done` writes it.",
    "machine": "Whether a program made this translation; delete it once a person has checked the text.",
    "lint_ignore": "Codes of warnings to ignore in this file.",
}
