"""Pages as they were made, kept until something on them changes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from kbsync.preview.live_tree import Touched
from kbsync.preview.views import View
from kbsync.site.pages import ArticlePage, CategoryPage, Page

PAGES = 64
"""So many are kept, those asked for last."""


@dataclass(slots=True)
class Pages:
    """The pages of the local site. `view` gives the dress of now."""

    view: Callable[[], View]
    _kept: OrderedDict[tuple[str, bool], Page] = field(default_factory=OrderedDict)

    def at(self, url: str, *, media: bool) -> Page:
        """The page at an address, with media of other hosts or without."""
        page = self._kept.get((url, media))
        if page is None:
            page = self.view().page_at(url, media=media)
            # A home page has the findings of all, and what is nowhere may appear: these are made every time.
            if isinstance(page, ArticlePage | CategoryPage):
                self._kept[url, media] = page
            while len(self._kept) > PAGES:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end((url, media))
        return page

    def forget(self, touched: Touched) -> None:
        """What may be different now is rendered again when it is asked for."""
        for key in [key for key in self._kept if key[0] in touched]:
            del self._kept[key]
