"""mooe serve: the platform over HTTP."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from mooe.cli.app import app, note, usage
from mooe.cli.consume import SourceOptions, consumer_of
from mooe.cli.options import LogLevel, with_options
from mooe.cli.snapshot import in_words


@app.command()
@in_words()
@with_options
def serve(
    source: SourceOptions,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            envvar="MOOE_STORE",
            help="A SQLite file, or postgresql://...; --demo needs none.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", envvar="MOOE_HOST", help="Address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(min=0, max=65535, metavar="N", envvar="MOOE_PORT", help="0 takes a free one."),
    ] = 8080,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File with the bearer token; else MOOE_TOKEN."),
    ] = None,
    webhook: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="Told of changes of regime; repeatable."),
    ] = None,
    consume: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            envvar="MOOE_SOURCE",
            help="Read kafka://host:port or redis://host:port/db too.",
        ),
    ] = None,
    log_level: Annotated[LogLevel, typer.Option(help="What is logged.")] = LogLevel.info,
    demo: Annotated[
        bool, typer.Option("--demo", help="Ask itself a stream whose regimes come back.")
    ] = False,
) -> None:
    """Serve models over HTTP: predict now, learn when the label comes, lose nothing."""
    from mooe.platform import Platform
    from mooe.server.access import check_address, token_of
    from mooe.server.demo import Demo
    from mooe.server.events import check_webhook
    from mooe.server.process import serve as serve_platform

    if store is None and not demo:
        usage("--store", "must name a file or URL")
    if consume is None and (source.requests or source.labels):
        usage("--consume", "must say where --requests and --labels are read from")
    token = token_of(token_file)
    try:
        check_address(host, token)
    except ValueError as problem:
        usage("--host", problem)
    for url in webhook or ():
        try:
            check_webhook(url)
        except ValueError as problem:
            usage("--webhook", problem)
    shown = f"[{host}]" if ":" in host else host
    demos: list[Demo] = []

    with TemporaryDirectory() as folder:
        place = store or str(Path(folder, "demo"))

        def tell(port: int) -> None:
            where = place.rpartition("@")[2]  # without a password
            url = f"http://{shown}:{port}"
            note(f"serving {where} on {url} (live page), see {url}/docs; Ctrl-C stops")
            if demo:
                demos.append(Demo(f"http://127.0.0.1:{port}", token))

        with Platform(place) as platform:
            try:
                webhooks = tuple(webhook or ())
                consumer = None if consume is None else consumer_of(consume, source, platform)
                serve_platform(
                    *(platform, host, port, token, webhooks, log_level.value, tell, consumer)
                )
            finally:
                for each in demos:
                    each.stop()
