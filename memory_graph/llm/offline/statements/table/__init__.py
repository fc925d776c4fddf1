"""The table of statements: which words state which attribute, one file per part of life."""
