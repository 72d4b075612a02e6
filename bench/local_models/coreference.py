"""Whom a pronoun or "the company" means: the nearest earlier name of a fitting type, subjects first."""

from __future__ import annotations

from collections.abc import Collection

from spacy.tokens import Span, Token

from . import lexicon
from .names import Name, Names

SUBJECTS = ("nsubj", "nsubjpass")
_PERSONAL = {"he": "m", "him": "m", "his": "m", "she": "f", "her": "f", "hers": "f"}
_NEUTER = frozenset({"it", "its"})
_PLURAL = frozenset("they them their theirs each".split())
_THINGS = ("Organization", "Product", "Location", "Work", "Event")


class Memory:
    """The names met so far, the likeliest referent first. Feed it sentence by sentence."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._recent: list[Name] = []
        self._group: list[Name] = []

    def remember(self, sentence: Span) -> None:
        """After a sentence: its subjects come before its other names, both before older names."""
        subjects = [token for token in sentence if token.dep_ in SUBJECTS]
        groups = [self.meant_by(subject) for subject in subjects]
        self._group = next((group for group in groups if len(group) > 1), self._group)
        first = [name for group in groups for name in group]
        self._recent = _distinct([*first, *self._names.in_span(sentence), *self._recent])

    def meant_by(self, token: Token, exclude: Collection[Name] = ()) -> list[Name]:
        """The names a noun phrase stands for, with those coordinated with it; [] if it names nothing."""
        found: list[Name] = []
        for part in (token, *(other for other in token.conjuncts if other.i > token.i)):
            found += self._meant_by_one(part, exclude)
        return _distinct(found)

    def _meant_by_one(self, token: Token, exclude: Collection[Name]) -> list[Name]:
        if name := self._names.at(token):
            return [name]
        word = token.lower_
        if word in _PERSONAL:
            return self._person(token, _PERSONAL[word], exclude)
        if word in _NEUTER:
            return self._nearest(token, _THINGS, exclude)
        if word in _PLURAL:
            return self._plural(token, exclude)
        for child in token.children:
            if child.dep_ == "appos" and (name := self._names.at(child)):
                return [name]
        return self._definite(token, exclude)

    def _person(self, token: Token, gender: str, exclude: Collection[Name]) -> list[Name]:
        """The nearest person not known to be of the other gender; from now on known to be of this one."""
        others = [name for name in self._names if name.gender not in ("", gender)]
        found = self._nearest(token, ("Person",), [*exclude, *others])
        for name in found:
            name.gender = gender
        return found

    def _plural(self, token: Token, exclude: Collection[Name]) -> list[Name]:
        """The last two subjects that stood together, or a company spoken of as "they"."""
        groups = (
            self.meant_by(other) for other in token.sent if other.dep_ in SUBJECTS and other.i < token.i
        )
        here = next((group for group in groups if len(group) > 1), self._group)
        return here or self._nearest(token, ("Organization",), exclude)

    def _definite(self, token: Token, exclude: Collection[Name]) -> list[Name]:
        """ "the plant" is the last thing whose name ends so, "the company" the last organisation."""
        if not any(child.dep_ == "det" and child.lower_ in ("the", "this") for child in token.children):
            return []
        if any(child.dep_ in ("prep", "compound", "poss", "relcl") for child in token.children):
            return []
        last_word = [name for name in self._recent if name.text.lower().split()[-1] == token.lower_]
        if last_word:
            return last_word[:1]
        kind = lexicon.REFERRING_NOUNS.get(token.lower_)
        return self._nearest(token, (kind,), exclude) if kind else []

    def _nearest(self, token: Token, types: Collection[str], exclude: Collection[Name]) -> list[Name]:
        here = [other for other in token.sent if other.i < token.i]
        subjects = [name for other in here if other.dep_ in SUBJECTS and (name := self._names.at(other))]
        others = [name for other in here if (name := self._names.at(other))]
        near, far = (others, []) if token.dep_ == "poss" or token.pos_ == "NOUN" else ([], others)
        fitting = [name for name in [*subjects, *near, *self._recent, *far] if name.type in types]
        return [name for name in fitting if not any(name is other for other in exclude)][:1]


def _distinct(names: list[Name]) -> list[Name]:
    return list({id(name): name for name in names}.values())
