"""What a question names and what it asks about."""

from __future__ import annotations

import re

from . import lexicon
from .names import Names
from .rules import Parser


def keywords(text: str, parser: Parser) -> dict[str, list[str]]:
    """{"low": names and quoted words, "high": what is asked about: nouns and verbs}."""
    (doc,) = parser.parse([text])
    names = Names()
    names.add([doc])
    high = [
        token.lemma_.lower()
        for token in doc
        if token.pos_ in ("NOUN", "VERB", "ADJ")
        and names.at(token) is None
        and token.lower_ not in lexicon.QUESTION_WORDS
        and token.is_alpha
    ]
    low = [name.text for name in names] + re.findall(r'"([^"]+)"', text)
    return {"low": list(dict.fromkeys(low)), "high": list(dict.fromkeys(high))}
