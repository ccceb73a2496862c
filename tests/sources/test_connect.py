"""Sources by their URL."""

import sys

import pytest

from mooe.sources import Topics, connect
from mooe.sources.connect import properties_in

TOPICS = Topics(("requests",))


def test_the_scheme_says_which_source_it_is():
    pytest.importorskip("confluent_kafka")
    pytest.importorskip("redis")
    for url, scheme in [("kafka://localhost:1", "kafka"), ("redis://localhost:1/0", "redis")]:
        source = connect(url, TOPICS)
        assert source.scheme == scheme
        source.close()


@pytest.mark.parametrize("url", ["localhost:9092", "amqp://localhost", ""])
def test_any_other_scheme_is_refused(url):
    with pytest.raises(ValueError, match=r"source must be kafka://host:port or redis://"):
        connect(url, TOPICS)


def test_bad_settings_are_refused_at_once():
    pytest.importorskip("confluent_kafka")
    with pytest.raises(ValueError, match=r"settings of Kafka .* property: .no\.such\.setting"):
        connect("kafka://localhost:1", TOPICS, properties={"no.such.setting": "1"})
    with pytest.raises(ValueError, match="begin must be 'beginning' or 'end', got 'middle'"):
        connect("kafka://localhost:1", TOPICS, begin="middle")
    with pytest.raises(ValueError, match="Kafka alone"):
        connect("redis://localhost:1", TOPICS, properties={"a": "b"})


def test_a_properties_file_is_read_as_kafkas_tools_read_it():
    text = "# ours\n! too\n\nsasl.password=a=b\n  client.id = x \n"
    assert properties_in(text) == {"sasl.password": "a=b", "client.id": "x"}


def test_a_bad_line_is_told_without_the_secret_that_may_stand_in_it():
    with pytest.raises(ValueError, match=r"lines of name=value, got 'sasl\.password'"):
        properties_in("sasl.password secret")


@pytest.mark.parametrize(
    ("url", "library", "module"),
    [
        ("kafka://localhost:1", "confluent_kafka", "mooe.sources.kafka"),
        ("redis://localhost:1", "redis", "mooe.sources.redis_streams"),
    ],
)
def test_a_library_that_is_missing_is_told_with_the_way_to_have_it(
    monkeypatch, url, library, module
):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, module, raising=False)
    with pytest.raises(ImportError, match=r"pip install 'mooe\[(kafka|redis)\]'"):
        connect(url, TOPICS)
