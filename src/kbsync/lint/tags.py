"""The names that HTML knows. Any other word in angle brackets was meant to be read."""

KNOWN = frozenset(
    """
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br
    button canvas caption center cite code col colgroup command data datalist dd del details dfn dialog dir div dl dt em
    embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i
    iframe image img input ins kbd keygen label legend li link main map mark marquee math menu menuitem meta meter nav
    nobr noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rp rt rtc
    ruby s samp script search section select slot small source span strike strong style sub summary sup svg table tbody
    td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
    """.split()  # noqa: SIM905  (a list of a hundred quoted words is harder to read)
)

SEEN_ALONE = frozenset({"audio", "embed", "iframe", "image", "img", "object", "picture", "svg", "video"})
"""What readers would see although it contains no words."""
