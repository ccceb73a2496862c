"""A Kafka cluster and a Redis server for tests, started for them where they can be had."""

import os
import shutil
import subprocess
import tempfile
from itertools import count

import pytest

from mooe.platform import Platform
from sources.scenes import KafkaScene, RedisScene, RedisServer

NUMBERS = count()


@pytest.fixture(scope="session")
def brokers():
    """Start librdkafka's own cluster, which speaks Kafka's protocol over TCP; return its address.

    Its topics have four partitions each, and are made when they are first named.
    """
    kafka = pytest.importorskip("confluent_kafka")
    cluster = kafka.Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "", "log_level": 0})
    (broker,) = cluster.list_topics(timeout=30).brokers.values()
    yield f"{broker.host}:{broker.port}"
    del cluster


@pytest.fixture(scope="session")
def redis_program():
    """Return the program of a Redis server, fetched by apt where we may."""
    pytest.importorskip("redis")
    if shutil.which("redis-server") is None and os.getuid() == 0 and shutil.which("apt-get"):
        subprocess.run(["apt-get", "install", "-y", "-q", "redis-server"], capture_output=True)
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("redis-server is not installed, and apt cannot be used here")
    return program


@pytest.fixture(scope="session")
def redis_url(redis_program):
    """Start a Redis server of our own, behind a socket; return its URL."""
    with tempfile.TemporaryDirectory(prefix="mooe-redis-", dir="/tmp") as folder:
        server = RedisServer(redis_program, folder)
        try:
            yield server.url
        finally:
            server.stop()


@pytest.fixture
def own_redis(redis_program):
    """Start a Redis server that a test may kill; what it has acknowledged is on its disk."""
    with tempfile.TemporaryDirectory(prefix="mooe-redis-", dir="/tmp") as folder:
        settings = ("--appendonly", "yes", "--appendfsync", "always")
        server = RedisServer(redis_program, folder, *settings)
        try:
            yield server
        finally:
            server.stop()


@pytest.fixture
def kafka_scene(brokers):
    """Return topics of their own on the cluster."""
    return KafkaScene(brokers, f"t{next(NUMBERS)}")


@pytest.fixture
def redis_scene(redis_url):
    """Return streams of their own on the server."""
    return RedisScene(redis_url, f"t{next(NUMBERS)}")


@pytest.fixture(params=["kafka", "redis"])
def scene(request):
    """Return topics or streams, of each kind of source."""
    return request.getfixturevalue(f"{request.param}_scene")


@pytest.fixture
def platform(tmp_path):
    """Return a platform with the model m."""
    with Platform(tmp_path / "store") as platform:
        platform.create("m")
        yield platform
