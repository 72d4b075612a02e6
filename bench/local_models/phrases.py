"""Words of a phrase in a parsed sentence: predicates, quantities, concepts."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Token

from . import lexicon
from .names import Names
from .wording import participle


def prepositions_below(head: Token) -> Iterator[Token]:
    """The prepositions of a head, and those that hang on each other ("from Paris to Berlin")."""
    for child in head.children:
        if child.dep_ in ("prep", "dative") and child.pos_ in ("ADP", "SCONJ", "PART"):
            yield child
            yield from prepositions_below(child)


def gender_told(wording: str) -> str:
    """What "brother_of" tells of its subject."""
    noun = wording.rpartition("_")[0]
    return "m" * (noun in lexicon.MALE) or "f" * (noun in lexicon.FEMALE)


def is_former(noun: Token) -> bool:
    return any(child.lower_ in lexicon.PAST_ROLES for child in noun.children)


def verb_words(verb: Token, passive: bool) -> str:
    """``live``, ``take_over``, passive ``owned``."""
    particles = [child.lower_ for child in verb.children if child.dep_ == "prt"]
    return "_".join([participle(verb.lemma_) if passive else verb.lemma_.lower(), *particles])


def noun_words(noun: Token, names: Names) -> list[str]:
    """``chief executive``: the noun with its compounds and the adjectives of a role, without names."""
    kept = [
        child.lower_.replace("-", "_")
        for child in noun.lefts
        if (child.dep_ == "compound" and not names.at(child) and child.ent_type_ not in lexicon.VALUE_LABELS)
        or (child.dep_ == "amod" and child.lower_ in lexicon.ROLE_ADJECTIVES)
    ]
    return [*kept, noun.lemma_.lower()]


def value_of(token: Token) -> str | None:
    """ "$66.5 billion", "400 people", "12 percent": the quantity a token heads, as stated."""
    numbers = [child for child in token.children if child.dep_ in ("nummod", "quantmod")]
    if (
        token.ent_type_ in ("DATE", "TIME")
        or token.lower_ in ("one", "ones")
        or not (token.ent_type_ in lexicon.VALUE_LABELS or numbers)
    ):
        return None
    entity = next((ent for ent in token.doc.ents if ent.start <= token.i < ent.end), None)
    first = min([token.i, *(child.left_edge.i for child in numbers), *([entity.start] if entity else [])])
    last = max(token.i + 1, entity.end if entity else 0)
    text = token.doc[first:last].text
    return text if any(character.isdigit() for character in text) or token.like_num or numbers else None


def values_behind(preposition: Token) -> list[str]:
    return [value for child in preposition.children if child.dep_ == "pobj" and (value := value_of(child))]


def concept_of(noun: Token) -> str | None:
    """A common noun that can stand in another text too: no "the", "its" or "this", at most four words."""
    if noun.pos_ != "NOUN" or any(child.dep_ == "poss" for child in noun.children):
        return None
    articles = [child.lower_ for child in noun.lefts if child.dep_ in ("det", "neg")]
    if any(article not in ("a", "an") for article in articles):
        return None
    if any(child.pos_ == "PROPN" for child in noun.lefts):
        return None
    words = [child.lower_ for child in noun.lefts if child.dep_ in ("amod", "compound")]
    return " ".join([*words, noun.lower_]) if len(words) < 4 else None
