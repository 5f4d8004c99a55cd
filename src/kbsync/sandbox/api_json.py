"""What the API says about a row: the shapes of docs/service.md, sections 2 to 4, key by key in their order."""

from typing import Any

from .auth import Call
from .casts import STATUS_NAMES
from .categories import by_id, related_to
from .listing import Counters
from .records import Article, Author, Category, Portal, User, some_of
from .store import Store

Json = dict[str, Any]


def author_json(author: Author, call: Call) -> Json:
    """A person as articles show them; availability is known only for people of the account."""
    inside = author.role is not None
    return {
        "id": author.id,
        "account_id": call.account_id,
        "availability_status": "offline" if inside else None,
        "auto_offline": True if inside else None,
        "confirmed": author.confirmed,
        "email": author.email,
        **({} if call.world.behaviour.is_old else {"provider": "email"}),
        "available_name": author.name,
        "name": author.name,
        "role": author.role,
        "thumbnail": "",
    }


def article_json(article: Article, call: Call, linked: list[Json]) -> Json:
    """An article. `linked` are its translations as `linked_json` gives them; without any the key is absent."""
    is_4_16 = call.world.behaviour.is_4_16
    found: Json = some_of(article, "id slug title content description") | {"status": status_name(article)}
    found |= some_of(article, "draft_title draft_content") if is_4_16 else {}
    found |= some_of(article, "position account_id") | {"updated_at": article.updated_at // 1_000_000}
    category = some_of(article.category, "id name slug locale icon icon_color" if is_4_16 else "id name slug locale")
    found |= {"meta": article.meta, "category": category, "views": article.views}
    if article.author is not None:
        found["author"] = author_json(article.author, call)
    if linked:
        found["associated_articles"] = linked
    return found


def linked_json(article: Article, call: Call, portal: Json) -> Json:
    """A translation inside its root: no slug, no locale."""
    found: Json = some_of(article, "id category_id title content description") | {"status": status_name(article)}
    found |= {"account_id": article.account_id, "portal": portal, "views": article.views}
    if article.author is not None:
        found["author"] = author_json(article.author, call)
    return found


def status_name(article: Article) -> str | None:
    """The status by name; an article may have none."""
    return None if article.status is None else STATUS_NAMES[article.status]


def list_meta(counters: Counters, current_page: Any) -> Json:
    """The counters of an article list."""
    return {
        "all_articles_count": counters.everything,
        "archived_articles_count": counters.by_status.get(2, 0),
        "articles_count": counters.matching,
        "current_page": current_page,
        "draft_articles_count": counters.by_status.get(0, 0),
        "mine_articles_count": counters.mine,
        "published_count": counters.by_status.get(1, 0),
    }


def category_json(store: Store, category: Category, articles: int, *, is_4_16: bool) -> Json:
    """A category with what it is bound to; with its colour from 4.16 (S102)."""
    found = _plain_category(category) | {"icon": category.icon}
    if is_4_16:
        found["icon_color"] = category.icon_color
    related = related_to(store, category.id)
    if related:
        found["related_categories"] = [_plain_category(other) for other in related]
    parent, root = by_id(store, category.parent_category_id), by_id(store, category.associated_category_id)
    if parent:
        found["parent_category"] = _plain_category(parent)
    if root:
        found["root_category"] = _plain_category(root)
    return found | {"meta": {"articles_count": articles}}


def _plain_category(category: Category) -> Json:
    return some_of(category, "id name slug locale description position account_id")


def portal_json(portal: Portal, config: Json, meta: Json) -> Json:
    """A portal; `config` and `meta` are made by the caller."""
    found: Json = some_of(portal, "id color custom_domain header_text homepage_link name page_title slug archived")
    found |= {"custom_domain": portal.custom_domain or None, "account_id": portal.account_id, "config": config}
    return found | {"meta": meta | {"default_locale": portal.default_locale}}


def profile_json(user: User, token: str, accounts: list[tuple[int, str, bool, str]], *, is_4_16: bool) -> Json:
    """The token's owner. `accounts` are id, name, whether suspended, and role."""
    first = accounts[0] if accounts else (None, "", False, None)
    return {
        "access_token": token,
        "account_id": first[0],
        "available_name": user.name,
        "avatar_url": "",
        "confirmed": True,
        "display_name": None,
        "message_signature": None,
        "email": user.email,
        "id": user.id,
        "inviter_id": None,
        "name": user.name,
        "provider": "email",
        "pubsub_token": f"sandbox-{user.id}",
        "role": first[3],
        "ui_settings": {},
        "uid": user.email,
        "type": None,
        "accounts": [_membership_json(account, is_4_16=is_4_16) for account in accounts],
    }


def _membership_json(account: tuple[int, str, bool, str], *, is_4_16: bool) -> Json:
    account_id, name, suspended, role = account
    return {
        "id": account_id,
        "name": name,
        "status": "suspended" if suspended else "active",
        **({"onboarding_step": None} if is_4_16 else {}),
        "active_at": None,
        "role": role,
        "permissions": [role],
        "availability": "online",
        "availability_status": "offline",
        "auto_offline": True,
        **({"api_and_webhooks": True} if is_4_16 else {}),
    }
