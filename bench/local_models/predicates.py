"""Predicates: how a wording of the text becomes a form of the request's vocabulary, or a plain default.

A wording is words joined by underscores: ``live_in``, ``owned_by``, ``chief_executive_of``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from . import lexicon


@dataclass(frozen=True)
class Claim:
    """A predicate with its direction: ``inverse`` means that subject and object change places."""

    predicate: str
    inverse: bool = False
    denied: bool = False


@dataclass(frozen=True)
class _State:
    """What an event brings about: ``move_to`` makes ``live_in`` true, ``of`` subjects of those types."""

    wording: str
    inverse: bool = False
    denied: bool = False
    of: tuple[str, ...] = ()


_PERSON, _BODY = ("Person",), ("Organization", "Location")
_OWNED = _State("owned_by")
_AFTER = {
    "acquire": (_State("own"),),
    "buy": (_State("own"),),
    "purchase": (_State("own"),),
    "take_over": (_State("own"),),
    "sold_to": (_OWNED,),
    "acquired_by": (_OWNED,),
    "bought_by": (_OWNED,),
    "purchased_by": (_OWNED,),
    "move_to": (_State("live_in", of=_PERSON), _State("based_in", of=_BODY)),
    "relocate_to": (_State("live_in", of=_PERSON), _State("based_in", of=_BODY)),
    "settle_in": (_State("live_in", of=_PERSON),),
    "join": (_State("work_at", of=_PERSON), _State("member_of", of=_BODY)),
    "hired_by": (_State("work_at"),),
    "hire": (_State("work_at", inverse=True),),
    "employ": (_State("work_at", inverse=True),),
    "leave": (_State("work_at", denied=True, of=_PERSON), _State("member_of", denied=True, of=_BODY)),
    "resign_from": (_State("work_at", denied=True),),
    "marry": (_State("married_to"),),
    "divorce": (_State("married_to", denied=True),),
}


class Vocabulary:
    """The predicates that a request lists, found across verb inflection and grammatical voice.

    ``lemma`` gives the base form of a verb (``lived`` -> ``live``).
    """

    def __init__(self, listed: Sequence[str], lemma: Callable[[str], str]) -> None:
        self._lemma = lemma
        self._listed = {self._key(predicate): predicate for predicate in reversed(listed)}

    def claims(self, wording: str, subject_type: str) -> list[Claim]:
        """The claim a wording makes, then the states it brings about that the vocabulary has a word for."""
        direct = self._find(wording)
        claims = [direct or Claim(wording)]
        for state in _AFTER.get(self._plain(wording), ()):
            found = self._find(state.wording)
            if found and (not state.of or subject_type in state.of):
                claims.append(Claim(found.predicate, found.inverse != state.inverse, state.denied))
        return claims

    def _find(self, wording: str) -> Claim | None:
        """The listed form of a wording: itself, in the other voice, or a synonym."""
        for candidate in (wording, *_synonyms(wording)):
            key = self._key(candidate)
            if key in self._listed:
                return Claim(self._listed[key])
            if (other := _other_voice(key)) in self._listed:
                return Claim(self._listed[other], inverse=True)
        return None

    def _key(self, predicate: str) -> tuple[str, ...]:
        first, *rest = predicate.lower().split("_")
        if first in ("is", "was", "are", "be") and rest:
            first, *rest = rest
        return (self._lemma(first), *rest)

    def _plain(self, wording: str) -> str:
        """The key of the table of states: the base form, but the participle before "by" and "to"."""
        return wording if wording in _AFTER else "_".join(self._key(wording))


def _other_voice(key: tuple[str, ...]) -> tuple[str, ...]:
    """``own`` and ``own by`` are one relation read from its two ends; other keys have no other voice."""
    if len(key) == 1:
        return (*key, "by")
    return key[:1] if key[1:] == ("by",) else ()


def _synonyms(wording: str) -> list[str]:
    return [other for group in lexicon.SYNONYMS if wording in group for other in group if other != wording]
