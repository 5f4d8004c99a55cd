"""What `lint --fix` does to one file: it helps, it does nothing else, and doing it twice is doing it once."""

import re
from collections import Counter

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from builders import source_of
from kbsync.lint import inspect
from kbsync.lint.fixes import fix_text
from kbsync.markdown.html import render_html
from kbsync.report.rules import RULES

from .texts import FRONT, OF_ONE_TEXT, problems

PATH = "en/billing/refunds.md"


def fixed(text: str) -> str:
    """The body after mending, of an article with a title."""
    data = fix_text(PATH, (FRONT + text).encode())
    return data.decode().removeprefix(FRONT)


def left(text: str) -> list[str]:
    """The codes that `--fix` promises to mend and has not."""
    return [problem.code for problem in problems(text) if problem.fixable]


FIXES = [
    ("See https://x.y/a.\n", "See <https://x.y/a>.\n"),
    ("(https://x.y/a_(b)) **https://x.y**\n", "(<https://x.y/a_(b)>) **<https://x.y>**\n"),
    ("https://x.y/?a=1&amp;b\n", "<https://x.y/?a=1&amp;b>\n"),
    ("https://x.y/<your-key>/b\n", "https://x.y/\\<your-key>/b\n"),
    ("https://youtu.be/abc\n", "<https://youtu.be/abc>\n"),
    ("| https://x.y | b |\n| --- | --- |\n", "| <https://x.y> | b |\n| --- | --- |\n"),
    ("Write <your-key> here: List<String>\n", "Write \\<your-key> here: List\\<String>\n"),
    ("<your-key>\nand <other-key>\n", "\\<your-key>\nand \\<other-key>\n"),
    ("<your-key>\nsee https://x.y\n", "\\<your-key>\nsee <https://x.y>\n"),
    ("a<br>\nb\n", "a\\\nb\n"),
    ("- a <br/>\n  b\n", "- a\\\n  b\n"),
    ("a<br>\n", "a<br>\n"),
    ("a<br>b\n", "a<br>b\n"),
    ("a<br>\n\nb\n", "a<br>\n\nb\n"),
    ("<br>\nb\n", "<br>\nb\n"),
    ("## A {#a}\n", "## A\n"),
    ("## A {#a .b}  \nx\n", "## A  \nx\n"),
    ("## {#a}\n", "## {#a}\n"),
    ("words {#a}\n", "words {#a}\n"),
    ("## A {#x}\n## A {#y}\n", "## A\n## A {#y}\n"),
    ("1. a\n  - b\n  - c\n\n    d\n2. e\n", "1. a\n   - b\n   - c\n\n     d\n2. e\n"),
    ("10. a\n  - b\n    - c\n", "10. a\n    - b\n      - c\n"),
    ("1. a\n  1. b\n  2. c\n2. d\n  1. e\n", "1. a\n   1. b\n   2. c\n2. d\n   1. e\n"),
    ("1. a\n  - b\n    ```\n    c\n    ```\n2. d\n", "1. a\n   - b\n     ```\n     c\n     ```\n2. d\n"),
    ("> 1. a\n>   - b\n", "> 1. a\n>   - b\n"),
    ("1. a\n  - b\n\t- c\n", "1. a\n  - b\n\t- c\n"),
    ("~~a~~ [^1] - [ ] !!! note <b>x</b>\n", "~~a~~ [^1] - [ ] !!! note <b>x</b>\n"),
    ("a {{<required>}} <name> {{% <x> %}}\n", "a {{<required>}} \\<name> {{% <x> %}}\n"),
    ("{{<required>}}\n", "{{<required>}}\n"),
    ("{{ a\n  <b> }} and {% url https://x.y %}\n", "{{ a\n  <b> }} and {% url https://x.y %}\n"),
    ("a {{ <name>\n", "a {{ \\<name>\n"),
    ("<https://x.y >, < https://x.y/a> and < https://x.y/b >\n", "<https://x.y>, <https://x.y/a> and <https://x.y/b>\n"),
    ("1 < https://x.y and <https://x.y|words> \\< https://x.y >\n", "1 < https://x.y and <https://x.y|words> \\< https://x.y >\n"),
    ("# T\n\n\nWords.\n", "Words.\n"),
    ("\nT\n===\nWords.\n## A\n", "\nWords.\n## A\n"),
    ("# T\n\n# A\nWords.\n", "\n## A\nWords.\n"),
    ("# T\n# A\nWords.\n", "## A\nWords.\n"),
    ("## I\n# A\n## B\n# C\n", "## I\n## A\n### B\n## C\n"),
    ("# A\n## B\n### C\n", "# A\n## B\n### C\n"),
    ("A\n===\nWords.\n", "A\n===\nWords.\n"),
    ("### A\n#### B\n### C\n", "## A\n### B\n## C\n"),
    ("## A\n#### B\n### C\n", "## A\n#### B\n### C\n"),
    ("##A\n\n###A-b\n\n> ##C\n", "## A\n\n### A-b\n\n> ## C\n"),
    ("##\u00a0A b\n\n###\u3000見出し\n", "## A b\n\n### 見出し\n"),
    (
        "| a | b |\n| --- | --- |\n| `x | y` | z |\n| `c` | `(d | e | f)[]` |\n",
        "| a | b |\n| --- | --- |\n| `x \\| y` | z |\n| `c` | `(d \\| e \\| f)[]` |\n",
    ),
    (
        "at http://&lt;ui_url&gt;/?flow&#x3D;&lt;id&gt; and https://x.y/?a=&lt;b&gt; | c\n",
        "at http://&lt;ui_url&gt;/?flow&#x3D;&lt;id&gt; and <https://x.y/?a=&lt;b&gt;> | c\n",
    ),
    ("## A\n\n######## B\n\n########\n\nc\n", "## A\n\n### B\n\n---\n\nc\n"),
    ("#Title\n\n`##a` ##b\n", "#Title\n\n`##a` ##b\n"),
    ("a **b ** c, - ** d** e\n", "a **b ** c, - ** d** e\n"),
    ("a **b ** c\n\n- ** d** e\n", "a **b** c\n\n- **d** e\n"),
    ("**Name: **value\n", "**Name:** value\n"),
    ("a **b **c, *args, **kwargs or **options\n", "a **b **c, *args, **kwargs or **options\n"),
    ("[a](my file.md#b-c) ![b](..\\my x.png)\n", "[a](my%20file.md#b-c) ![b](../my%20x.png)\n"),
    ("[a](C:\\my x.png) [b](my file) [c](a (b).md)\n", "[a](C:\\my x.png) [b](my file) [c](a (b).md)\n"),
    ("{{ **b ** }} {% [a](my file.md) %}\n", "{{ **b ** }} {% [a](my file.md) %}\n"),
    ("[a b] (https://x.y/z) c\n", "[a b](https://x.y/z) c\n"),
    ("- [x] (https://x.y) <https://x.y/a b.pdf>\n", "- [x] (<https://x.y>) <https://x.y/a b.pdf>\n"),
    ("# T\n\n[up](#t)\n", "# T\n\n[up](#t)\n"),
    ("# T\n", "# T\n"),
    ("# t\nWords.\n", "# t\nWords.\n"),
    ("Words.\n# T\nWords.\n", "Words.\n# T\nWords.\n"),
    ("Words.\n# A\nWords.\n", "Words.\n## A\nWords.\n"),
    ("> # T\n\nWords.\n", "> # T\n\nWords.\n"),
    ("a</br>\nb <!-- c ---> d\n", "a\\\nb <!-- c --> d\n"),
    ("a\n[//]: <> (b)\n\n[//]: # (c)\n\nd\n[//]: # (e)\nf\n", "a\n\n[//]: <> (b)\n\n[//]: # (c)\n\nd\n[//]: # (e)\nf\n"),
    ("<<<<<<< a\nhttps://x.y\n=======\n>>>>>>> b\n", "<<<<<<< a\nhttps://x.y\n=======\n>>>>>>> b\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FIXES)
def test_what_is_sure_is_mended_and_the_rest_stays_and_is_not_told_as_fixable(text, expected):
    assert fixed(text) == expected
    assert fixed(text.replace("\n", "\r\n")) == expected.replace("\n", "\r\n")
    unsure = {"## A {#x}\n## A {#y}\n"}  # without both the two headings would have one anchor
    assert left(expected) == [] or text in unsure


def test_a_placeholder_a_break_an_address_and_a_list_come_out_as_the_writer_meant_them():
    before = "1. Write <your-key> into https://x.y/a<br>\n   and save.\n  - Refunds\n"
    assert render_html(fixed(before)) == (
        '<ol>\n<li>Write &lt;your-key&gt; into <a href="https://x.y/a">https://x.y/a</a><br />\n'
        "and save.\n<ul>\n<li>Refunds</li>\n</ul>\n</li>\n</ol>\n"
    )


FRONTS = [
    ("\n \n---\ntitle: T\n---\nx\n", "---\ntitle: T\n---\nx\n"),
    ("––-\ntitle: T\nstatus: Published\n––-\nx\n", "---\ntitle: T\nstatus: published\n---\nx\n"),
    ("\ufeff\n----\ntitle: T\n——\nx **a ** b\n", "\ufeff---\ntitle: T\n---\nx **a** b\n"),
    ("---\ntitle: T\n--\nx\n", "---\ntitle: T\n---\nx\n"),
    ("---\ntitle: “A: b”\ntags: [“a”, ‘b c’, d]\n---\n", '---\ntitle: "A: b"\ntags: ["a", "b c", d]\n---\n'),
    ("---\ntitle: T\nstatus: ‘Archive’\n---\n", '---\ntitle: T\nstatus: "archived"\n---\n'),
    ("---\ntitle: T\nstatus: publised # c\n---\n", "---\ntitle: T\nstatus: published # c\n---\n"),
    ("---\ntitle: 2024 # c\nposition: '3'\n---\n", '---\ntitle: "2024" # c\nposition: 3\n---\n'),
    ("---\ntitle: T\ntags: a, late fees, 5\n---\n", '---\ntitle: T\ntags: [a, "late fees", "5"]\n---\n'),
    ("---\ntitle: T\ntags:\n  - 5\n  - a\n---\n", '---\ntitle: T\ntags:\n  - "5"\n  - a\n---\n'),
    ("---\nTitle: T\nSTATUS: draft\n---\n", "---\ntitle: T\nstatus: draft\n---\n"),
    (
        "---\ntitle: T\nsidebar_position: 3 # c\nweight: 4\nsummary: 'S'\n---\n",
        "---\ntitle: T\nposition: 3 # c\nweight: 4\ndescription: 'S'\n---\n",
    ),
    ("---\ntitle: `a` b\n---\nx\n", '---\ntitle: "`a` b"\n---\nx\n'),
    ("---\ntitle: T\ntags:\n  - @a/*\n---\nx\n", '---\ntitle: T\ntags:\n  - "@a/*"\n---\nx\n'),
    ("---\ntitle: T\n description: a\n---\nx\n", "---\ntitle: T\ndescription: a\n---\nx\n"),
    ("---\ntitle: How to: a guide\nstatus: draft\n---\nx\n", '---\ntitle: "How to: a guide"\nstatus: draft\n---\nx\n'),
    (
        "---\ntitle: How to: a guide\ndescription: Part 1: begin\n---\nx\n",
        '---\ntitle: "How to: a guide"\ndescription: "Part 1: begin"\n---\nx\n',
    ),
    # A missing title is that of the first heading, or of the file's name.
    ("---\nstatus: draft\n---\nx\n\n## A *b*\n", '---\nstatus: draft\ntitle: "A b"\n---\nx\n\n## A *b*\n'),
    ("---\ntitle:\n---\n> # B\n", "---\ntitle: B\n---\n> # B\n"),
    ("x\n", "---\ntitle: Refunds\n---\nx\n"),
    (f"## {'a ' * 200}\nx\n", f"---\ntitle: Refunds\n---\n## {'a ' * 200}\nx\n"),
]
FRONTS_THAT_STAY = [
    "\ufeff--\ntitle: T\n—\n",
    "---\ntitle: T\n\nText.\n--\nx\n",
    "+++\ntitle = 'x'\n+++\nx\n",
    "---\ntitle: “A” and “B”\n---\n",
    "---\ntitle: T\nstatus: “Draft” # c\n---\n",
    "---\ntitle: T\nstatus: unpublished\n---\n",
    "---\ntitle: T\nslug: ~\ntags: [null, a]\n---\n",
    "---\ntitle: T\nTitle: U\n---\n",
    "---\ntitle: T\nweight: 2.5\nsummary: [a]\n---\n",
    "---\ntitle: [a]\n---\nx\n",
    "---\ntitle: A: b\nslug: c: d\n---\nx\n",
    "---\ntitle: T\ndescription: A: b\n  c\n---\nx\n",
    "---\ntitle: T\ndescription: 令牌。origin: ECC\n---\nx\n",
    "---\ntitle: status: draft\n---\nx\n",
    "---\ntitle: T\nslug: a: b\n---\nx\n",
    "---\ntitle: @a # b\n---\nx\n",
    "# A\nx\n",
    "--\ntitle: T\n\nx\n",
]


@pytest.mark.parametrize(("text", "expected"), [*FRONTS, *((text, text) for text in FRONTS_THAT_STAY)])
def test_front_matter_whose_meaning_is_sure_is_mended(text, expected):
    for end in ("\n", "\r\n", "\r"):
        data, wanted = (it.replace("\n", end).encode() for it in (text, expected))
        assert fix_text(PATH, data) == wanted
        assert fix_text(PATH, wanted) == wanted
    for problem in source_of(expected, inspect=inspect).problems:
        assert not problem.fixable


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["title: T", "status: Published", "tags: a, b", "slug: 5", "--", "---", "+++", "", "“a”: b", "x: “y”",
    "- ‘z’", "position: '1'", "status: “draft”", "****"]), max_size=7))  # fmt: skip
