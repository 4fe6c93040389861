"""What the plugin adds to a prompt, seen as its users see it: installed."""

from foreword import Builder


def test_the_section_stands_under_its_title() -> None:
    """The section has its title, its variable filled in, and the plugin's version as its provider."""
    prompt = Builder().build()
    section = prompt.section("acme-citations.style")
    assert section.title == "Citations"
    assert "in the form author-year." in section.text
    assert section.provider == "acme-citations:acme 1.2.0"


def test_the_caller_chooses_the_form() -> None:
    """``context`` of the call says how citations look."""
    prompt = Builder().build(context={"citation_form": "numbered"})
    assert "in the form numbered." in prompt.section("acme-citations.style").text


def test_the_skill_stands_in_the_prompt() -> None:
    """The skill is a section of its own."""
    assert "list every citation" in Builder().build().section("skills/acme-citations.check-citations").text


def test_the_plugin_leaves_nothing_to_complain_about() -> None:
    """A strict build has neither an error nor a warning."""
    assert not [found for found in Builder().build(strict=True).diagnostics if found.severity != "info"]
