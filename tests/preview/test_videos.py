"""Videos of the tree in the local site: a player as on the portal, without a switch, and parts of the file."""

from preview.workshop import REFUNDS, TREE, running

CLIP = b"\0\0\0\x18ftypisom\0\0\2\0isommp41" + b"\0\0\0\x08mdat"
FILES = {
    **TREE,
    "en/billing/clip.mp4": CLIP,
    "en/billing/refunds.md": "---\ntitle: Refunds\n---\n[A clip](clip.mp4?cw_video_width=480px)\n\nOr [open](clip.mp4).\n",
}


def test_a_video_of_the_tree_plays_where_the_portal_would_show_a_player(tmp_path):
    with running(tmp_path, FILES) as preview:
        page = preview.get(REFUNDS).text
        assert '<div style="width: 480px; max-width: 100%;"><video' in page
        assert '<source src="/-/files/en/billing/clip.mp4" type="video/mp4">' in page
        assert 'Or <a href="/-/files/en/billing/clip.mp4">open</a>.' in page
        assert (
            "kbsync.invalid" not in page
            and "data-media" not in page.partition("</article>")[0].partition("<article")[2]
        )
        whole = preview.get("/-/files/en/billing/clip.mp4")
        assert (whole.status_code, whole.content, whole.headers["content-type"]) == (200, CLIP, "video/mp4")
