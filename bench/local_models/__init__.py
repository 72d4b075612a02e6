"""Local, offline stand-ins for the hosted models: MiniLM embeddings and spaCy rules (not a language model)."""
