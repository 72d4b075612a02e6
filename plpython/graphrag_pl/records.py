"""JSON of about the wanted shape into records of exactly one shape; what cannot be one is dropped and
counted.

    entity   name, type, description (null: not stated), aliases [], identifiers [], metadata {}
    triple   subject, predicate, object, object_is_value, description, negated, confidence 0..1,
             valid_from, valid_to, evidence, metadata {}

Repair is bounded: other common spellings of a field, a name wrapped in an object, numbers and booleans as
strings. It never makes a name up, and never joins or splits records.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphrag_pl.database import Breathe, holding_breath
from graphrag_pl.text import StatedNumber, clean_json

Record = dict[str, Any]

_ENTITY_LISTS = ("entities", "nodes")
_TRIPLE_LISTS = ("triples", "relations", "relationships", "edges")

_ENTITY_FIELDS = {
    "name": ("name", "entity_name", "entity"),
    "type": ("type", "entity_type", "category", "label"),
    "description": ("description", "entity_description", "summary"),
    "aliases": ("aliases", "alias"),
    "identifiers": ("identifiers", "identifier"),
}
_TRIPLE_FIELDS = {
    "subject": ("subject", "source", "head", "source_entity", "src_id"),
    "predicate": ("predicate", "relation", "relationship", "relation_type", "relationship_type"),
    "object": ("object", "target", "tail", "target_entity", "tgt_id"),
    "object_is_value": ("object_is_value",),
    "description": ("description", "relationship_description"),
    "negated": ("negated", "is_negated"),
    "confidence": ("confidence",),
    "valid_from": ("valid_from", "start_date", "since", "valid_since", "valid_at"),
    "valid_to": ("valid_to", "end_date", "until", "valid_until", "invalid_at"),
    "evidence": ("evidence", "quote"),
}
_NOTHING_STATED = frozenset(
    {
        "",
        "null",
        "none",
        "nil",
        "n/a",
        "na",
        "unknown",
        "undefined",
        "unspecified",
        "not specified",
        "not stated",
        "-",
        "?",
    }
)
_STILL = frozenset({"present", "now", "current", "ongoing", "today"})
_TRUE = frozenset({"true", "yes", "1", "y"})


@dataclass
class Records:
    """What one answer holds. `malformed` counts the records dropped, `notes` say why."""

    entities: list[Record] = field(default_factory=list)
    triples: list[Record] = field(default_factory=list)
    malformed: int = 0
    notes: list[str] = field(default_factory=list)

    def drop(self, why: str) -> None:
        self.malformed += 1
        self.notes.append(why)

    def extend(self, other: Records) -> None:
        """Add what another part of the same answer holds."""
        self.entities += other.entities
        self.triples += other.triples
        self.malformed += other.malformed
        self.notes += other.notes

    def as_json(self) -> dict[str, Any]:
        return {
            "entities": self.entities,
            "triples": self.triples,
            "malformed": self.malformed,
            "notes": self.notes,
        }


class _MalformedError(Exception):
    """Why one record is none."""


def has_shape(value: Any) -> bool:
    """Whether a value can be an extraction: an object with lists of entities or triples (or of no keys at
    all), a list of such objects, a list with at least one record, or a record, of which an answer may have one a
    line. A JSON Schema, echoed instead of filled in, is none."""
    if isinstance(value, list):
        return not any(map(_is_schema, value)) and (
            not value or any(isinstance(item, dict) or _is_bare_triple(item) for item in value)
        )
    if not isinstance(value, dict) or _is_schema(value):
        return False
    if not value or has_lists(value) or _is_record(value):
        return True
    return (
        len(value) == 1
        and isinstance(inner := next(iter(value.values())), dict)
        and bool(inner)
        and has_shape(inner)
    )


def has_lists(value: Mapping[str, Any]) -> bool:
    """Whether there are entities or triples directly in an object."""
    return any(_lists(value, names) is not None for names in (_ENTITY_LISTS, _TRIPLE_LISTS))


def _is_record(value: Mapping[str, Any]) -> bool:
    """Whether an object that stands alone is one: with the ends or the type that nothing else would have."""
    fields = _TRIPLE_FIELDS if _is_triple(value) else _ENTITY_FIELDS
    needed = ("subject", "object") if _is_triple(value) else ("name", "type")
    return not has_lists(value) and all(_first(value, fields[name]) is not None for name in needed)


def _states_something(value: Any) -> bool:
    """Whether what stands where a list should is more than a word for nothing."""
    return bool(value) and not (isinstance(value, str) and value.strip().lower() in _NOTHING_STATED)


def _is_schema(value: Any) -> bool:
    return isinstance(value, dict) and (
        "$schema" in value or (isinstance(value.get("properties"), dict) and value.get("type") == "object")
    )


def read_records(value: Any, breathe: Breathe = holding_breath, is_clean: bool = False) -> Records:
    """The records of a value that has_shape(); is_clean: it was jsonb, which has nothing that cannot be stored."""
    records = Records()
    if not is_clean:
        value = clean_json(value, breathe, is_to_be_read=True)
    while (
        isinstance(value, dict) and len(value) == 1 and isinstance(inner := next(iter(value.values())), dict)
    ):
        value = inner
    if isinstance(value, dict):
        wholes, items = ([], [value]) if _is_record(value) else ([value], [])
    else:
        wholes = [item for item in value if _is_whole(item)]
        items = [item for item in value if not _is_whole(item)]
    entities = [item for item in items if not _is_triple(item)]
    triples = [item for item in items if _is_triple(item)]
    for whole in wholes:
        for names, kind, target in (
            (_ENTITY_LISTS, "entities", entities),
            (_TRIPLE_LISTS, "triples", triples),
        ):
            stated = _lists(whole, names)
            if stated is None and any(_states_something(whole.get(name)) for name in names):
                records.drop(f"{kind} dropped: they are no list")
            target += stated or []
    _read_each(records, records.entities, entities, _entity, "entity", breathe)
    _read_each(records, records.triples, triples, _triple, "triple", breathe)
    return records


def _is_whole(item: Any) -> bool:
    """Whether what stands in a list is no record but has lists of records."""
    return (
        isinstance(item, dict)
        and has_lists(item)
        and _first(item, _ENTITY_FIELDS["name"]) is None
        and _first(item, _TRIPLE_FIELDS["predicate"]) is None
    )


def _is_triple(item: Any) -> bool:
    return isinstance(item, list) or _first(item, _TRIPLE_FIELDS["predicate"]) is not None


def merge(first: Records, second: Records) -> Records:
    """`first` with what `second` adds: names and triples that it lacks, and fields that it left empty."""
    merged = Records(
        malformed=first.malformed + second.malformed,
        notes=first.notes + second.notes,
    )
    merged.entities = _merged(first.entities + second.entities, ("name",))
    merged.triples = _merged(
        first.triples + second.triples, ("subject", "predicate", "object", "negated", "valid_from")
    )
    return merged


def _merged(items: Iterable[Record], key_fields: tuple[str, ...]) -> list[Record]:
    by_key: dict[tuple[str, ...], Record] = {}
    for item in items:
        key = tuple(str(item[name]).casefold() for name in key_fields)
        known = by_key.setdefault(key, dict(item))
        for name, value in item.items():
            if known[name] in (None, [], {}):
                known[name] = value
            elif name in ("aliases", "identifiers"):
                known[name] = list(dict.fromkeys([*known[name], *value]))
    return list(by_key.values())


def _read_each(
    records: Records, target: list[Record], items: Any, read: Any, kind: str, breathe: Breathe
) -> None:
    for item in items:
        breathe()
        try:
            target.append(read(item))
        except _MalformedError as reason:
            records.drop(f"{kind} dropped: {reason}")


def _entity(item: Any) -> Record:
    if isinstance(item, str):
        item = {"name": item}
    if not isinstance(item, dict):
        raise _MalformedError("it is no object")
    types = _texts(_first(item, _ENTITY_FIELDS["type"]))
    return {
        "name": _name(item, "name", _ENTITY_FIELDS["name"]),
        "type": types[0] if types else None,
        "description": _text(_first(item, _ENTITY_FIELDS["description"])),
        "aliases": _texts(_first(item, _ENTITY_FIELDS["aliases"])),
        "identifiers": _texts(_first(item, _ENTITY_FIELDS["identifiers"])),
        "metadata": {**_rest(item, _ENTITY_FIELDS), **({"types": types} if len(types) > 1 else {})},
    }


def _triple(item: Any) -> Record:
    if _is_bare_triple(item):
        item = dict(zip(("subject", "predicate", "object"), item, strict=True))
    if not isinstance(item, dict):
        raise _MalformedError("it is no object")
    stated = _first(item, _TRIPLE_FIELDS["object"])
    is_bare_value = isinstance(stated, int | float)
    return {
        "subject": _name(item, "subject", _TRIPLE_FIELDS["subject"]),
        "predicate": _name(item, "predicate", _TRIPLE_FIELDS["predicate"]),
        "object": _value(stated) if is_bare_value else _name(item, "object", _TRIPLE_FIELDS["object"]),
        "object_is_value": is_bare_value or _flag(_first(item, _TRIPLE_FIELDS["object_is_value"])),
        "description": _text(_first(item, _TRIPLE_FIELDS["description"])),
        "negated": _flag(_first(item, _TRIPLE_FIELDS["negated"])),
        "confidence": _confidence(_first(item, _TRIPLE_FIELDS["confidence"])),
        "valid_from": _date(_first(item, _TRIPLE_FIELDS["valid_from"])),
        "valid_to": _date(_first(item, _TRIPLE_FIELDS["valid_to"])),
        "evidence": _text(_first(item, _TRIPLE_FIELDS["evidence"])),
        "metadata": _rest(item, _TRIPLE_FIELDS),
    }


def _is_bare_triple(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 3 and all(isinstance(part, str) for part in item)


def _lists(value: Mapping[str, Any], names: tuple[str, ...]) -> list[Any] | None:
    lists = [value[name] for name in names if isinstance(value.get(name), list)]
    return [item for items in lists for item in items] if lists else None


def _first(item: Any, names: tuple[str, ...]) -> Any:
    return (
        next((item[name] for name in names if item.get(name) is not None), None)
        if isinstance(item, dict)
        else None
    )


def _rest(item: Mapping[str, Any], fields: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """What the record says beyond its fields."""
    known = {name for names in fields.values() for name in names}
    rest = {name: value for name, value in item.items() if name not in known and value is not None}
    return clean_json(rest) if rest else rest


def _name(item: Mapping[str, Any], what: str, names: tuple[str, ...]) -> str:
    """A name in one line. "Null" is somebody's name; null, blanks and numbers are nobody's."""
    value = _first(item, names)
    if isinstance(value, dict):
        value = value.get("name")
    if not isinstance(value, str):
        raise _MalformedError(f"its {what} is missing" if value is None else f"its {what} is no text")
    if not value.strip():
        raise _MalformedError(f"its {what} is blank")
    return " ".join(value.split())


def _value(value: float) -> str:
    if isinstance(value, StatedNumber):
        return value.text
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: Any) -> str | None:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        value = "; ".join(value)
    return value.strip() or None if isinstance(value, str) else None


def _texts(value: Any) -> list[str]:
    values = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return list(
        dict.fromkeys(" ".join(text.split()) for text in values if isinstance(text, str) and text.strip())
    )


def _flag(value: Any) -> bool:
    return value.strip().lower() in _TRUE if isinstance(value, str) else bool(value)


def _confidence(value: Any) -> float:
    """Between 0 and 1; 1 where none is stated or none can be read."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else 1.0
    except OverflowError:
        return 1.0 if value > 0 else 0.0
    except ValueError:
        return 1.0
    return 1.0 if math.isnan(number) else min(1.0, max(0.0, number))


def _date(value: Any) -> str | None:
    """A date as the model wrote it; SQL reads it. "present" and the like are no end."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or value.strip().lower() in _NOTHING_STATED | _STILL:
        return None
    return value.strip()
