"""The checks of sections and edits: made while this is imported, once, however many threads ask for it."""

from __future__ import annotations

from foreword.markdown._front_matter_model import When

from ._model import Edit, Section

for _model in (When, Section, Edit):
    _model.model_rebuild()
