"""What people do in the panel, beyond `both_ways.py`."""

from push.world import PORTAL

from .both_ways import prose
from .wide_game import WORD, Wide

# --- the panel -------------------------------------------------------------------------------------------------------


def discard(game: Wide) -> None:
    item = game.an_article()
    if item.draft_content:
        game.give_up(item.draft_content, item.content or "")
        game.sandbox.panel.discard_staged(item.slug)


def panel_delete(game: Wide) -> None:
    item = game.an_article()
    if len(game.articles()) > 3:
        game.give_up(f"{item.content} {item.draft_content}", game.everything())
        game.sandbox.panel.delete(item.slug)


def recreate(game: Wide) -> None:
    """A person deletes an article and makes another one with its slug."""
    item, number = game.an_article(), game.next()
    game.give_up(f"{item.content} {item.draft_content}", game.everything())
    game.sandbox.panel.delete(item.slug)
    text = f"ID{number}x made again.\n\n{prose(number)}\n"
    game.sandbox.panel.create(
        PORTAL, f"Again {number}", text, slug=item.slug, category_id=item.category_id, locale=item.locale
    )


def bulk_status(game: Wide) -> None:
    chosen = game.rng.sample(game.articles(), min(3, len(game.articles())))
    status = game.rng.choice(["draft", "published", "archived"])
    for item in chosen:
        if item.draft_content and status == "published":
            game.give_up(item.content or "", item.draft_content)
    game.sandbox.panel.change_status([item.slug for item in chosen], status)


def panel_ends(game: Wide) -> None:
    """The same text with other line ends, or one more at the end."""
    item = game.an_article()
    text = item.content or ""
    game.sandbox.panel.edit(
        item.slug, content=game.rng.choice([text + "\n", text.replace("\n", "\r\n"), text.rstrip("\n")])
    )


def panel_locale(game: Wide) -> None:
    item, other = game.an_article(), game.an_article()
    if other.category_id:
        game.sandbox.panel.move([item.slug], other.category_id)


def roll_back(game: Wide) -> None:
    """A person puts an older text back: the newer words of it are what they decided against."""
    item = game.an_article()
    lines = (item.content or "").split("\n")
    kept = [line for line in lines if not WORD.search(line)]
    if len(kept) < len(lines):
        game.give_up(item.content or "", "\n".join(kept))
        game.sandbox.panel.edit(item.slug, content="\n".join(kept))
