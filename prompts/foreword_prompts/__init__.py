"""The default prompt templates, one Markdown file for each built-in section."""
