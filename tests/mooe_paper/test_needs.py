"""Streams that a cell needs are found, or it is said what to do."""

import lzma

import pytest

from mooe.datasets import StreamError
from mooe_paper.needs import digest_of, missing


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("MOOE_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MOOE_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_a_stream_that_can_be_fetched_says_how(home):
    assert missing("Covertype") == (
        "Covertype is not on this machine: mooe data fetch Covertype, "
        "or put covertype.zip into MOOE_DATA_HOME"
    )


def test_a_stream_that_cannot_be_fetched_says_what_to_put_where(home):
    assert missing("Usenet1") == (
        "Usenet1 is not on this machine: put usenet1.arff into MOOE_DATA_HOME"
    )


def test_published_files_given_by_hand_are_enough(home):
    (home / "Mirai_dataset.csv.gz").touch()
    assert missing("Kitsune")
    (home / "Mirai_labels.csv.gz").touch()
    assert missing("Kitsune") == ""


def test_a_stream_with_other_bytes_than_published_is_refused(home):
    with lzma.open(home / "Usenet1.csv.xz", "wt") as file:
        file.write("a,class\n1,0\n")
    assert missing("Usenet1") == ""
    with pytest.raises(StreamError, match="sha256 of Usenet1"):
        digest_of("Usenet1")


def test_a_stream_without_a_known_checksum_has_that_of_its_text(home):
    with lzma.open(home / "Kitsune.csv.xz", "wt") as file:
        file.write("a,class\n1,0\n")
    assert len(digest_of("Kitsune")) == 64
