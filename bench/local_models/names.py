"""Names in a parsed text: where they stand, which are the same, what kind of thing each one is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from spacy.tokens import Doc, Span, Token

from . import lexicon
from .wording import clip

_DEFAULT_TYPE = "Organization"


@dataclass
class Name:
    """One named thing of a document: its fullest form, what else it is called, and the votes on its type."""

    text: str
    votes: Counter[str] = field(default_factory=Counter)
    aliases: list[str] = field(default_factory=list)
    description: str = ""
    is_subject: bool = False
    gender: str = ""  # 'm', 'f' or unknown
    first: tuple[float, int] = (float("inf"), 0)  # (paragraph, token) of its first mention

    @property
    def type(self) -> str:
        """The type with most votes; ties go to the one voted for first."""
        return self.votes.most_common(1)[0][0] if self.votes else _DEFAULT_TYPE

    def alias(self, other: str) -> None:
        if other and other != self.text and other not in self.aliases:
            self.aliases.append(other)

    def describe(self, sentence: str, as_subject: bool) -> None:
        """Keep the first sentence about it, preferring one in which it is the subject."""
        if not self.description or (as_subject and not self.is_subject):
            self.description = clip(sentence)
            self.is_subject = as_subject


class Names:
    """The names of one document; ``at(token)`` is the name a token is part of."""

    def __init__(self) -> None:
        self._by_text: dict[str, Name] = {}
        self._at: dict[tuple[int, int], Name] = {}
        self._given: list[Name] = []

    def __iter__(self) -> Iterator[Name]:
        return iter(self._by_text.values())

    def at(self, token: Token) -> Name | None:
        return self._at.get((id(token.doc), token.i))

    def in_span(self, span: Span) -> list[Name]:
        """The names of a span, each once, in order."""
        return list({id(name): name for token in span if (name := self.at(token))}.values())

    def add(self, docs: Sequence[Doc], known: Sequence[str] = ()) -> None:
        """Find the names of all paragraphs, the longest first, so that short forms find their long form."""
        mentions = [mention for doc in docs for mention in _mentions(doc, known)]
        self._given = [Name(name, Counter({"Person": 1})) for name in known if " " in name]
        for mention in sorted(mentions, key=lambda span: (-len(_words(span)), not _title(span))):
            name = self._resolve(mention, docs.index(mention.doc))
            for token in mention:
                self._at[id(mention.doc), token.i] = name
            for kind, weight in _type_votes(mention):
                name.votes[kind] += weight
        for doc in docs:
            self._add_missed(doc)
        order = {id(name): place for place, name in reversed(list(enumerate(map(self._of, mentions))))}
        self._by_text = dict(sorted(self._by_text.items(), key=lambda item: order[id(item[1])]))

    def _add_missed(self, doc: Doc) -> None:
        """A surname that stands alone, where the tagger took it for another word."""
        for token in doc:
            if token.text[:1].isupper() and self.at(token) is None:
                owners = [
                    name for name in self if name.type == "Person" and name.text.endswith(f" {token.text}")
                ]
                if len(owners) == 1:
                    owners[0].alias(token.text)
                    self._at[id(doc), token.i] = owners[0]

    def unite(self, long: Name, short: Name) -> None:
        """Two names that the text itself calls one ("also known as")."""
        if long is short:
            return
        for place, name in self._at.items():
            if name is short:
                self._at[place] = long
        long.votes.update(short.votes)
        for alias in (short.text, *short.aliases):
            long.alias(alias)
        self._by_text = {text: name for text, name in self._by_text.items() if name is not short}

    def _of(self, mention: Span) -> Name:
        return self._at[id(mention.doc), mention.start]

    def _resolve(self, mention: Span, paragraph: int) -> Name:
        """The name a surface form stands for: itself, the one longer name it shortens, or a new one.

        A title stays where only a surname follows: Mr. and Mrs. Bennet are two.
        """
        bare, title = " ".join(_words(mention)), _title(mention)
        text = f"{title} {bare}" if title and " " not in bare else bare
        place, gender = (paragraph, mention.start), lexicon.GENDER_OF_FIRST_NAME.get(title, "")
        name = self._by_text.get(text)
        if name is None:
            longer = [
                name
                for name in (*self._by_text.values(), *self._given)
                if _shortens(bare, mention.label_, name)
                and not (title and (name.first > place or {gender, name.gender} == {"m", "f"}))
            ]
            name = longer[0] if len({name.text for name in longer}) == 1 else Name(text)
            self._by_text.setdefault(name.text, name)
        name.alias(text)
        name.gender = name.gender or lexicon.GENDER_OF_FIRST_NAME.get(name.text.split()[0], "")
        name.first = min(name.first, place)
        return name


def _shortens(text: str, label: str, name: Name) -> bool:
    """``Voss`` or ``Mira`` for Mira Voss; ``Harlan`` for Harlan Group, unless tagged as another type."""
    short, long = text.split(), name.text.split()
    if len(short) >= len(long):
        return False
    kind = lexicon.TYPE_OF_LABEL.get(label)
    if name.type == "Person":
        return kind != "Location" and short in (long[: len(short)], long[-len(short) :])
    return name.type == "Organization" and kind != "Location" and short == long[: len(short)]


def _title(mention: Span) -> str:
    """``Mr.`` before a mention, else ''."""
    before = mention.doc[mention.start - 1].text if mention.start else ""
    return before if before.lower().rstrip(".") in lexicon.TITLES else ""


def _type_votes(mention: Span) -> Iterator[tuple[str, int]]:
    """Evidence for the type of a mention: its last word outweighs the grammar, that outweighs the tagger."""
    head, verb = mention.root, mention.root.head
    if kind := lexicon.TYPE_OF_NOUN.get(mention[-1].lower_):
        yield kind, 8
    if _title(mention):
        yield "Person", 4
    if head.dep_ in ("nsubj", "nsubjpass") and verb.lemma_ in lexicon.PERSON_VERBS and verb.lemma_ != "say":
        yield "Person", 3
    if head.dep_ == "nsubj" and verb.lemma_ in lexicon.ORGANIZATION_VERBS:
        yield "Organization", 1
    if head.dep_ == "pobj" and verb.lower_ == "in" and verb.head.pos_ in ("VERB", "AUX"):
        yield "Location", 2
    if head.dep_ == "pobj" and verb.lower_ == "at" and verb.head.lemma_ == "work":
        yield "Organization", 2
    if kind := lexicon.TYPE_OF_LABEL.get(mention.label_):
        yield kind, 2


def _mentions(doc: Doc, known: Sequence[str]) -> list[Span]:
    """The spans that name something, without overlaps; each carries the tagger's label, or ''."""
    given = [span for name in known for span in _occurrences(doc, name)]
    tagged = [span for entity in doc.ents if entity.label_ in lexicon.TYPE_OF_LABEL for span in _trim(entity)]
    dates = {token.i for entity in doc.ents if entity.label_ in ("DATE", "TIME") for token in entity}
    runs = [span for run in _proper_runs(doc, dates) for span in _trim(run)]
    return [_with_head_noun(span) for span in _merge([*given, *tagged, *runs])]


