"""Offline stand-ins for hosted models: MiniLM embeddings and spaCy rules (not a language model)."""
