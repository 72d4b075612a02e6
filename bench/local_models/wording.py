"""Forms of English verbs, and clipping."""

from __future__ import annotations

from . import lexicon

_CLIP = 300


def past(lemma: str) -> str:
    """``own`` -> ``owned``, ``buy`` -> ``bought``."""
    if lemma in lexicon.PAST:
        return lexicon.PAST[lemma]
    if lemma.endswith("e"):
        return lemma + "d"
    if lemma.endswith("y") and lemma[-2:-1] not in tuple("aeiou"):
        return lemma[:-1] + "ied"
    return lemma + "ed"


def participle(lemma: str) -> str:
    """``own`` -> ``owned``, ``take`` -> ``taken``."""
    return lexicon.PARTICIPLE.get(lemma) or past(lemma)


def third_person(lemma: str) -> str:
    """``own`` -> ``owns``, ``marry`` -> ``marries``, ``have`` -> ``has``."""
    if lemma in ("be", "have"):
        return {"be": "is", "have": "has"}[lemma]
    if lemma.endswith("y") and lemma[-2:-1] not in tuple("aeiou"):
        return lemma[:-1] + "ies"
    return lemma + ("es" if lemma.endswith(("s", "x", "ch", "sh", "o", "z")) else "s")


def clip(text: str, length: int = _CLIP) -> str:
    """At most ``length`` characters on one line, cut between words."""
    text = " ".join(text.split())
    return text if len(text) <= length else text[: length - 1].rsplit(" ", 1)[0] + "…"
