"""mooe consume: requests and labels from Kafka or Redis streams, into the models of a store."""

import json
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mooe.cli.app import app, fail, note, usage
from mooe.cli.options import AsJson, LogLevel, with_options
from mooe.cli.snapshot import StorePlace, in_words

if TYPE_CHECKING:
    from mooe.platform import Platform
    from mooe.sources import Consumer

SOURCE = "What is read and sent"
MAINTAINED_EVERY = 10.0  # seconds
TOLD_EVERY = 60.0  # seconds
Begin = StrEnum("Begin", ["beginning", "end"])
_of_source = partial(typer.Option, rich_help_panel=SOURCE)


@dataclass(frozen=True)
class SourceOptions:
    """What is read from a source, and what is sent there."""

    requests: Annotated[
        list[str] | None,
        _of_source(metavar="TOPIC", help="Topic or stream with rows to answer; repeatable."),
    ] = None
    labels: Annotated[
        list[str] | None,
        _of_source(metavar="TOPIC", help="With labels, or labelled rows; repeatable."),
    ] = None
    answers: Annotated[
        str | None, _of_source(metavar="TOPIC", help="Where answers go; by default nowhere.")
    ] = None
    dead_letters: Annotated[
        str | None,
        _of_source(metavar="TOPIC", help="Where messages go that cannot be carried out."),
    ] = None
    group: Annotated[
        str, _of_source(metavar="NAME", help="Consumer group; one for each store.")
    ] = "mooe"
    model: Annotated[
        str | None,
        _of_source(metavar="NAME", help="Model of messages that name none; made if need be."),
    ] = None
    begin: Annotated[
        Begin | None,
        _of_source(help="Where to begin with a topic that the store does not know."),
    ] = None
    properties: Annotated[
        Path | None,
        _of_source(metavar="FILE", help="Settings of librdkafka (Kafka): lines of name=value."),
    ] = None
    batch: Annotated[
        int, _of_source(min=1, max=10_000, metavar="N", help="Most messages at a time.")
    ] = 500


def consumer_of(url: str, options: SourceOptions, platform: "Platform") -> "Consumer":
    """Return what carries out the messages of a source, or stop with exit code 2."""
    from mooe.sources import Consumer, Topics, connect
    from mooe.sources.connect import properties_in

    try:
        topics = Topics(
            *(tuple(options.requests or ()), tuple(options.labels or ())),
            *(options.answers, options.dead_letters),
        )
    except ValueError as problem:
        usage("--requests", problem)
    properties: dict[str, str] | None = None
    if options.properties is not None:
        try:
            properties = properties_in(options.properties.read_text(encoding="utf-8"))
        except (OSError, ValueError) as problem:
            usage("--properties", problem)
    try:
        begin = None if options.begin is None else options.begin.value
        opened = partial(connect, url, topics, options.group, begin, properties)
        opened().close()  # what is wrong with the settings is said at once
    except ImportError as problem:
        fail(str(problem))
    except ValueError as problem:
        usage("URL", problem)
    if options.model is not None and options.model not in platform.models():
        platform.create(options.model)
    return Consumer(platform, opened, topics, options.model, options.batch)


@app.command()
@in_words()
@with_options
def consume(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL",
            envvar="MOOE_SOURCE",
            help="kafka://host:port,host:port or redis://host:port/db.",
        ),
    ],
    store: StorePlace,
    source: SourceOptions,
    until_end: Annotated[
        bool, typer.Option("--until-end", help="Stop when all that is there has been read.")
    ] = False,
    log_level: Annotated[LogLevel, typer.Option(help="What is logged.")] = LogLevel.info,
    as_json: AsJson = False,
) -> None:
    """Answer and learn what comes through Kafka or Redis streams, each message exactly once."""
    from mooe.platform import Platform
    from mooe.sources import SourceError

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("mooe").setLevel(log_level.value.upper())
    with stopped_by_signals() as stop, Platform(store) as platform:
        consumer = consumer_of(url, source, platform)
        platform.warm_up()
        note(f"reading {url.rpartition('@')[2]} into {store.rpartition('@')[2]}; Ctrl-C stops")
        try:
            consumer.run(stop, until_end, _now_and_then(platform, consumer))
        except SourceError as problem:
            fail(str(problem))
    counts = {name: consumer.counts[name] for name in sorted(consumer.counts)}
    if as_json:
        print(json.dumps(counts, indent=2))
    else:
        print(", ".join(f"{n:,} {name}" for name, n in counts.items() if n) or "no messages")


@contextmanager
def stopped_by_signals() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C and a request to end set, instead of what they do elsewhere."""
    stop = threading.Event()
    before = {
        kind: signal.signal(kind, lambda *_: stop.set()) for kind in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield stop
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _now_and_then(platform: "Platform", consumer: "Consumer") -> Callable[[], None]:
    """Return what is done between batches: models are looked after, and progress is told."""
    due = {"maintain": time.monotonic() + MAINTAINED_EVERY, "tell": time.monotonic() + TOLD_EVERY}
    log = logging.getLogger("mooe.sources")

    def look() -> None:
        now = time.monotonic()
        if now >= due["maintain"]:
            platform.maintain()
            due["maintain"] = now + MAINTAINED_EVERY
        if now >= due["tell"]:
            log.info("so far %s; not read yet: %s", dict(consumer.counts), consumer.lag)
            due["tell"] = now + TOLD_EVERY

    return look
