"""mooe consume, and what it refuses; tests/sources starts it on Kafka and Redis."""

import pytest
from command import inside, words

from mooe.platform import Platform

pytest.importorskip("confluent_kafka")
pytest.importorskip("redis")


def refused(tmp_path, *arguments):
    """Return the exit code of the command and what it says."""
    done = inside("consume", *arguments, "--store", tmp_path / "store")
    return done.exit_code, words(done.stderr)


def test_topics_must_be_named(tmp_path):
    code, said = refused(tmp_path, "redis://localhost:1")
    assert (code, "requests or labels must name a topic to read" in said) == (2, True)
    options = ("--labels", "a", "--answers", "a")
    code, said = refused(tmp_path, "redis://localhost:1", *options)
    assert (code, "must not be read again, got 'a'" in said) == (2, True)


def test_the_url_must_be_that_of_a_source(tmp_path):
    code, said = refused(tmp_path, "http://localhost", "--labels", "a")
    assert code == 2
    assert "source must be kafka://host:port or redis://host:port/db, got 'http://" in said


def test_settings_of_kafka_are_checked_at_once(tmp_path):
    properties = tmp_path / "client.properties"
    options = ("kafka://localhost:1", "--labels", "a", "--properties", properties)
    code, said = refused(tmp_path, *options)
    assert (code, "No such file" in said) == (2, True)
    properties.write_text("no.such.setting = 1\n")
    code, said = refused(tmp_path, *options)
    assert (code, "No such configuration property" in said) == (2, True)


def test_a_store_that_another_process_has_is_refused(tmp_path):
    with Platform(tmp_path / "store"):
        code, said = refused(tmp_path, "redis://localhost:1", "--labels", "a")
    assert code == 1
    assert "one process writes a store" in said


def test_a_server_must_be_told_where_topics_are(tmp_path):
    done = inside("serve", "--store", tmp_path / "store", "--labels", "a")
    assert done.exit_code == 2
    assert "must say where --requests and --labels are read from" in words(done.stderr)
