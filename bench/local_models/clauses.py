"""What a verb says about itself in a parsed sentence: voice, denial, certainty, and its dates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spacy.tokens import Doc, Token

from . import lexicon
from .dates import Period

STATED, REPORTED, HEDGED, INTENDED = 0.9, 0.75, 0.5, 0.4
_FAILING = frozenset({"fail", "refuse", "decline"})


def is_predicate(token: Token) -> bool:
    """A verb that carries a clause: no auxiliary, no question, no condition."""
    if token.pos_ not in ("VERB", "AUX") or token.dep_ in ("aux", "auxpass", "amod", "compound"):
        return False
    conditional = any(
        child.dep_ == "mark" and child.lower_ in ("if", "unless", "whether") for child in token.children
    )
    return not conditional and token.sent.text.rstrip()[-1:] != "?" and not _is_denied_speech(token)


def _is_denied_speech(token: Token) -> bool:
    return token.dep_ in ("ccomp", "xcomp") and token.head.lemma_ in lexicon.DENYING


def is_passive(verb: Token) -> bool:
    marked = any(child.dep_ in ("nsubjpass", "auxpass", "agent") for child in verb.children)
    bare = (
        verb.tag_ == "VBN"
        and verb.dep_ in ("acl", "relcl", "ROOT")
        and not any(child.dep_ in ("aux", "nsubj") for child in verb.children)
    )
    inherited = (
        verb.dep_ == "conj" and verb.tag_ == "VBN" and not _own_subjects(verb) and is_passive(verb.head)
    )
    return marked or bare or inherited


def subject_tokens(verb: Token) -> list[Token]:
    """The heads of the subject: its own, across "and" and "to", or the noun that the clause modifies."""
    if own := _own_subjects(verb):
        relative = verb.dep_ == "relcl" and own[0].tag_ in ("WP", "WDT")
        return [verb.head] if relative else own
    if verb.dep_ in ("conj", "xcomp"):
        return subject_tokens(verb.head) if verb.head.pos_ in ("VERB", "AUX") else []
    if verb.dep_ == "advcl" and verb.tag_ == "VBG":
        return subject_tokens(verb.head)
    return [verb.head] if verb.dep_ == "acl" else []


def _own_subjects(verb: Token) -> list[Token]:
    return [child for child in verb.children if child.dep_ in ("nsubj", "nsubjpass")]


def is_denied(verb: Token) -> bool:
    """not, never, no longer, stopped doing, failed to do."""
    negated = any(
        child.dep_ == "neg"
        or child.lower_ in ("never", "neither")
        or (child.lower_ == "longer" and any(word.lower_ == "no" for word in child.children))
        for child in verb.children
    )
    ceased = verb.dep_ == "xcomp" and verb.head.lemma_ in lexicon.CEASING | _FAILING
    return negated != ceased


def confidence(verb: Token) -> float:
    """STATED unless the wording hedges, reports or only intends."""
    head = verb.head
    adverbs = {child.lower_ for child in verb.children if child.dep_ in ("advmod", "npadvmod")}
    auxiliaries = {child.lower_ for child in verb.children if child.dep_ == "aux"}
    if verb.dep_ == "xcomp" and head.lemma_ in lexicon.INTENTIONS and head.lemma_ not in _FAILING:
        return INTENDED
    if adverbs & lexicon.HEDGES or auxiliaries & lexicon.HEDGING_MODALS:
        return HEDGED
    if verb.dep_ == "xcomp" and head.lemma_ in lexicon.REPORTING:
        return HEDGED
    if auxiliaries & {"will", "shall"}:
        return INTENDED
    if verb.dep_ in ("conj", "xcomp") and head.pos_ in ("VERB", "AUX"):
        return confidence(head)
    return REPORTED if verb.dep_ == "ccomp" and head.lemma_ in lexicon.REPORTING else STATED


@dataclass(frozen=True)
class Dates:
    """The periods of one paragraph by the index of the verb (or apposed noun) they belong to."""

    by_token: dict[int, list[Period]]
    opening: dict[int, Period]

    def of(self, token: Token) -> Period | None:
        """The period of a verb: its own, else that of the verb it is joined to."""
        own = self.by_token.get(token.i)
        if own:
            return own[0]
        if token.dep_ == "conj" and token.head.pos_ in ("VERB", "AUX"):
            return self.opening.get(token.head.i)
        if token.dep_ == "xcomp" or (token.dep_ == "acl" and token.tag_ == "VBG"):
            return self.of(token.head)
        return None


def assign_dates(doc: Doc, found: Sequence[Period]) -> Dates:
    """Give every period to the verb whose clause states it."""
    by_token: dict[int, list[Period]] = {}
    opening: dict[int, Period] = {}
    for period in found:
        if period.valid_from is None and period.valid_to is None:
            continue
        token = next((token for token in doc if token.idx + len(token) >= period.end), doc[len(doc) - 1])
        if token.is_space or token.idx >= period.end:
            owner = _first_verb(token)
            opening[owner.i] = period
        else:
            owner = _governor(token)
            if token.i < owner.i:
                opening.setdefault(owner.i, period)
        by_token.setdefault(owner.i, []).append(period)
    return Dates(by_token, opening)


def _first_verb(blank: Token) -> Token:
    """The first main verb behind an opening date that was blanked out."""
    following = next((token for token in blank.doc[blank.i :] if not token.is_space), blank)
    verbs = [
        token
        for token in following.sent
        if token.pos_ in ("VERB", "AUX") and token.dep_ in ("ROOT", "ccomp", "conj") and token.i > following.i
    ]
    return verbs[0] if verbs else following.sent.root


def _governor(token: Token) -> Token:
    """The verb, or the apposed noun, above a token."""
    while token.head != token and token.dep_ != "appos":
        token = token.head
        if token.pos_ in ("VERB", "AUX") and token.dep_ not in ("aux", "auxpass"):
            break
    return token


def bounds(verb: Token, period: Period | None, lasting: bool) -> tuple[str | None, str | None]:
    """(valid_from, valid_to). ``in 2015`` bounds a past state on both sides, but only begins a change."""
    if period is None:
        return None, None
    if period.kind != "at" or not lasting:
        closed = period.kind != "at" or (verb.lemma_ in lexicon.STATES and _is_past(verb))
        return period.valid_from, period.valid_to if closed else None
    return period.valid_from, None


def _is_past(verb: Token) -> bool:
    auxiliaries = {child.lower_ for child in verb.children if child.dep_ in ("aux", "auxpass")}
    return not auxiliaries & {"has", "have", "is", "are"} and (
        verb.tag_ == "VBD" or bool(auxiliaries & {"was", "were", "did", "had"})
    )
