"""Chunks: offsets, coverage, overlap, and borders that survive edits."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag_pl.splitting import Chunk, split, split_for_sql
from tests.python.fakes import FakePlpy, SqlError

WORDS = "amber basin copper delta ember fjord garnet harbour island jetty kelp lagoon meadow north".split()
TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\t.!?。#-|`'\"\u2028\r\x1c\u3000"),
        st.sampled_from("aBé漢한🙂\u0301\u200d"),
        st.characters(),
    ),
    max_size=400,
)


def paragraphs(count: int, seed: int = 1, sentences: int = 4) -> list[str]:
    """Paragraphs of a few hundred characters, all different."""
    rng = random.Random(seed)

    def sentence() -> str:
        return " ".join(rng.choices(WORDS, k=rng.randint(6, 14))).capitalize() + f" {rng.randrange(10**6)}."

    return [" ".join(sentence() for _ in range(rng.randint(1, sentences))) for _ in range(count)]


def check(document: str, chunks: list[Chunk], budget: int) -> None:
    """What holds for every document."""
    covered = bytearray(len(document))
    for number, chunk in enumerate(chunks, 1):
        assert chunk.no == number
        assert document[chunk.start_at : chunk.end_at] == chunk.body
        assert chunk.body
        assert chunk.body == chunk.body.strip()
        assert len(chunk.body) <= budget
        covered[chunk.start_at : chunk.end_at] = b"\x01" * len(chunk.body)
    assert all(covered[i] or character.isspace() for i, character in enumerate(document))
    starts = [chunk.start_at for chunk in chunks]
    ends = [chunk.end_at for chunk in chunks]
    assert starts == sorted(set(starts))
    assert ends == sorted(set(ends))


@given(TEXTS, st.integers(20, 120), st.floats(0, 0.5))
def test_every_document(document: str, budget: int, share: float) -> None:
    chunks = split(document, budget, int(budget * share))
    check(document, chunks, budget)
    assert chunks == split(document, budget, int(budget * share))


def test_blank_documents_have_no_chunk() -> None:
    assert [split(text) for text in ("", "   ", "\n\r\n\t\u3000")] == [[], [], []]


def test_one_short_line_is_a_document() -> None:
    assert split("Short line.\n") == [Chunk(1, 0, 11, "Short line.")]


def test_paragraphs_stay_whole() -> None:
    texts = paragraphs(40)
    chunks = split("\n\n".join(texts), 2000, 200)
    assert len(chunks) > 3
    for text in texts:
        assert any(text in chunk.body for chunk in chunks)
    assert all(len(chunk.body) > 1000 for chunk in chunks[:-1])


def test_overlap_resumes_at_a_sentence() -> None:
    document = "\n\n".join(paragraphs(40))
    chunks = split(document, 2000, 200)
    for before, after in pairwise(chunks):
        assert before.end_at - after.start_at <= 200
        assert after.start_at == 0 or document[: after.start_at].rstrip().endswith(".")
    assert any(before.end_at > after.start_at for before, after in pairwise(chunks))


def test_long_paragraph_is_split_at_sentences() -> None:
    document = " ".join(paragraphs(30))
    chunks = split(document, 1000, 100)
    check(document, chunks, 1000)
    assert all(chunk.body.endswith(".") for chunk in chunks)
    assert all(chunk.body[0].isupper() for chunk in chunks)


def test_long_sentence_is_split_at_words() -> None:
    document = " ".join(random.Random(3).choices(WORDS, k=800))
    chunks = split(document, 500, 50)
    check(document, chunks, 500)
    assert all(set(chunk.body.split()) <= set(WORDS) for chunk in chunks)


@pytest.mark.parametrize("character", ["x", "한", "漢", "🙂"])
def test_runs_without_spaces(character: str) -> None:
    document = character * 9000
    check(document, split(document, 2000, 200), 2000)


def test_chinese_is_split_at_its_full_stops() -> None:
    document = "这家公司成立于一九九八年，总部设在北京。" * 300
    chunks = split(document, 500, 50)
    check(document, chunks, 500)
    assert all(chunk.body.endswith("。") for chunk in chunks)


def test_combining_marks_stay_with_their_letter() -> None:
    document = "e\u0301" * 3000
    chunks = split(document, 501, 0)
    assert all(chunk.body[0] == "e" for chunk in chunks)


@pytest.mark.parametrize(
    "text", ["Dr. Ada King met Mr. Babbage there. ", "J. R. R. Tolkien wrote it in Oxford. "]
)
def test_abbreviations_end_no_sentence(text: str) -> None:
    chunks = split(text * 100, 400, 0)
    assert {chunk.body[:4] for chunk in chunks} == {text[:4]}


def test_headings_begin_chunks() -> None:
    sections = [f"## Section {n}\n\n" + "\n\n".join(paragraphs(4, n)) for n in range(12)]
    chunks = split("\n\n".join(sections), 2000, 0)
    assert all(chunk.body.startswith("## ") for chunk in chunks)
    assert not any(chunk.body.rpartition("\n")[2].startswith("## ") for chunk in chunks)


def test_markdown_table_survives() -> None:
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | {n * n} |" for n in range(400))
    chunks = split(table, 500, 0)
    check(table, chunks, 500)
    assert all(chunk.body.startswith("|") and chunk.body.endswith("|") for chunk in chunks)


@pytest.mark.parametrize("place", [0, 100, 399])
@pytest.mark.parametrize("change", ["edit", "insert", "delete"])
def test_an_edit_leaves_distant_chunks_alone(place: int, change: str) -> None:
    texts = paragraphs(400)
    before = [chunk.body for chunk in split("\n\n".join(texts), 2000, 200)]
    if change == "edit":
        texts[place] += " An afterthought of some length that was not there before."
    elif change == "insert":
        texts.insert(place, "A wholly new paragraph. " * 20)
    else:
        del texts[place]
    after = [chunk.body for chunk in split("\n\n".join(texts), 2000, 200)]
    new = [body for body in after if body not in set(before)]
    assert new or change == "delete"
    assert len(new) <= 8, f"{len(new)} of {len(after)} chunks changed"


def test_edits_inside_one_long_paragraph_resynchronise_too() -> None:
    sentences = " ".join(paragraphs(300)).split(". ")
    before = {chunk.body for chunk in split(". ".join(sentences))}
    sentences.insert(20, "A sentence that was not there before")
    after = [chunk.body for chunk in split(". ".join(sentences))]
    assert sum(body not in before for body in after) <= 8


@pytest.mark.parametrize(
    "document",
    [
        "\n\n".join(paragraphs(400)) * 45,
        "word " * 200_000,
        "x" * 5_000_000,
        " " * 2_500_000 + "." + "\n" * 2_500_000 + ".",
        ". " * 200_000,
        "\n \n" * 1_600_000 + ".",
        "'\"" * 2_500_000,
    ],
    ids=["prose", "words", "run", "blank", "stops", "lines", "quotes"],
)
def test_megabytes_take_seconds(document: str) -> None:
    begun = time.process_time()
    assert split(document)
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(("budget", "overlap"), [(19, 0), (100, 51), (100, -1)])
def test_impossible_sizes(budget: int, overlap: int) -> None:
    with pytest.raises(SqlError) as caught:
        split_for_sql(FakePlpy(), "text", budget, overlap)
    assert caught.value.sqlstate == "GR009"
    assert str(budget) in str(caught.value)


def test_it_can_be_stopped() -> None:
    def interrupted() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        split("A sentence. " * 1000, breathe=interrupted)
