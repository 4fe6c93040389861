"""What the plugin adds to a prompt, seen as its users see it: installed."""

from foreword import Builder


def test_the_section_stands_under_its_title_with_the_form_filled_in() -> None:
    prompt = Builder().build()
    section = prompt.section("acme-citations.style")
    assert section.title == "Citations"
    assert "in the form author-year." in section.text
    assert section.provider == "acme-citations:acme 1.2.0"


def test_the_caller_chooses_the_form() -> None:
    prompt = Builder().build(context={"citation_form": "numbered"})
    assert "in the form numbered." in prompt.section("acme-citations.style").text


def test_the_skill_stands_in_the_prompt() -> None:
    assert "list every citation" in Builder().build().section("skills/acme-citations.check-citations").text


def test_the_plugin_leaves_nothing_to_complain_about() -> None:
    assert not [found for found in Builder().build(strict=True).diagnostics if found.severity != "info"]