def test_front_matter_mended_twice_is_mended_once(lines):
    once = fix_text(PATH, "\n".join(lines).encode())
    assert fix_text(PATH, once) == once


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="an empty file"),
        pytest.param("---\ntitle: [\n---\nhttps://x.y\n", id="a list that stays open"),
        pytest.param("---\ntitle: T\nhttps://x.y\n", id="front matter that stays open"),
        pytest.param("---\n- a\n---\nhttps://x.y\n", id="front matter that is a list"),
        pytest.param(FRONT + "####### x\n> 1. \n> ![a](b)\n" * 400, id="fixes in each other's way"),
        pytest.param("---\n" + "title: “a”\n" * 60 + "---\nText.\n", id="many problems"),
        pytest.param(
            "---\n" + "".join(f"k{number}: @a\n" for number in range(400)) + "---\nText.\n",
            id="many lines that are no YAML",
        ),
        pytest.param(
            "---\n" + "".join(f"title: a{number}: b\n" for number in range(30)) + "---\nText.\n", id="fewer of them"
        ),
        pytest.param("\udcff", id="no UTF-8"),
    ],
)
def test_a_file_that_cannot_be_read_or_has_more_to_fix_than_is_tried_stays_as_it_is(text):
    data = text.encode("utf-8", "surrogateescape")
    assert fix_text(PATH, data) == data


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("---\ntitle: Billing\nslug: b\n---\n", "---\nname: Billing\nslug: b\n---\n"),
        ("---\ntitle: B\nname: C\n---\n", "---\ntitle: B\nname: C\n---\n"),
        ("---\nname: A\n---\nhttps://x.y\n", "---\nname: A\n---\nhttps://x.y\n"),
    ],
)
def test_the_title_of_a_category_is_its_name_and_it_has_no_text_to_mend(before, after):
    assert fix_text("en/billing/_category.md", before.encode()) == after.encode()


