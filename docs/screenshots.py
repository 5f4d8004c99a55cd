"""Makes the images in docs/images: kbsync's own help center, as the pages of the tests show it.

    python docs/screenshots.py            all images
    python docs/screenshots.py article    those with this word in their name

Needs the packages of `kbsync[dev]`, a Chromium, and a font with emoji: on Debian `fonts-noto-core` and
`fonts-noto-color-emoji`.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "site"))

from playwright.sync_api import sync_playwright  # noqa: E402
from site_sample import missing, search_rows, whole_site  # noqa: E402
from site_server import Served, served  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from kbsync.site.pages import Page as Content

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

ARTICLE = "/en/articles/first-push"


@dataclass(frozen=True)
class Shot:
    """One image: its page, width, color scheme, and what to do first."""

    name: str
    url: str
    dark: bool = False
    phone: bool = False
    writer: str = "off"
    prepare: Callable[[Page], None] = field(default=lambda _page: None)


def search(page: Page) -> None:
    """Type into the search box."""
    page.keyboard.press("/")
    page.keyboard.type("token secret", delay=20)
    page.wait_for_selector("#kb-found a")
    page.wait_for_timeout(300)


def tab(name: str) -> Callable[[Page], None]:
    """Open a tab of the writer panel."""
    return lambda page: page.click(f"#kb-tab-{name}")


def down(pixels: int) -> Callable[[Page], None]:
    """Scroll, and wait until the page is still."""

    def scroll(page: Page) -> None:
        page.evaluate(f"scrollTo({{top: {pixels}, behavior: 'instant'}})")
        page.wait_for_timeout(300)

    return scroll


SHOTS = (
    Shot("home-light", "/en/"),
    Shot("home-dark", "/en/", dark=True),
    Shot("home-phone", "/en/", phone=True),
    Shot("category-light", "/en/categories/publishing"),
    Shot("category-dark", "/en/categories/publishing", dark=True),
    Shot("category-phone", "/en/categories/publishing", phone=True),
    Shot("article-light", ARTICLE, prepare=down(420)),
    Shot("article-dark", ARTICLE, dark=True),
    Shot("article-phone", ARTICLE, phone=True),
    Shot("article-french", "/fr/articles/first-push"),
    Shot("places-phone", ARTICLE, phone=True, prepare=lambda page: page.click("#kb-places summary")),
    Shot("writer-light", ARTICLE, writer="on", prepare=tab("findings")),
    Shot("writer-dark", ARTICLE, dark=True, writer="on", prepare=tab("portal")),
    Shot("writer-languages", ARTICLE, writer="on", prepare=tab("translations")),
    Shot("writer-portal", ARTICLE, writer="on", prepare=tab("portal")),
    Shot("findings-light", "/-/findings"),
    Shot("findings-phone", "/-/findings", phone=True),
    Shot("writer-phone", ARTICLE, phone=True, writer="on", prepare=tab("findings")),
    Shot("missing-light", "/en/articles/first-pusch"),
    Shot("missing-dark", "/en/articles/first-pusch", dark=True),
    Shot("missing-phone", "/en/articles/first-pusch", phone=True),
    Shot("search-light", "/en/", prepare=search),
    Shot("search-dark", "/en/", dark=True, prepare=search),
    Shot("search-phone", ARTICLE, phone=True, prepare=search),
)


def take(browser: Browser, base: str, shot: Shot, folder: Path) -> None:
    """Make one image."""
    context = browser.new_context(
        viewport=PHONE if shot.phone else DESKTOP,
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
    )
    context.add_init_script(f"localStorage.setItem('kbsync-writer', '{shot.writer}')")
    page = context.new_page()
    page.goto(base + shot.url)
    shot.prepare(page)
    page.screenshot(path=folder / f"{shot.name}.png")
    context.close()


def for_readers(page: Content) -> Content:
    """A page as a build has it, without what only the writer sees."""
    return replace(page, frame=replace(page.frame, writer=None, live_url=""))


def main() -> None:
    """Make the images that the command line names."""
    folder = ROOT / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    pages = whole_site()
    indexes = {f"/-/search/{locale}.json": search_rows(pages, locale) for locale in ("en", "fr")}
    wanted = [shot for shot in SHOTS if not sys.argv[1:] or any(word in shot.name for word in sys.argv[1:])]
    readers = {url: for_readers(page) for url, page in pages.items()}
    with (
        served(Served(pages, missing, indexes)) as writing,
        served(Served(readers, missing, indexes)) as reading,
        sync_playwright() as playwright,
    ):
        arguments = ["--no-sandbox", "--font-render-hinting=none"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        for shot in wanted:
            is_read = shot.url.endswith("/first-push") and shot.writer == "off"
            take(browser, (reading if is_read else writing).url, shot, folder)
            print(
                f"docs/images/{shot.name}.png  {(folder / shot.name).with_suffix('.png').stat().st_size / 1000:.0f} kB"
            )
        browser.close()


if __name__ == "__main__":
    main()
