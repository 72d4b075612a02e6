"""Answer quality, extraction quality, graph figures and cost, with any OpenAI-compatible endpoint: README.md."""
