"""KB2xx and KB30x: how the files of a tree fit together, and with the limits of the service."""

from __future__ import annotations

from kbsync.lint.rule import Rule, article

RULES_OF_TREES = (
    Rule(
        "KB201",
        "two articles of one slug, or two categories of one slug in a locale",
        "A slug of an article is unique over the whole service, portals and locales included; the service answers the "
        "second one with an error. Give one of them a `slug:` of its own.",
    ),
    Rule(
        "KB202",
        "a category that is not declared",
        "A category is declared by `_category.md` in its folder, in every locale by itself. Without it the article "
        "would stand in none.",
        article("Text.\n", "category: biling\n"),
    ),
    Rule(
        "KB203",
        "a locale that is not among the locales of kbsync.toml, or none at all",
        "The locale is the first folder, or the `locale:` of the front matter. The service would take any word, and "
        "nobody would find the article.",
    ),
    Rule(
        "KB204",
        "front matter and path say different things",
        "The front matter wins, and who looks for the file looks elsewhere. Delete the key, or move the file.",
    ),
    Rule(
        "KB205",
        "a slug that will be trouble in an address",
        "The service stores any slug. With a dot the page is 404; slashes, blanks, capitals and letters beyond a-z are "
        "written or shown in ways that readers get wrong. Write small letters, digits and hyphens.",
        article("Text.\n", "slug: v1.2\n"),
    ),
    Rule(
        "KB206",
        "a title or slug that is too long or empty",
        "The service takes at most 255 characters of each.",
        article("Text.\n", 'slug: " "\n'),
    ),
    Rule(
        "KB207",
        "a body that is too long",
        "The service takes at most 20,000 characters. Make two articles of it.",
    ),
    Rule(
        "KB208",
        "a description that is too long",
        "The service takes at most 20,000 characters, and one sentence is enough.",
    ),
    Rule(
        "KB210",
        "an author that kbsync.toml does not know",
        "`author` is a name from `[authors]` of kbsync.toml, which gives each the number of a person of the service.",
        article("Text.\n", "author: bob\n"),
    ),
    Rule(
        "KB211",
        "an article without a body",
        "The service takes no empty article. Write something below the front matter.",
        article("\n"),
    ),
    Rule(
        "KB212",
        "what a merge left behind",
        "Lines such as `<<<<<<< HEAD` mean that a merge was not finished: two versions of the text stand below each "
        "other, and readers would see both. Decide for one, and delete the markers.",
        article("<<<<<<< HEAD\nWithin 30 days.\n=======\nWithin 14 days.\n>>>>>>> shorter\n"),
    ),
    Rule(
        "KB213",
        "a translation of nothing",
        "`translation_of` names a file of another locale, by its path from the content root. As it stands the article "
        "is a translation of nothing, and readers cannot switch the language.",
        article("Text.\n", "translation_of: en/no.md\n"),
    ),
    Rule(
        "KB214",
        "an article that is not translated",
        "The tree has articles in another locale, and this one is not among them: readers there do not find it. "
        "Translate it, or ignore the code where that is meant.",
    ),
    Rule(
        "KB301",
        "a link to a file that is not there",
        "kbsync makes addresses of links between files. This one leads to none, and readers would get a page that is "
        "not found. Mend the path, which begins at the folder of the file that has the link.",
        article("See [the invoices](invoice.md).\n"),
    ),
    Rule(
        "KB302",
        "a link to a heading that is not there",
        "Readers would land at the top of the page. An anchor is the heading in small letters with hyphens, and only "
        "headings of level 1 to 3 have one.",
        article("See [below](refunds.md#when).\n\n## How long it takes\n\nA week.\n"),
    ),
    Rule(
        "KB303",
        "a picture that is not there",
        "Readers would see its words, or nothing. Add the file, or mend the path.",
        article("![The refund button](images/refund.png)\n"),
    ),
    Rule(
        "KB304",
        "a link from a published article to a draft",
        "The draft is in no list and no search, and may be unfinished; who follows the link sees it all the same. "
        "Publish both, or take the link out until then.",
    ),
    Rule(
        "KB305",
        "a link to an archived article",
        "It was taken out of all lists because it no longer holds. Link to what replaces it.",
    ),
    Rule(
        "KB306",
        "a link to an article that kbsync does not publish",
        "With `manage: false` nobody but the panel makes the article, and kbsync only supposes its address. "
        "Look whether the portal has an article of that slug.",
    ),
    Rule(
        "KB307",
        "a link to a file that is no article",
        "The portal has pages for articles and categories only. Put the file on a server and link to it there.",
    ),
    Rule(
        "KB308",
        "a picture that no article shows",
        "It lies in the tree and nobody sees it. Show it, or delete it.",
    ),
    Rule(
        "KB310",
        "an external link that is dead",
        "The address answered that there is nothing, its name does not exist, or its certificate is not valid. "
        "Only `kbsync lint --external` asks. Mend the link, or take it out.",
    ),
    Rule(
        "KB320",
        "a picture that is none, or of a kind that is not allowed",
        "PNG, JPEG, GIF, WebP and AVIF show in every browser; what a file is say its first bytes, not its name. An SVG "
        "can run programs in the reader's browser: `allow_svg = true` in [assets] allows it.",
    ),
    Rule(
        "KB321",
        "a picture whose file is too large",
        "Readers wait for it. Save it smaller, or raise `max_kb` in [assets] of kbsync.toml.",
    ),
    Rule(
        "KB322",
        "a picture with too many pixels",
        "No screen shows them. Scale it down, or raise `max_pixels` in [assets] of kbsync.toml.",
    ),
    Rule(
        "KB323",
        "a picture where the service takes none",
        "The profile has no upload. Publish the pictures elsewhere, and say where with `base_url` in [assets].",
    ),
)