def test_byte_order_mark_front_matter_and_line_ends_stay_as_they_are():
    data = "\ufeff---\r\ntitle:   'T' # c\r\n---\r\n\r\nÜ https://x.y\n\r\nz \r\n".encode()
    assert fix_text(PATH, data) == data.replace(b"https://x.y", b"<https://x.y>")


def test_an_error_in_the_front_matter_that_hides_nothing_does_not_keep_the_text_from_being_mended():
    assert fix_text(PATH, b"---\nstatus: live\n---\n# T\nhttps://x.y\n").endswith(b"<https://x.y>\n")


@pytest.mark.parametrize("front", ["---\ntitle: [at\n---\n", '---\ntitle: "open\n---\n', "---\n- a\n---\n"])
def test_below_front_matter_that_stays_broken_nothing_is_called_fixable(front):
    text = front + "See https://x.y/a.\n\n### Far below\n"
    assert fix_text(PATH, text.encode()) == text.encode()
    found = source_of(text, inspect=inspect).problems
    assert {"KB407", "KB315"} <= {problem.code for problem in found}
    assert not any(problem.fixable for problem in found)


CALLOUTS = [
    (":::note\nw\n:::\n", "> **Note:**\n> w\n"),
    (":::info\n\n[docs]: https://x.y\n\nSee [docs].\n:::\n", "> **Info:**\n>\n> [docs]: https://x.y\n>\n> See [docs].\n"),
    (":::note\n[//]: # (secret)\n\nw\n:::\n", "> **Note:**\n>\n> [//]: # (secret)\n>\n> w\n"),
    (":::warning\nBilling\nplans\n-------\nw\n:::\n", "> **Warning:**\n>\n> Billing\n> plans\n> -------\n> w\n"),
    ("> [!NOTE]\n> Billing\n> ===\n", "> **Note:**\n>\n> Billing\n> ===\n"),
    (":::note\na\n:::\n:::tip\nb\n:::\n", "> **Note:**\n> a\n\n> **Tip:**\n> b\n"),
    (':::info{title="Say \\"hi\\" now"}\nw\n:::\n', '> **Info:** Say "hi" now\n>\n> w\n'),
    ('!!! note annotate "Read me"\n    w\n', "> **Note:** Read me\n>\n> w\n"),
    (":::danger\n**Dangerous** w\n:::\n", "> **Danger:**\n>\n> **Dangerous** w\n"),
    (":::note\n**Note-taking** w\n:::\n", "> **Note:**\n>\n> **Note-taking** w\n"),
    ("> [!TIP]\n> w\n\n> **[!NOTE]**\n> x\n", "> **Tip:**\n> w\n\n> **[!NOTE]**\n> x\n"),
    (
        "::: tip Do *w*\n- x\n  - y\n\n    ```\n    :::\n    ```\n:::\nz\n",
        "> **Tip:** Do *w*\n>\n> - x\n>   - y\n>\n>     ```\n>     :::\n>     ```\n\nz\n",
    ),
    ("::::note\nw\n:::warning[X]\ny\n:::\n\nz\n::::\n", "> **Note:**\n> w\n> > **Warning:** X\n> >\n> > y\n>\n> z\n"),
    (":::{seealso} W\nx\n:::\n", "> **See also:** W\n>\n> x\n"),
    (':::danger{title="W"}\n\nx\n\n:::\n', "> **Danger:** W\n>\n> x\n"),
    ("- w\n  :::note\n  x\n\n  y\n  :::\n- z\n", "- w\n  > **Note:**\n  > x\n  >\n  > y\n- z\n"),
    ("> w\n:::note\nx\n:::\n", "> w\n\n> **Note:**\n> x\n"),
    ("> :::note\n> w\n>\n> x\n> :::\n", "> > **Note:**\n> > w\n> >\n> > x\n"),
    ('!!! warning "W x"\n    y\n\n    1. z\n        - w\n\nx\n', "> **Warning:** W x\n>\n> y\n>\n> 1. z\n>     - w\n\nx\n"),
    ("???+ tip\n\n\tw <https://a.b>\nz\n", "> **Tip:**\n> w <https://a.b>\n\nz\n"),
    (
        '1. w\n\n   !!! note ""\n\n       ```\n       x\n       ```\n2. y\n',
        "1. w\n\n   > **Note:**\n   >\n   > ```\n   > x\n   > ```\n2. y\n",
    ),
    ("!!! note\n\n    w\n\n    !!! tip\n        x\n", "> **Note:**\n> w\n>\n> > **Tip:**\n> > x\n"),
    ('{% hint style="info" %}\nw {{ x }}\n{% endhint %}\ny\n', "> **Info:**\n> w {{ x }}\n\ny\n"),
    ("{% hint style='danger' %}\n| w | x |\n| - | - |\n\n{% endhint %}\n", "> **Danger:**\n>\n> | w | x |\n> | - | - |\n"),
    ("> [!NOTE]\n> w\n", "> **Note:**\n> w\n"),
    ("> [!tip]- W\n> x\n\n- > [!CAUTION]\n  > - y\n", "> **Tip:** W\n>\n> x\n\n- > **Caution:**\n  >\n  > - y\n"),
    (">![info] w\n> x\n", ">**Info:** w\n> x\n"),
    ("!!! \"Don't 'w'\"\n    x\n", "> **Note:** Don't 'w'\n>\n> x\n"),
    ('{% warning title="W" %}\n**Warning:** x\n{% endwarning %}\n', "> **Warning:** W\n>\n> **Warning:** x\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CALLOUTS)
def test_a_callout_becomes_a_quote_with_its_kind_in_bold_and_readers_see_all_of_its_words(text, expected):
    assert fixed(text) == expected and fixed(expected) == expected
    assert fixed(text.replace("\n", "\r\n")) == expected.replace("\n", "\r\n")
    assert "KB408" not in [problem.code for problem in problems(expected)]
    # The words of a text are single letters from w on.
    assert len(re.findall(r"\b[wxyzWXYZ]\b", render_html(expected))) == len(re.findall(r"\b[wxyzWXYZ]\b", text))


@pytest.mark.parametrize(
    "text",
    [
        "{% hint %}\nx\n{% endhint %} y\n\n{% hint %} z\nw\n{% endhint %}\n",
        ":::note\nx\n", ":::note\n:::\n", ":::{note}\n:class: a\nx\n:::\n", "::: code-group\nx\n:::\n", "!!! note\nx\n",
        "- :::note\n  x\n  :::\n", ":::note[a [b]]\nx\n:::\n", "  :::note\nx\n  :::\n", "{% hint %} x {% endhint %}\n", "{% hint %}\nx\n", "{% tabs %}\nx\n{% endtabs %}\n",
        "```\n:::note\nx\n:::\n```\n", "> \\[!NOTE]\n> x\n", "> ![info](x.png)\n", "> ![info]\n\n[info]: https://x.y/a.png\n",
        "> /// details\n> x\n> ///\n", "- w\n\n  /// note | T\n  x\n  ///\n",
    ],
)  # fmt: skip
def test_where_it_is_not_sure_what_belongs_to_a_callout_it_stays(text):
    assert fixed(text) == text


PIECES_OF_CALLOUTS = st.sampled_from([
    ":::note\n", "::: tip W\n", ":::\n", "::::\n", "::::danger\n", "!!! note\n", '??? tip "W"\n', "{% hint %}\n", "{% endhint %}\n",
    "> [!NOTE]\n", ">![info] w\n", "> ", "> w\n", "    ", "w\n", "\n", "- w\n", "  ", "1. w\n", "```\n", "| w |\n|---|\n", "## W\n",
])  # fmt: skip


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES_OF_CALLOUTS, max_size=12).map("".join))
def test_whatever_callouts_are_in_each_other_no_word_is_lost_and_a_second_fix_changes_nothing(text):
    once = fixed(text)
    assert fixed(once) == once
    words = re.compile(r"\b[wW]\b")
    assert len(words.findall(render_html(once))) >= len(words.findall(render_html(text)))


