"""A source by its URL."""

from collections.abc import Mapping

from mooe.sources.source import Source, Topics

REDIS = ("redis://", "rediss://", "unix://")
BEGINS = (None, "beginning", "end")


def connect(
    url: str,
    topics: Topics,
    group: str = "mooe",
    begin: str | None = None,
    properties: Mapping[str, str] | None = None,
) -> Source:
    """Return a source, which is not started yet, or raise ValueError or ImportError.

    Parameters
    ----------
    url : str
        kafka://host:port,host:port or redis://host:port/db (also rediss://, unix://).
    group : str
        Of one store: two that share a group would each learn half.
    begin : {None, "beginning", "end"}
        Where to begin with a topic of which the store has no position; None: at the beginning.
    properties : mapping, optional
        Settings of librdkafka, for Kafka alone.
    """
    if begin not in BEGINS:
        raise ValueError(f"begin must be 'beginning' or 'end', got {begin!r:.80}")
    if url.startswith("kafka://"):
        from mooe.sources.kafka import Kafka

        return Kafka(url.removeprefix("kafka://"), topics, group, properties, begin)
    if properties:
        raise ValueError("properties must be given for Kafka alone")
    if url.startswith(REDIS):
        from mooe.sources.redis_streams import RedisStreams

        return RedisStreams(url, topics, group, begin=begin)
    raise ValueError(f"source must be kafka://host:port or redis://host:port/db, got {url!r:.80}")


def properties_in(text: str) -> dict[str, str]:
    """Return the settings of a properties file as Kafka's tools read them, or raise ValueError.

    >>> properties_in("# ours\\nsecurity.protocol = SASL_SSL\\n")
    {'security.protocol': 'SASL_SSL'}
    """
    found = {}
    for line in map(str.strip, text.splitlines()):
        if not line or line.startswith(("#", "!")):
            continue
        name, sign, value = line.partition("=")
        if not sign or not name.strip():
            raise ValueError(f"properties must be lines of name=value, got {line.split()[0]!r:.80}")
        found[name.strip()] = value.strip()
    return found
