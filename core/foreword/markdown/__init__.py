"""Markdown: front matter, headings, and texts that stay inside their section."""
