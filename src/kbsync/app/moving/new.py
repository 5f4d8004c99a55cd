"""New files for `kbsync new`: the right place, the keys that they need, and nothing overwritten."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from kbsync.app.file_transaction import write_file
from kbsync.app.moving.move_paths import check_name, inside
from kbsync.app.reading import Reading, read_content
from kbsync.app.workspace import Workspace
from kbsync.command import command_line
from kbsync.content.apart import take_apart
from kbsync.content.body import CATEGORY_FILE, raw_digest
from kbsync.content.identity import Site, default_slug, folder_category, locale_of, one_form, title_of
from kbsync.content.post import dumps, new_post
from kbsync.content.relink import folder_of, relink
from kbsync.content.source import Source
from kbsync.errors import ContentError, UsageError
from kbsync.files import real_path, relative
from kbsync.lint.fill_ins import PLACEHOLDER


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that was written, and what to do next."""

    path: Path
    notes: tuple[str, ...]


@dataclass
class NewFiles:
    """Writes new files into the content of a project.

    Args:
        workspace: the project.
        here: the folder from which paths are seen.
    """

    workspace: Workspace
    here: Path

    @cached_property
    def _reading(self) -> Reading:
        return read_content(self.workspace, compiled=False)

    @property
    def _site(self) -> Site:
        return self._reading.compiler.site

    @cached_property
    def _root(self) -> Path:
        return real_path(self.workspace.content_root)

    @property
    def _locales(self) -> tuple[str, ...]:
        return tuple(self.workspace.settings.content.locales) or self._site.locales

    def article(self, given: str, title: str) -> NewFile:
        """A new article.

        Raises:
            UsageError: it exists, or cannot be there.
        """
        path = self._place(given if given.endswith(".md") else f"{given}.md")
        title = title.strip() or title_of(path)
        text = dumps(new_post(f"\n{PLACEHOLDER}\n", title=title, **self._slug(path), status="draft"))
        return self._write(path, text, self._what_next(path))

    def category(self, given: str, name: str) -> NewFile:
        """The file that describes a new category.

        Raises:
            UsageError: it exists, or cannot be there.
        """
        folder = given.removesuffix(CATEGORY_FILE).rstrip("/" + os.sep)
        path = self._place(f"{folder}/{CATEGORY_FILE}", kind=CATEGORY_FILE)
        if len(path.split("/")) < 3:
            raise UsageError(f"`{given}` is not a folder for a category.", hint="Name one, such as `en/billing`.")
        locale, slug = locale_of(path, self._locales), one_form(path.split("/")[-2])
        taken = {of for there, of in self._site.declared if there == locale}
        keys = {"slug": _free(slug, "category", taken)} if slug in taken else {}
        text = dumps(new_post("", name=name.strip() or title_of(folder_of(path)), **keys))
        article = command_line("new article", f"{folder}/first-article")
        is_empty = not any(folder_of(other) == folder_of(path) for other in self._site.articles)
        return self._write(path, text, [f"To write its first article, run `{article}`."] if is_empty else [])

    def translation(self, given: str, locale: str, of: str) -> NewFile:
        """A new translation, with the text of its original to be translated.

        Args:
            given: the path of the translation; with `locale`, that of the original.
            locale: the language of the translation; "" where the path says it.
            of: the original, where its path is another one.

        Raises:
            UsageError: it exists, or cannot be there, or there is no original.
        """
        if locale and of:
            raise UsageError("`--locale` and `--of` exclude each other.")
        default = self.workspace.settings.content.default_locale
        if locale:
            original = self._original(given)
            path = self._place(f"{locale}/{original.partition('/')[2]}", from_root=True)
        else:
            self._refuse_original(given)
            path = self._place(given if given.endswith(".md") else f"{given}.md")
            original = self._original(of) if of else f"{default}/{path.partition('/')[2]}"
        if original not in self._site.articles:
            hint = f"Name it: `{command_line('new translation', given, options=[('--of', f'{default}/...')])}`."
            raise UsageError(f"There is no original at {original}.", hint=hint)
        if locale_of(path, self._locales) == self._site.articles[original].locale:
            raise UsageError(f"`{path}` is in the language of its original.", hint="Add `--locale` with another one.")
        text = self._translated(path, original)
        return self._write(path, text, ["Translate the title and the text.", *self._what_next(path)])

    def _original(self, given: str) -> str:
        for base in (real_path(self.here), self._root):
            path = inside(base, given, self._root)
            if path in self._site.articles:
                return path
        raise UsageError(f"There is no article `{given}`.", hint="Name the file of the original.")

    def _translated(self, path: str, original: str) -> str:
        """The original's text with the keys of a translation; links lead to the translation of what they meant."""
        tree = self._reading.compiler.tree
        source, data = tree.sources[original], tree.read_bytes(original)
        if raw_digest(data) != source.raw_digest:
            raise ContentError(f"{original} changed while kbsync was running.", hint="Run the command again.")
        locale, default = locale_of(path, self._locales), self._site.articles[original].locale

        def where(target: str) -> str:
            if target == original:
                return path
            first, slash, rest = target.partition("/")
            there = f"{locale}/{rest}"
            return there if slash and first == default and there in self._site.by_path else target

        text = relink(source, data, path, where, lambda _: True).text
        return dumps(new_post(take_apart(text).body, **self._keys_of_translation(path, source)))

    def _keys_of_translation(self, path: str, source: Source) -> dict[str, object]:
        """The keys that a translation begins with."""
        keys: dict[str, object] = {"title": source.title} if not any(source.title_span) else {}
        for key in ("description", "position", "tags"):
            if (value := getattr(source, key)) is not None:
                keys[key] = list(value) if isinstance(value, tuple) else value
        if self._site.translated(path, None) != source.path:
            keys["translation_of"] = source.path
        return {**keys, **self._slug(path), "status": "draft"}

    def _refuse_original(self, given: str) -> None:
        """Refuse the file of an original, which is there already, with what to type instead.

        Raises:
            UsageError: it is one.
        """
        default = self.workspace.settings.content.default_locale
        others = [locale for locale in self._locales if locale != default]
        file = given if given.endswith(".md") else f"{given}.md"
        for base in (real_path(self.here), self._root):
            path = inside(base, file, self._root)
            if others and path in self._site.articles and locale_of(path, self._locales) == default:
                command = command_line("new translation", file, options=[("--locale", others[0])])
                raise UsageError(f"`{path}` is the original.", hint=f"To translate it, run `{command}`.")

    # --- places ----------------------------------------------------------------------------------------------------

    def _place(self, given: str, *, from_root: bool = False, kind: str = "") -> str:
        """The path of a new file, as seen from the working folder or else from the content folder.

        Raises:
            UsageError: there is something already, or it is outside of every locale.
        """
        bases = (self._root,) if from_root else (real_path(self.here), self._root)
        paths = [path for base in bases if (path := inside(base, given, self._root))]
        if not paths:
            raise UsageError(f"`{given}` is outside of the content folder.", hint=self._in_a_locale())
        # From `content/en`, both `billing/x` and `en/billing/x` may be written.
        path = next((path for path in paths if (self._root / path).parent.is_dir()), paths[0])
        if locale_of(paths[-1], self._locales) and self._repeats(paths[0]):
            path = paths[-1]
        if not locale_of(path, self._locales):
            raise UsageError(f"`{path}` is not in a locale folder.", hint=self._in_a_locale())
        self._check_free(path, kind)
        return path

    def _check_free(self, path: str, kind: str) -> None:
        place = self._root / path
        if not os.path.lexists(place):
            check_name(path, kind)
        parent = next(folder for folder in place.parents if os.path.lexists(folder))
        if os.path.lexists(place):
            raise UsageError(f"`{path}` already exists.", hint="Choose another name, or edit that file.")
        if real_path(parent) != parent or not parent.is_dir():
            raise UsageError(f"`{path}` cannot be made: {parent.name} is not a folder.", hint="Choose another place.")

    def _repeats(self, path: str) -> bool:
        """Whether a path has a locale in it twice, because the user is in that locale's folder."""
        parts = path.split("/")
        return len(parts) > 1 and parts[1] in self._locales and not (self._root / parts[0] / parts[1]).exists()

    def _in_a_locale(self) -> str:
        return f"Begin with one of these folders: {', '.join(self._locales)}."

    def _slug(self, path: str) -> dict[str, str]:
        """The key `slug`, where the file's name gives one that is taken, or that the service needs itself."""
        site, locale = self._site, locale_of(path, self._locales)
        slug = default_slug(path, locale, site)
        taken = {identity.slug for identity in site.articles.values()}
        taken |= {*self.workspace.profile.limits.reserved_slugs}
        return {"slug": _free(slug, folder_of(path).rpartition("/")[2], taken)} if slug in taken else {}

    # --- writing ---------------------------------------------------------------------------------------------------

    def _what_next(self, path: str) -> list[str]:
        site, locale = self._site, locale_of(path, self._locales)

        def slug_at(category: str) -> str | None:
            found = site.categories.get(category)
            return found.slug if found else None

        category, notes = folder_category(path, self._locales, slug_at), []
        if category and (locale, category) not in site.declared:
            command = command_line("new category", relative(self._root / folder_of(path)))
            notes.append(f"`{category}` is not a category in {locale} yet. Run `{command}`.")
        elif not category:
            notes.append("Articles without a category are hard to find. Move it into the folder of a category.")
        return [*notes, "Run `kbsync preview` to see it, and `kbsync lint` to check it."]

    def _write(self, path: str, text: str, notes: Iterable[str]) -> NewFile:
        place = self._root / path
        try:
            write_file(place, None, text.encode())
        except OSError as exc:
            raise ContentError(f"{place} cannot be written: {exc.strerror}.") from exc
        return NewFile(place, tuple(notes))


def _free(slug: str, word: str, taken: Iterable[str]) -> str:
    """A slug that is not taken: with the name of its folder before it, then with a number behind it."""
    taken = set(taken)
    names = (f"{word}-{slug}", *(f"{word}-{slug}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)
