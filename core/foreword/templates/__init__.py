"""Templates: mode ``names`` and mode ``jinja``."""
