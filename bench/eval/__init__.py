"""Answer quality, extraction quality, graph figures and cost, with any OpenAI-compatible endpoint: bench/eval/README.md."""
