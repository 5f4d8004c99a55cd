"""The pages of the sandbox's practice panel as values, and their HTML."""

from dataclasses import dataclass
from typing import TypeAlias

from kbsync.site.pages import Link, templates
from kbsync.words import count


@dataclass(frozen=True, slots=True)
class PracticeFrame:
    """What is around every page of the panel.

    Args:
        title: of the window and of the page.
        url: the list that the name of the panel leads to.
        next_step: a sentence about what to run after an edit; code is between backticks.
        reader_url: what readers see of this, "" where there is nothing.
        portals, locales: the other lists; the present one is marked `current`.
        notice: what was just done.
        problem: why something was not done.
        token: goes into every form.
    """

    title: str
    url: str
    next_step: str
    reader_url: str = ""
    portals: tuple[Link, ...] = ()
    locales: tuple[Link, ...] = ()
    notice: str = ""
    problem: str = ""
    token: str = ""


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """An article in the list. `url` is its editor; `number` its id in the page."""

    number: int
    title: str
    slug: str
    url: str
    status: str
    is_staged: bool = False


@dataclass(frozen=True, slots=True)
class PracticeSection:
    """A category. Its articles can be moved, those without a category cannot."""

    name: str
    new_url: str
    rows: tuple[PracticeRow, ...] = ()
    is_ordered: bool = True
    icon: str = ""

    @property
    def count(self) -> str:
        """How many articles, in words."""
        return count(len(self.rows), "article")


@dataclass(frozen=True, slots=True)
class PracticeList:
    """The articles of one locale, by category, in order; `left_out` of them are not shown."""

    frame: PracticeFrame
    sections: tuple[PracticeSection, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class PracticeEditor:
    """The form of one article; a new one has no status.

    Args:
        url: where the form is sent.
        place: the category.
        version: of the texts that the form began with.
        hint: what saving does.
        stages: whether saving leaves the live text as it is.
    """

    frame: PracticeFrame
    url: str
    title: str
    content: str
    place: str
    hint: str
    version: str = ""
    slug: str = ""
    status: str = ""
    is_staged: bool = False
    stages: bool = False


@dataclass(frozen=True, slots=True)
class PracticeQuestion:
    """Whether an article is to be deleted."""

    frame: PracticeFrame
    url: str
    article: str
    version: str


@dataclass(frozen=True, slots=True)
class PracticeNote:
    """A few sentences instead of a page."""

    frame: PracticeFrame
    sentences: tuple[str, ...]


PracticePage: TypeAlias = PracticeList | PracticeEditor | PracticeQuestion | PracticeNote

TEMPLATES: dict[type[PracticePage], str] = {
    PracticeList: "practice_list.html",
    PracticeEditor: "practice_editor.html",
    PracticeQuestion: "practice_question.html",
    PracticeNote: "practice_note.html",
}


def render_practice(page: PracticePage) -> str:
    """The HTML of a page."""
    return templates().get_template(TEMPLATES[type(page)]).render(page=page, frame=page.frame)
