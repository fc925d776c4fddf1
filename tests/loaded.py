"""Loads what a worker needs, in the process that workers are forked from."""

from memory_graph.embedding import load_embedder
from memory_graph.reading import EMBEDDER as HEADS
from tests.workers import EMBEDDER

for each in (EMBEDDER, HEADS):
    load_embedder(each).embed_sync(["loaded"])
