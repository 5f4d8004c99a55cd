"""What only the writer sees on a page, as values: its panel, its bar, and the counts of all files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """A number that leads to a list, or one way to limit a list. `level` is a state that the style knows."""

    text: str
    url: str
    level: str = ""
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class WriterFinding:
    """One finding in the source.

    Args:
        editor_url: opens it in the editor.
        code_url: explains its code, "" without one.
        block: which element of the article it is in, from 0; -1 where it is in none.
        page_url: the place on the page of its file, for a list of several files.
        is_hidden: whether it is about what readers will not see.
    """

    level: str
    code: str
    message: str
    hint: str = ""
    line: int = 1
    column: int = 1
    editor_url: str = ""
    code_url: str = ""
    block: int = -1
    page_url: str = ""
    is_hidden: bool = False

    @property
    def mark(self) -> str:
        """The name of its place in the text."""
        return f"{self.line}-{self.column}"


@dataclass(frozen=True, slots=True)
class WriterTranslation:
    """The same article in another locale, or a translation itself.

    Args:
        locale: its language.
        state: fresh, stale, missing, or there where nothing more is known.
        url: its page, "" where it is missing.
        reason: a sentence, where the state needs one.
        changes: what changed in the original since, as name and HTML of each field.
        path: the file to create, where it is missing.
        owed: what is to be translated, in words; "" where that is not known.
    """

    locale: str
    state: str
    url: str = ""
    reason: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    path: str = ""
    owed: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command to run in a terminal: what it does, in words, and its line."""

    text: str
    line: str


@dataclass(frozen=True, slots=True)
class WriterDiff:
    """How the page differs from what the portal holds.

    Args:
        state: what was compared, in words: "The portal has it as draft.".
        fields: name, value on the portal, value here.
        body_html: the body with `<ins>` and `<del>`; goes into the page as it is.
        plan: what `kbsync plan` shows for this file, one sentence each.
        commands: what decides, where a person has to.
    """

    state: str
    fields: tuple[tuple[str, str, str], ...] = ()
    body_html: str = ""
    plan: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()

    @property
    def tally(self) -> int:
        """How many fields differ, the body among them."""
        return len(self.fields) + bool(self.body_html)


@dataclass(frozen=True, slots=True)
class Broken:
    """Why a page shows what was there before.

    Args:
        message: what is wrong, and where.
        file: the one to open, as a person names it.
        editor_url: opens it, at the line.
        title: what a person sees meanwhile.
    """

    message: str
    file: str = ""
    editor_url: str = ""
    title: str = "The page shows the last version without this error."

    def __bool__(self) -> bool:
        return bool(self.message)


NOTHING_BROKEN = Broken("")


@dataclass(frozen=True, slots=True)
class Writer:
    """What only the writer sees: the source behind a page.

    Args:
        status: the article's own, or a word about the files where the page has no source.
        path: the source, relative to the root; "" for a page without one.
        slug: the address' last part.
        public_url: where readers will find it.
        editor_url: opens the source in the editor.
        findings: what is wrong with it.
        hidden: what readers will not see of it.
        translations: the same in other locales.
        diff: against the portal; None where there is nothing to compare.
        broken: why the page shows what was there before.
        counts: of all files, where the page has no source: each leads to its list.
    """

    status: str = ""
    path: str = ""
    slug: str = ""
    public_url: str = ""
    editor_url: str = ""
    findings: tuple[WriterFinding, ...] = ()
    hidden: tuple[WriterFinding, ...] = ()
    translations: tuple[WriterTranslation, ...] = ()
    diff: WriterDiff | None = None
    broken: Broken = NOTHING_BROKEN
    counts: tuple[Choice, ...] = ()

    @property
    def level(self) -> str:
        """The gravest level among the findings, "" without any."""
        levels = {finding.level for finding in (*self.findings, *self.hidden)}
        return next((level for level in ("error", "warning") if level in levels), "")

    @property
    def errors(self) -> tuple[WriterFinding, ...]:
        """Those because of which nothing is pushed."""
        return tuple(finding for finding in self.listed if finding.level == "error")

    @property
    def listed(self) -> tuple[WriterFinding, ...]:
        """All findings, in the order of the file."""
        return tuple(sorted((*self.findings, *self.hidden), key=lambda finding: (finding.line, finding.column)))
