"""Every code, those of other layers included: KB1xx come from reading a file, KB5xx from making a plan."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """One code and what it is about.

    Args:
        code: stable, `KB` and three digits.
        title: what was found, in a few words.
        explanation: what readers or the service would make of it, and what to do; one or two sentences.
        example: a source (front matter and body) that has it.
        fixable: whether `lint --fix` mends it.
    """

    code: str
    title: str
    explanation: str = ""
    example: str = ""
    fixable: bool = False


RULES = {
    rule.code: rule
    for rule in (
        Rule("KB101", "the file is not UTF-8"),
        Rule("KB102", "the file or folder cannot be read"),
        Rule("KB103", "the file is empty"),
        Rule("KB104", "the front matter is not valid YAML"),
        Rule("KB105", "the front matter is not a list of keys and values"),
        Rule("KB106", "a key is given twice"),
        Rule("KB107", "an unknown key"),
        Rule("KB108", "a value of the wrong type"),
        Rule("KB109", "a status that is none"),
        Rule("KB110", "an article without a title, or a category without a name"),
        Rule("KB111", "front matter that is never closed"),
        Rule("KB112", "front matter that is too large"),
        Rule("KB113", "a wrong `manage`"),
        Rule("KB114", "a NUL character"),
        Rule("KB115", "a symbolic link out of the tree, in a circle, or to nothing"),
        Rule("KB116", "a key without a value"),
        Rule(
            "KB120",
            "a comment or key that should ignore a finding, and does not",
            "A code that no rule has ignores nothing, and a comment at the beginning of a line hides the rest of that "
            "line from readers. Write `<!-- kbsync-ignore KB301: why -->` behind the text, or on the line above.",
            "---\ntitle: Refunds\n---\nText. <!-- kbsync-ignore KB999 -->\n",
        ),
        Rule("KB201", "two articles of one slug, or two categories of one slug in a locale"),
        Rule("KB202", "a category that is not declared"),
        Rule("KB203", "a locale that is not among the locales of kbsync.toml, or none at all"),
        Rule("KB204", "front matter and path say different things"),
        Rule("KB205", "a slug that will be trouble in an address"),
        Rule("KB206", "a title or slug that is too long or empty"),
        Rule("KB207", "a body that is too long"),
        Rule("KB208", "a description that is too long"),
        Rule("KB210", "an author that kbsync.toml does not know"),
        Rule("KB211", "an article without a body"),
        Rule("KB213", "a translation of nothing"),
        Rule("KB301", "a link to a file that is not there"),
        Rule("KB302", "a link to a heading that is not there"),
        Rule("KB303", "a picture that is not there"),
        Rule(
            "KB310",
            "an external link that is dead",
            "The address answered that there is nothing, its name does not exist, or its certificate is not valid. "
            "Only `kbsync lint --external` asks. Mend the link, or take it out.",
        ),
        Rule("KB320", "a picture that is none, or of a kind that is not allowed"),
        Rule("KB321", "a picture whose file is too large"),
        Rule("KB322", "a picture with too many pixels"),
        Rule("KB323", "a picture where the service takes none"),
        Rule("KB501", "an article that is managed and has no source any more"),
        Rule("KB502", "an article made in the panel that looks like one of ours"),
        Rule("KB503", "an address that readers may know and that will be dead"),
        Rule("KB505", "an article that may be another one renamed"),
    )
}
