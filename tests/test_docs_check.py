"""The check of the documentation: examples run, print what is shown, and links lead somewhere."""

import check_docs
import pytest


@pytest.fixture
def write_page(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("see [the docs](docs/page.md) or [the web](https://example.org)\n")

    def write(text: str):
        (tmp_path / "docs" / "page.md").write_text(text, encoding="utf-8")
        return tmp_path

    return write


def test_blocks_of_a_page_share_names_and_other_languages_are_left_alone(write_page):
    root = write_page("```python\nx = 1\n```\n\n```python\nassert x == 1\n```\n\n```cpp\nint x\n```\n")
    assert list(check_docs.failing_examples(root)) == []
    assert list(check_docs.broken_links(root)) == []


def test_an_example_that_raises_is_named_with_its_page_and_line(write_page):
    root = write_page("words\n\n```python\nx = 1\nx.no_such_thing\n```\n")
    (problem,) = check_docs.failing_examples(root)
    assert problem.startswith("docs/page.md: an example fails")
    assert 'page.md", line 5' in problem
    assert "no_such_thing" in problem


def test_text_below_an_example_is_what_it_prints(write_page):
    shown = "```python\nprint(1 + 1)\n```\n\n```text\n{}\n```\n"
    assert list(check_docs.failing_examples(write_page(shown.format("2")))) == []
    (problem,) = check_docs.failing_examples(write_page(shown.format("3")))
    assert problem == "docs/page.md:5: the example above prints something else\n2\n"


def test_text_elsewhere_is_any_text(write_page):
    root = write_page("```text\na\n```\n\n```python\nprint(1)\n```\n\nwords\n\n```text\nb\n```\n")
    assert list(check_docs.failing_examples(root)) == []


def test_a_toml_block_with_a_name_is_a_file_for_the_examples_below(write_page):
    reading = "```python\nfrom pathlib import Path\nassert 'x = 1' in Path('a.toml').read_text()\n```\n"
    assert list(check_docs.failing_examples(write_page(f"```toml\n# a.toml\nx = 1\n```\n{reading}"))) == []
    (problem,) = check_docs.failing_examples(write_page(f"```toml\nx = 1\n```\n{reading}"))
    assert "FileNotFoundError" in problem


def test_a_link_to_a_file_that_does_not_exist_is_named_with_its_line(write_page):
    root = write_page("one\n[a](../README.md#part) and [b](absent.md)\n")
    assert list(check_docs.broken_links(root)) == ["docs/page.md:2: the link leads nowhere: absent.md"]


def test_an_example_runs_only_where_what_it_needs_is_installed(write_page):
    shown = "```python needs={}\nprint(1)\n```\n\n```text\n2\n```\n"
    assert list(check_docs.failing_examples(write_page(shown.format("no_such_package")))) == []
    (problem,) = check_docs.failing_examples(write_page(shown.format("json,pytest")))
    assert "prints something else" in problem
