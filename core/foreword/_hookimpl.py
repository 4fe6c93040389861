"""The marker with which a plugin says that a function implements a hook."""

from __future__ import annotations

import pluggy

hookimpl = pluggy.HookimplMarker("foreword")
"""Marks a function of a plugin as the implementation of the hook of the same name.

>>> @hookimpl
... def foreword_sections(context):
...     return []
"""
