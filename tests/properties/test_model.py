"""The reference model against answers worked out by hand: a model that is wrong proves nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from math import inf

from tests.support.model import Document, Entity, Extraction, Graph, Key, Predicate, Triple, derive, fold

LIVES = Predicate("lives_in", functional=True)
FRIEND = Predicate("friend_of", groups=("regard",), symmetric=True)
FOE = Predicate("foe_of", groups=("regard",))


def at(year: int) -> float:
    return datetime(year, 1, 1, tzinfo=UTC).timestamp()


def document(
    key: str, place: float, *triples: Triple, published: int | None = None, entities: tuple[Entity, ...] = ()
) -> Document:
    """A document of one chunk; the endpoints of its triples are its entities."""
    named = [entity.name for entity in entities]
    ends = [end for t in triples for end in ((t.subject,) if t.is_value else (t.subject, t.object))]
    stubs = tuple(Entity(end) for end in dict.fromkeys(ends) if end not in named)
    published_at = None if published is None else at(published)
    return Document(key, place, published_at, (Extraction(entities + stubs, triples),))


def relation(subject: str, predicate: str, object_: str, negated: bool = False) -> Key:
    return Key(fold(subject), predicate, fold(object_), None, None, negated)


def statuses(graph: Graph) -> dict[str, str]:
    return {f"{'not ' * key.negated}{key.object}": held.status for key, held in graph.relations.items()}


PARIS = Triple("Ann", "lives_in", "Paris")
BERLIN = Triple("Ann", "lives_in", "Berlin")


def test_a_functional_predicate_moves_on() -> None:
    graph = derive(
        [document("a", 1, PARIS, published=2010), document("b", 2, BERLIN, published=2020)], [LIVES]
    )
    paris, berlin = (
        graph.relations[relation("Ann", "lives_in", "Paris")],
        graph.relations[relation("Ann", "lives_in", "Berlin")],
    )
    assert paris.effective == ((-inf, at(2020)),)
    assert paris.status == "superseded"
    assert paris.superseded_by == relation("Ann", "lives_in", "Berlin")
    assert berlin.effective == ((at(2020), inf),)
    assert berlin.status == "current"


def test_back_again_is_current_again() -> None:
    documents = [
        document(key, place, triple)
        for key, place, triple in (("a", 1, PARIS), ("b", 2, BERLIN), ("c", 3, PARIS))
    ]
    assert statuses(derive(documents, [LIVES])) == {"paris": "current", "berlin": "superseded"}
    assert statuses(derive(documents[:2], [LIVES])) == {"paris": "superseded", "berlin": "current"}


def test_a_closed_period_closes_nothing_after_it() -> None:
    past = Triple("Ann", "lives_in", "Berlin", valid_from="1990", valid_to="1995")
    graph = derive([document("a", 1, PARIS), document("b", 2, past)], [LIVES])
    assert statuses(graph) == {"paris": "current", "berlin": "current"}
    assert graph.relations[relation("Ann", "lives_in", "Paris")].effective == (
        (-inf, at(1990)),
        (at(1996), inf),
    )


def test_an_end_before_publication_leaves_the_beginning_open() -> None:
    past = Triple("Ann", "lives_in", "Berlin", valid_to="1995")
    graph = derive([document("a", 1, PARIS), document("b", 2, past, published=2020)], [LIVES])
    assert graph.relations[relation("Ann", "lives_in", "Berlin")].effective == ((-inf, at(1996)),)


def test_outside_slots_a_restatement_erases_no_period() -> None:
    dated, undated = (
        Triple("Ann", "met", "Bob", valid_from="1990", valid_to="1995"),
        Triple("Ann", "met", "Bob"),
    )
    graph = derive([document("a", 1, dated), document("b", 2, undated, published=2020)], [])
    assert graph.relations[relation("Ann", "met", "Bob")].effective == ((at(1990), at(1996)),)


def test_who_took_the_open_end_is_named_though_an_old_period_was_told_after_it() -> None:
    old = Triple("Ann", "lives_in", "Paris", valid_from="1990", valid_to="1995")
    graph = derive([document("a", 1, PARIS), document("b", 2, BERLIN), document("c", 3, old)], [LIVES])
    paris = graph.relations[relation("Ann", "lives_in", "Paris")]
    assert paris.status == "superseded"
    assert paris.superseded_by == relation("Ann", "lives_in", "Berlin")
    assert paris.effective == ((at(1990), at(1996)),)


def test_low_confidence_takes_nothing() -> None:
    rumour = Triple("Ann", "lives_in", "Berlin", confidence=0.4)
    graph = derive([document("a", 1, PARIS), document("b", 2, rumour)], [LIVES])
    assert statuses(graph) == {"paris": "current", "berlin": "current"}


def test_a_denial_meets_only_its_own_triple() -> None:
    denial = Triple("Ann", "lives_in", "Paris", negated=True)
    graph = derive([document("a", 1, PARIS), document("b", 2, denial), document("c", 3, BERLIN)], [LIVES])
    assert statuses(graph) == {"paris": "superseded", "not paris": "current", "berlin": "current"}
    assert graph.relations[relation("Ann", "lives_in", "Paris")].superseded_by == relation(
        "Ann", "lives_in", "Paris", True
    )


def test_a_symmetric_relation_stands_in_both_orientations() -> None:
    friends = Triple("Bob", "friend_of", "Ann")
    for foe in (Triple("Ann", "foe_of", "Bob"), Triple("Bob", "foe_of", "Ann")):
        graph = derive([document("a", 1, friends), document("b", 2, foe)], [FRIEND, FOE])
        assert graph.relations[relation("Ann", "friend_of", "Bob")].status == "superseded"


def test_figures_of_two_periods_are_two_facts() -> None:
    def revenue(value: str, year: str) -> Triple:
        return Triple("Acme", "revenue", value, is_value=True, valid_from=year, valid_to=year)

    documents = [
        document("a", 1, revenue("$1", "2019"), revenue("$2", "2020")),
        document("b", 2, revenue("$3", "2020")),
    ]
    graph = derive(documents, [Predicate("revenue", value=True)])
    assert {key.value: held.status for key, held in graph.relations.items()} == {
        "1 dollar": "current", "2 dollar": "superseded", "3 dollar": "current",
    }  # fmt: skip


def test_an_alias_of_one_claimant_unites_and_of_two_does_not() -> None:
    charles, benjamin = (
        Entity("Charles Babbage", aliases=("Babbage",)),
        Entity("Benjamin Babbage", aliases=("Babbage",)),
    )
    short = document("s", 3, entities=(Entity("Babbage"),))
    alone = derive([document("c", 1, entities=(charles,)), short], [])
    assert alone.entities[fold("Charles Babbage")].names == {fold("Charles Babbage"), fold("Babbage")}
    both = derive([document("c", 1, entities=(charles,)), document("b", 2, entities=(benjamin,)), short], [])
    assert set(both.entities) == {fold("Charles Babbage"), fold("Benjamin Babbage"), fold("Babbage")}


def test_claimants_that_are_one_entity_settle_their_shared_alias() -> None:
    long = Entity("Augusta Ada King", aliases=("Ada Lovelace", "Ada"))
    short = Entity("Ada Lovelace", aliases=("Ada",))
    graph = derive(
        [document("a", 1, entities=(long, short)), document("b", 2, entities=(Entity("Ada"),))], []
    )
    assert set(graph.entities) == {fold("Augusta Ada King")}


def test_a_chunk_counts_once_and_the_newest_spelling_is_shown() -> None:
    first = document("a", 1, Triple("DataHub", "feeds", "Acme"), Triple("DataHub", "feeds", "Acme"))
    second = document("b", 2, Triple("data hub", "feeds", "ACME"))
    graph = derive([first, second], [])
    assert graph.relations[relation("datahub", "feeds", "acme")].weight == 2
    assert {entity.name for entity in graph.entities.values()} == {"data hub", "ACME"}


def test_a_stop_that_ends_a_word_is_no_letter_of_a_name() -> None:
    assert fold("Mr. Babbage") == fold("Mr Babbage") == "mrbabbage"
    assert fold("3.1.2") == "3.1.2"