def _occurrences(doc: Doc, name: str) -> Iterator[Span]:
    for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", doc.text):
        if span := doc.char_span(*match.span()):
            yield span


def _proper_runs(doc: Doc, dates: set[int]) -> Iterator[Span]:
    """Proper nouns in a row, also across "of" behind such words as University."""
    start: int | None = None
    for token in [*doc, None]:
        inside = token is not None and (
            (token.pos_ == "PROPN" and token.i not in dates)
            or (start is not None and _joins_of(token))
            or (
                start is not None
                and token.lower_ == "the"
                and token.i > start + 1
                and _joins_of(doc[token.i - 1])
            )
        )
        if inside and start is None and token is not None:
            start = token.i
        elif not inside and start is not None:
            yield doc[start : token.i if token is not None else len(doc)]
            start = None


def _joins_of(token: Token) -> bool:
    following = [word for word in token.doc[token.i + 1 : token.i + 3] if word.lower_ != "the"]
    before = token.doc[token.i - 1].lower_ if token.i else ""
    return (
        token.lower_ == "of"
        and before in lexicon.OF_NAMES
        and bool(following)
        and following[0].pos_ == "PROPN"
    )


def _trim(span: Span) -> Iterator[Span]:
    """Without article, title, possessive mark, bracket; cut at "and the", where the tagger joins two."""
    doc, start, end = span.doc, span.start, span.end
    for token in span:
        if token.text in '()[]"“”' or (
            token.lower_ == "and" and doc[token.i + 1 : token.i + 2].text == "the"
        ):
            if token.i > start:
                yield from _trim(Span(doc, start, token.i, label=span.label_))
            start = token.i + 1
    while start < end and (
        doc[start].lower_.rstrip(".") in {"the", "a", "an", "'s", "’s", "and", *lexicon.TITLES}
    ):
        start += 1
    while end > start and (doc[end - 1].tag_ == "POS" or doc[end - 1].is_punct or doc[end - 1].is_space):
        end -= 1
    if start < end and any(token.text[:1].isupper() for token in doc[start:end]):
        yield Span(doc, start, end, label=span.label_)


def _merge(spans: Sequence[Span]) -> list[Span]:
    """Overlapping spans become one; the first label given wins."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            label = last.label_ or span.label_
            span = Span(span.doc, last.start, max(last.end, span.end), label=label)
        merged.append(span)
    return merged


def _with_head_noun(span: Span) -> Span:
    """``Calder`` in "the Calder plant" is part of the name of a plant."""
    doc, end = span.doc, span.end
    head = doc[end] if end < len(doc) else None
    if head and head.pos_ == "NOUN" and head.lower_ in lexicon.TYPE_OF_NOUN and span.root.head == head:
        return Span(doc, span.start, end + 1)
    return span


def _words(span: Span) -> list[str]:
    return [token.text for token in span if not token.is_space]


def unite_stated_aliases(names: Names, doc: Doc) -> None:
    """``X (XYZ)``, ``X, also known as Y``, ``X, formerly Y``."""
    for token in doc:
        other = names.at(token)
        if other is None or names.at(token.head) is other:
            continue
        owner = _renamed(names, token)
        if owner is not None and owner is not other:
            names.unite(owner, other)


def _renamed(names: Names, token: Token) -> Name | None:
    """The name that the name headed by ``token`` is said to be another word for."""
    head = token.head
    if token.dep_ == "appos" and token.i and token.doc[token.i - 1].text == "(":
        owner = names.at(head)
        initials = "".join(word[0] for word in owner.text.split() if word[0].isupper()) if owner else ""
        return owner if token.text == initials else None
    if token.dep_ == "pobj" and head.lower_ == "as" and head.head.lower_ in ("known", "called"):
        verb = head.head
        if verb.dep_ == "acl":
            return names.at(verb.head)
        return _only(names.at(child) for child in verb.children if child.dep_ == "nsubjpass")
    if token.dep_ == "appos" and any(
        child.lower_ in ("formerly", "née", "alias") for child in token.children
    ):
        return names.at(head)
    return None


def _only(found: Iterable[Name | None]) -> Name | None:
    names = [name for name in found if name is not None]
    return names[0] if len(names) == 1 else None
