"""`glossary.csv`: the words that translations use."""

QUIET = {"KBSYNC_LINT__IGNORE": "KB2,KB3,KB601"}
FRENCH = "content/fr/billing/refunds.md"


def test_a_term_that_is_translated_otherwise_is_named_with_both_places(project):
    project.write("glossary.csv", "en,fr,note\nrefund,remboursement|rendu,not retour\ncharge,paiement,\n")
    project.write(FRENCH, "---\ntitle: Le retour d'un paiement\n---\nTexte.\n")
    done = project.run("lint", **QUIET)
    assert done.code == 0
    assert (
        f"{FRENCH}:1:1: warning KB607 `Refund` of the original (en/billing/refunds.md:2) is not translated as "
        "`remboursement` or `rendu` here."
    ) in done.words
    assert "paiement" not in done.out.replace("d'un paiement", "")
    assert "KB607" in project.run("lint", FRENCH, **QUIET).out
    project.write(FRENCH, "---\ntitle: Les remboursements d'un paiement\n---\nTexte.\n")
    assert "KB607" not in project.run("lint", **QUIET).out


def test_a_changed_glossary_counts_at_once(project):
    project.write(FRENCH, "---\ntitle: Rembourser\n---\nTexte.\n")
    project.write("glossary.csv", "en,fr\nrefund,rembourser\n")
    assert "KB607" not in project.run("lint", **QUIET).out
    project.write("glossary.csv", "en,fr\nrefund,restituer\n")
    assert "KB607" in project.run("lint", **QUIET).out


def test_a_glossary_that_cannot_be_read_says_what_to_do(project):
    project.write("glossary.csv", "english,french\nrefund,x\n")
    done = project.run("lint")
    assert done.says(3, err=("glossary.csv:1: The first line names 0 of your languages (en, fr).", "`en,fr,note`"))
