"""Texts that each rule for one article complains of, and twins that it leaves alone."""

from __future__ import annotations

OF_ONE_TEXT: dict[str, tuple[tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    # code: ((text, lines and columns of its findings), ...), (text without any, ...)
    "KB212": (
        (
            ("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> d\n", "2:1"),
            ("a\n\n>>>>>>> d\n", "3:1"),
            ("<<<<<<< a\nb\n>>>>>>> c\n<<<<<<< d\ne\n>>>>>>> f\n", "1:1 4:1"),
        ),
        (
            "```\n<<<<<<< HEAD\n=======\n>>>>>>> d\n```\n",
            "<!--\n<<<<<<< HEAD\n-->\n",
            "A heading\n=======\n\nx\n".replace("A heading\n=======", "## A heading"),
            "> > quoted twice\n",
            "a <<<<<<< b\n",
        ),
    ),
    "KB311": (
        (
            ("a ![](https://x.y/a.png)\n", "1:3"),
            ("![ ](https://x.y/a.png)\n", "1:1"),
            ("a [![](https://x.y/a.png)](https://x.y/b)\n", "1:4"),
            ("![][a]\n\n[a]: https://x.y/a.png\n", "1:1"),
        ),
        ("![words](https://x.y/a.png)\n", "`![](x.png)`\n", "\\![](https://x.y/a.png)\n", "![a]\n\n[a]: https://x.y/a.png\n"),
    ),
    "KB312": (
        (
            ("[a](javascript:alert(1))\n", "1:5"),
            ("[a](JavaScript:x) <vbscript:x>\n", "1:5 1:20"),
            ("[a](data:text/html,x) ![b](data:image/png;base64,x)\n", "1:5 1:28"),
            ("[a]\n\n[a]: file:///etc/x\n", "3:6"),
            ("[a](java&#115;cript:x)\n", "1:5"),
        ),
        ("[a](https://x.y/javascript:x) [b](mailto:a@b.c) <tel:+1>\n", "`[a](javascript:x)` javascript:x\n", "[a](/data:x)\n"),
    ),
    "KB313": (
        (
            ("## A\nx\n## B\nx\n## a\nx\n", "5:1"),
            ("## A\n### A!\n## A?\n", "2:1"),
            ("## Fuß\n## Fuss\n", "2:1"),
        ),
        ("## A\n## B\n", "## A\n### B\n#### C\n#### C\n", "## A\n```\n## A\n```\n"),
    ),
    "KB314": (
        (("## A\n##\nx\n", "2:1"), ("## !!!\n", "1:1"), ("## 🎉\n", "1:1"), ("> ## ...\n", "1:3")),
        ("## 設定\n## 検索\n", "## A!\n", "## `x`\n"),
    ),
    "KB315": (
        (("### A\nx\n### B\n", "1:1"), ("## A\n#### B\n", "2:1"), ("## A\n### B\n## C\n#### D\n##### E\n", "4:1")),
        ("## A\n### B\n#### C\n## D\n", "A\n---\n", "`### A`\n"),
    ),
    "KB316": (
        (("# A\nx\n# B\n", "1:1"), ("A\n===\n", "1:1"), ("> # A\n", "1:3")),
        ("## A\n", "    # A\n", "#hashtag\n"),
    ),
    "KB401": (
        (
            ("a <b>b</b> c\n", "1:3"),
            ("a <br>\nb\n", "1:3"),
            ('<div class="x">\nwords\n</div>\n', "1:1"),
            ("<details>\n<summary>More</summary>\n\nwords\n\n</details>\n", "1:1"),
            ('> <img src="x.png">\n', "1:3"),
            ("- a\n  <p>x</p>\n", "2:3"),
            ("<!-- note --> lost words\n", "1:1"),
            ("a\n\n<!-- never closed\n\nall lost\n", "3:1"),
            ('<Tabs items="a">\n\nx\n\n</Tabs>\n', "1:1"),
            ("a <Badge/> b\n", "1:3"),
            ("x <?php a ?>\n", "1:3"),
        ),
        (
            "a <!-- b --> c\n",
            "<!-- b\n\nc -->\n\nd\n",
            "<!--cw-colwidths:120,80-->\n| a | b |\n| --- | --- |\n",
            "`<b>` and `` <i> ``\n",
            "```html\n<b>x</b>\n```\n",
            "    <b>x</b>\n",
            "\\<b>x\\</b> &lt;b&gt; 1 < 2 > 1\n",
            "<https://x.y> <a@b.c>\n",
            "</b> alone\n",
        ),
    ),
    "KB402": (
        (
            ("Write <your-key> here.\n", "1:7"),
            ("<name>\n", "1:1"),
            ("A List<String> of <your api key>.\n", "1:7 1:19"),
            ("| a | <b-c> |\n| --- | --- |\n", "1:7"),
        ),
        (
            "Write `<your-key>` here.\n",
            "\\<your-key>\n",
            "&lt;your-key&gt;\n",
            "<YOUR_KEY> <1st> < a >\n",
            "```\n<your-key>\n```\n",
        ),
    ),
    "KB403": (
        (("| a<br>b | c |\n| --- | --- |\n| d | e<BR/>f<br />g |\n", "1:4 3:8 3:14"), ("| a | b |\n| --- | --- |\n| c <br> d | e<br><br>f |\n", "3:5 3:15 3:19")),
        ("| a<br> | <br>b |\n| --- | --- |\n| d<br/><br> | <br/> |\n| e | f <br>\n", "| a `<br>` b | c |\n| --- | --- |\n", "| a | b |\n| --- | --- |\n| c \\<br> | d |\n"),
    ),
    "KB404": (
        (("a ~~b~~ c\n", "1:3"), ("~~a\nb~~\n", "1:1"), ("- ~~**a**~~\n", "1:3"), ("| ~~a~~ | b |\n| --- | --- |\n", "1:3")),
        ("`~~a~~`\n", "~~~\n~~a~~\n~~~\n", "\\~~a\\~~\n", "a ~~ b ~~ c\n", "~5 to ~10\n", "~~~~\nx\n~~~~\n"),
    ),
    "KB405": (
        (("- [ ] a\n- [x] b\n", "1:3 2:3"), ("1. [X] a\n", "1:4"), ("> * [ ] a\n", "1:5"), ("- a\n  - [ ] b\n", "2:5")),
        ("- `[ ]` a\n", "- \\[ ] a\n", "[ ] a\n", "- [x](https://x.y)\n", "- [x] a\n\n[x]: https://x.y\n", "```\n- [ ] a\n```\n"),
    ),
    "KB406": (
        (
            ("a[^1] b[^1]\n\n[^1]: A note of words.\n", "1:2 1:8"),
            ("a[^n]\n\n[^n]: word\n", "1:2"),
            ("a\n\n[^n]: A note of words.\n", "3:1"),
        ),
        ("a[^1]\n", "[^abc] and [^a-z]\n", "`a[^1]`\n\n```\n[^1]: b c\n```\n", "a\\[^1]\n"),
    ),
    "KB407": (
        (
            ("See https://x.y/a.\n", "1:5"),
            ("See (http://x.y/a_(b)), and https://x.y/z?a=b&c=d!\n", "1:6 1:29"),
            ("**https://x.y/a**\n", "1:3"),
            ("- https://x.y/a\n", "1:3"),
            ("| https://x.y | b |\n| --- | --- |\n", "1:3"),
            ("`https://x.y/a` https://x.y/a\n", "1:17"),
        ),
        (
            "<https://x.y/a>\n",
            "[https://x.y/a](https://x.y/a)\n",
            "[a](https://x.y/b) ![a](https://x.y/b.png)\n",
            "[a]\n\n[a]: https://x.y/b\n",
            "`https://x.y`\n",
            "    https://x.y\n",
            "```\ncurl https://x.y\n```\n",
            "http://localhost:3000 http://127.0.0.1/x https://... https://{host}/x https://<host>/x\n".replace("<host>", "$HOST"),
            '`base_url` is "https://x.y/api"\n',
            "xhttps://x.y\n",
        ),
    ),
    "KB408": (
        (
            ("!!! note\n    x\n", "1:1"),
            ('??? tip "x"\n', "1:1"),
            (":::tip\nx\n:::\n", "1:1"),
            ("::: warning\nx\n:::\n", "1:1"),
            (":::{note}\nx\n:::\n", "1:1"),
            ("```{note}\nx\n```\n", "1:1"),
            ("> [!NOTE]\n> x\n", "1:3"),
            ("> [!tip]+ x\n", "1:3"),
            ("- a\n\n  !!! note\n", "3:3"),
            ('=== "Python 3.10+"\n\n    ```Python\n    x\n    ```\n', "1:1"),
            ("/// tab | Gemoji\n-   x\n////\n\n/// tip\n///\n", "1:1 5:1"),
        ),
        ("> **Note**\n", "`!!! note`\n", "!!! 1\n", "a !!! note\n", "```\n:::tip\n```\n", "Really???\n", "> \\[!NOTE]\n", "A\n===\n", "a === \"b\"\n", "/// A comment\n", "```json\n{a}\n```\n"),
    ),
    "KB409": (
        (
            ("## A {#a}\n", "1:6"),
            ("[a](https://x.y){target=_blank}\n", "1:17"),
            ("a {.lead}\n", "1:3"),
            ("## A {: #a .b c=d }\n", "1:6"),
            ('![a](https://x.y/a.png){loading="lazy"}\n', "1:24"),
        ),
        ("`{#a}`\n", "\\{#a}\n", "a {b} {{#if}} {a=1, b=2} f{x=1}\n", "```\n## A {#a}\n```\n", "{#each items}\n"),
    ),
    "KB410": (
        (
            ("![a](https://x.y/a.png){width=100}\n", "1:24"),
            ('![a](https://x.y/a.png){ width="50%" .b }\n', "1:24"),
            ("![a](https://x.y/a.png =100x200)\n", "1:1"),
            ("b ![a](https://x.y/a.png =x20)\n", "1:3"),
        ),
        ("![a](https://x.y/a.png)\n", "![a](https://x.y/a.png?cw_image_height=24px)\n", "`![a](x.png =1x2)`\n", "a =1x2\n"),
    ),
    "KB411": (
        (("a^b and c^d\n", "1:2"), ("Needs ^1.2 || ^3.4\n", "1:7"), ("a \\^b or \\^c\n", "1:4"), ("2^10*3^5\n", "1:2")),
        ("m^2^ and 10^th^\n", "a^b\n", "`a^b` c^d\n", "a^b\nc^d\n", "a^b `x` c^d\n", "```\na^b c^d\n```\n"),
    ),
    "KB412": (
        (
            ("1. a\n  - b\n  - c\n2. d\n", "2:3"),
            ("1. a\n - b\n", "2:2"),
            ("10. a\n   - b\n", "2:4"),
            ("1. a\n  1. b\n  2. c\n2. d\n  1. e\n", "2:3 5:3"),
            ("-   a\n  - b\n", "2:3"),
            ("> 1. a\n>   - b\n", "2:5"),
            ("- a\n\n  1. b\n    - c\n", "4:5"),
            ("- a\n\n\t1. b\n     - c\n", "4:6"),
        ),
        (
            "1. a\n   - b\n2. c\n",
            "- a\n  - b\n    - c\n- d\n",
            "- a\n - b\n",
            " 1. a\n 2. b\n10. c\n",
            "1. a\n\nText.\n\n  - b\n",
            "```\n1. a\n  - b\n```\n",
            "1. a\n\t- b\n",
            "* a\n- b\n",
            "- a\n\t- b\n    - c\n",
            "- a\n    - b\n\t- c\n  \t- d\n",
        ),
    ),
    "KB413": (
        (
            ("| a | b |\n| --- |\n| 1 | 2 |\n", "1:1"),
            ("a | b | c\n--- | ---\n1 | 2\n", "1:1"),
            ("x\n\n| a | b |\n| c | d |\n| e | f |\n", "3:1"),
            ("> | a | b |\n> |---|---|---|\n", "1:1"),
        ),
        (
            "| a | b |\n| --- | --- |\n| 1 | 2 |\n",
            "a | b\n--|--\n1 | 2\n",
            "| a |\n|---|\n| b |\n| c |\n",
            "| a | b |\n| :-- | --: |\n| --- | --- |\n",
            "```\n| a | b |\n| --- |\n```\n",
            "    | a |\n    | b |\n",
            "Text\n\n---\n\n|x|\n",
            "| a \\| b | c |\n| --- | --- |\n",
        ),
    ),
    "KB414": (
        (("https://youtu.be/abc\n", "1:1"), ("a\n\n- https://vimeo.com/123\n", "3:3"), ("> https://x.y/a.mp4\n", "1:3")),
        ("<https://youtu.be/abc>\n", "`https://youtu.be/abc`\n", "[a](https://youtu.be/abc)\n"),
    ),
    "KB415": (
        (
            ("- [a](https://youtu.be/abc)\n", "1:3"),
            ("| [a](https://vimeo.com/1) | b |\n| --- | --- |\n", "1:3"),
            ("a\n[b](https://youtu.be/abc)\nc\n", "2:1"),
            ("**[b](https://youtu.be/abc)**\n", "1:3"),
            ("**See** [b](https://youtu.be/abc)\n", "1:9"),
            ("[b](https://x.y/?u=https://youtu.be/abc)\n", "1:1"),
        ),
        (
            "See [a](https://youtu.be/abc)\n",
            "[a](https://youtu.be/abc)\n",
            "<https://youtu.be/abc>\n",
            "- Watch [a](https://youtu.be/abc) first\n",
            "1. a\n\n   [b](https://youtu.be/abc)\n",
            "- [a](https://youtube.com/shorts/abc)\n",
            "- [a](https://youtu.be/abc), and more\n",
            "- \\*[a](https://youtu.be/abc)\n",
        ),
    ),
    "KB417": (
        (
            ("a {{ b }} and {{< c >}}x{{< /c >}}\n", "1:3 1:15"),
            ("{{<required>}}\n", "1:1"),
            ("{% include a.md %}\n\n{% if x %}\ny\n{% endif %}\n", "1:1 3:1"),
            ("[a]({{<b>}}) ![c]({{d}}/e.png)\n", "1:5 1:19"),
            ('{{% tip\n title="x" %}}\n', "1:1"),
        ),
        (
            "`{{ a }}` and \\{{ b }}\n",
            "```\n{{< a >}}\n```\n",
            "    {% a %}\n",
            "a {b} {{ c\n",
            "<!-- {{ a }} -->\n",
        ),
    ),
    "KB418": (
        (("See [[Refunds]] or [[Refunds#a|how]].\n", "1:5 1:20"), ("![[a b.png]]\n", "1:1"), ("- [[../a]]\n", "1:3")),
        (
            "`[[a]]`\n",
            "[[a]](https://x.y)\n",
            "[[a]]\n\n[a]: https://x.y\n",
            "[[1, 2], [3, 4]] and [[1]] and [[ -f x ]] and [[:alpha:]]\n",
            "\\[[a]]\n",
        ),
    ),
    "KB318": (
        (
            ("[a]() and ![b]()\n", "1:1 1:11"),
            ("[a][b] ([c][]) [`d`][e.f]\n", "1:1 1:9 1:16"),
            ("- [a](<>)\n", "1:3"),
        ),
        ("[a][b] [b][]\n\n[b]: https://x.y\n", "x[0][1] [0][1] \\[a][b] `[a][b]` [a] [^a][^b]\n", "[a-z][0-9]+\n", "```\n[a][b]\n```\n", "- [Fix] a\n- [breaking] b\n- [breaking][fix] c\n"),
    ),
    "KB419": (
        (
            ("a **b ** c\n\n**Note:**text\n\n**open\nx\n", "1:3 3:1 5:1"),
            ("- **Name: **value\n", "1:3"),
            ("[a](my file.md) [b](a(b.md)\n", "1:1 1:17"),
            ("![a](C:\\a b.png)\n[c](d\n", "1:1 2:1"),
            ("Grabbed from [https://x.y/commit](Chrome DevTools).\n", "1:14"),
            ("##A\n\n> ###B\n\n#C d\n\n####### E\n", "1:1 3:3 5:1 7:1"),
        ),
        (
            "**a** b **`c`** **d\ne**\n",
            "f(*a, **kwargs) and **options, 2**3, `**`, a/**/b, **/*.md, \\*\\*x\n",
            "```\n##a\n**b ** [c](d e)\n```\n",
            '[easy to update]({{< relref "how-to-update" >}}) and [a]({% link b %})\n',
            "[a](b.md 'c') [d](e(f).md) [g](<h i.md>) \\[j](k l)\n",
            "#tag #other\n\n#42\n\n\\##a\n\nwords\n#Tag and\nmore\n",
        ),
    ),
    "KB420": (
        (("Term\n: what it is\n\n> B\n>\n> :   c\n", "2:1 6:3"),),
        ("a: b\n", "`a\n: b`\n", "```\na\n: b\n```\n", ":smile:\n", "a\n\\: b\n"),
    ),
    "KB421": (
        (
            ("import X from '../x'\n\nexport const a = 1\n", "1:1 3:1"),
            ("a {b.c} {/* d */} {' '} {e.f(g)}\n", "1:3 1:9 1:19 1:25"),
            ('<PropertiesTable\n  content={[\n    {\n      name: "id",\n    },\n  ]}\n/>\n', "1:1"),
            ("a <b.C d e='f' g={1}>h</b.C>\n", "1:3"),
        ),
        ("Import it from 'x'.\n\nimport the file from there\n", "{a} /b/{c.d ${e.f} \\{g.h}\n", "`{a.b}`\n\n```js\nimport X from 'x'\n```\n", "`<A b={1}>` \\<A b={1}> a<b c={1\n", "```jsx\n<A b={1}>\n```\n"),
    ),
}  # fmt: skip