PIECES = st.sampled_from(
    [
        *(text for bad, good in OF_ONE_TEXT.values() for text in (*(case[0] for case in bad), *good)),
        "\n", " ", "  ", "\t", "> ", "- ", "1. ", "é ", "a", "`", "```\n", "<", ">", "*", "|", "\\", "[", "](", ")", "\r\n",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=8).map("".join))
@example("1. a\n  - b\n    - c\n   1. d\n")
def test_mending_twice_is_mending_once_and_no_other_line_changes(text):
    once = fixed(text)
    assert fixed(once) == once
    if re.search(r":::|!!!|\?\?\?|\[!|!\[|\{%|\[//\]", text):
        return  # A callout becomes more lines, or fewer.
    before, after = text.split("\n"), once.split("\n")
    assert len(before) == len(after)
    changed = [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    for number in changed:
        kept = after[number].replace("\\", "").replace("<", "").replace(">", "").strip()
        assert set(kept) <= set(before[number]) | set(" %20#-/")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=8).map("".join))
def test_no_text_makes_a_rule_stumble_and_every_finding_is_in_the_text(text):
    lines = (FRONT + text).split("\n")
    for problem in problems(text):
        assert problem.code in RULES
        assert 1 <= problem.line <= len(lines) + text.count("\r")
        assert problem.column >= 1


def test_what_is_called_fixable_is_what_fix_mends():
    texts = [
        "#### console\n\n#### 移除 console\n",
        "###x\n\n##y\n\n###x\n\n###x\n\n##y\n",
        "## x\n\n####y\n\n###x\n",
        "<T a={[\n  { type: 'Array<b>' },\n]} />\n\nc <b> d\n",
        "#### A\n\nx\n\n" * 3 + "## B {#x}\n\n## B {#y}\n\n**a ** b https://x.y/z\n",
        *(text for cases, _ in OF_ONE_TEXT.values() for text, _ in cases),
    ]
    for text in texts:
        before, after = (Counter(problem.code for problem in problems(some)) for some in (text, fixed(text)))
        assert Counter(left(text)) == before - after, text
        assert left(fixed(text)) == [], text
