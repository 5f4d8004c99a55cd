"""Markdown as the portal understands it: spans to rewrite, HTML to preview, anchors to link to.

Import what you need from the module that has it: `spans.scan` (pyromark), `html.render_html`
(markdown-it-py), `anchors.heading_anchor`. Importing this package loads none of them.
"""
