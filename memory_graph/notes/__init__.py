"""Episodes and patterns as Markdown notes that people can read, link and edit."""
