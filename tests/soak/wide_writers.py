"""What writers do in their clones, beyond `both_ways.py`: merges and branches, names that change hands, links, images."""

import shutil
from pathlib import Path

from .both_ways import LOCALES, PIXEL, name_of, prose
from .wide_game import Wide, category_slug_of, set_slug, slug_of

# --- clones and branches ---------------------------------------------------------------------------------------------


def other_clone(game: Wide) -> None:
    game.folder = game.rng.choice(game.clones())


def new_clone(game: Wide) -> None:
    if len(game.clones()) < 3:
        game.clone()


def fetch(game: Wide) -> None:
    game.fetch()


def send(game: Wide) -> None:
    game.send()


def branch(game: Wide) -> None:
    """Somebody goes on from an older commit, on a branch."""
    game.commit()
    game.git("checkout", "-q", "-b", f"feature-{game.next()}", f"HEAD~{game.rng.randrange(3)}")


def back_to_main(game: Wide) -> None:
    game.commit()
    game.git("checkout", "-q", "main")


def squash(game: Wide) -> None:
    """All of this clone's commits that the remote does not have become one."""
    game.fetch()
    if base := game.git("merge-base", "HEAD", "origin/main").strip():
        game.git("reset", "-q", "--soft", base)
        game.commit()


def push_in_ci(game: Wide) -> None:
    """A job that clones what is at the remote, whole or its last commit alone, pushes, and is gone."""
    here, game.folder = game.folder, game.home / f"job-{game.next()}"
    depth = game.rng.choice([(), ("--depth", "1")])
    try:
        game.git("clone", "-q", *depth, (game.home / "origin.git").as_uri(), str(game.folder), at=game.home)
        game.kbsync("push", *game.rng.choice([(), ("--publish",), ("--publish",), ("--recreate",)]))
    finally:
        shutil.rmtree(game.folder, ignore_errors=True)
        game.folder = here


# --- writers ---------------------------------------------------------------------------------------------------------


def translate(game: Wide) -> None:
    """The same path in the other locale."""
    path = game.a_file().relative_to(game.folder / "content")
    other = game.folder / "content" / ("fr" if path.parts[0] == "en" else "en") / Path(*path.parts[1:])
    if not other.exists() and other.parent.exists():
        number = game.next()
        other.write_text(f"---\ntitle: Trad {number}\n---\nID{number}x translated.\n\n{prose(number)}\n")


def trade_slugs(game: Wide) -> None:
    """A ring of two or three."""
    files = game.files()
    ring = game.rng.sample(files, min(len(files), game.rng.choice((2, 2, 3))))
    slugs = [slug_of(path) for path in ring]
    for path, slug in zip(ring, [*slugs[1:], slugs[0]], strict=True):
        set_slug(path, slug)


def trade_files(game: Wide) -> None:
    one, other = game.rng.sample(game.files(), 2)
    text = one.read_text()
    # Until both are sent, a text may be on the portal under both names.
    game.twice |= {name_of(text), name_of(other.read_text())}
    one.write_text(other.read_text())
    other.write_text(text)


def change_case(game: Wide) -> None:
    path = game.a_file()
    path.rename(path.with_name(path.name.swapcase().replace(".MD", ".md")))


def category_slug(game: Wide) -> None:
    path = game.rng.choice(sorted((game.folder / "content").rglob("_category.md")))
    set_slug(path, f"cat-{game.next()}")


def move_folder(game: Wide) -> None:
    folder = game.rng.choice(sorted((game.folder / "content").rglob("_category.md"))).parent.relative_to(game.folder)
    other = folder.with_name(f"folder-{game.next()}")
    game.kbsync("mv", str(folder), str(other), *game.rng.choice([(), ("--only",), ("--keep-slug",)]))


def move_with_options(game: Wide) -> None:
    path = str(game.a_file().relative_to(game.folder))
    category = game.rng.choice(sorted((game.folder / "content").rglob("_category.md")))
    options = (
        ("--slug", f"mv-slug-{game.next()}"),
        ("--category", category_slug_of(category)),
        ("--locale", game.rng.choice(LOCALES), "--only"),
    )
    game.kbsync("mv", path, *game.rng.choice(options))


def link(game: Wide) -> None:
    one, other = game.rng.sample(game.files(), 2)
    target = Path("../..") / other.relative_to(game.folder / "content")
    one.write_text(f"{one.read_text()}\n[{game.line('Writer')}]({target.as_posix()})\n")


def image(game: Wide) -> None:
    """A new image, or other bytes for one, or another name."""
    path = game.a_file()
    images = sorted((game.folder / "content").rglob("*.png"))
    data = PIXEL + bytes(str(game.next()), "ascii")
    if images and game.rng.random() < 0.6:
        game.rng.choice(images).write_bytes(data)
        return
    name = f"image-{game.next()}.png"
    (path.parent / name).write_bytes(data)
    path.write_text(f"{path.read_text()}\n![{game.line('Writer')}]({name})\n")


def line_ends(game: Wide) -> None:
    path = game.a_file()
    data = path.read_bytes().replace(b"\r\n", b"\n")
    path.write_bytes(data.replace(b"\n", b"\r\n") if game.rng.random() < 0.5 else data + b"\n")


def lint(game: Wide) -> None:
    game.kbsync("lint", "--fix")
    game.tidy_names()
