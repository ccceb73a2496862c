"""mooe serve: the platform over HTTP."""

from pathlib import Path
from typing import Annotated

import typer

from mooe.cli.app import app, note, usage
from mooe.cli.options import LogLevel
from mooe.cli.snapshot import StorePlace, in_words


@app.command()
@in_words()
def serve(
    store: StorePlace,
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
    log_level: Annotated[LogLevel, typer.Option(help="What is logged.")] = LogLevel.info,
) -> None:
    """Serve models over HTTP: predict now, learn when the label comes, lose nothing."""
    from mooe.platform import Platform
    from mooe.server.process import check_address, token_of
    from mooe.server.process import serve as serve_platform

    token = token_of(token_file)
    try:
        check_address(host, token)
    except ValueError as problem:
        usage("--host", problem)
    shown = f"[{host}]" if ":" in host else host

    def tell(port: int) -> None:
        note(
            f"serving {store.rpartition('@')[2]} on http://{shown}:{port}, see /docs; Ctrl-C stops"
        )

    platform = Platform(store)
    try:
        webhooks = tuple(webhook or ())
        serve_platform(platform, host, port, token, webhooks, log_level.value, tell)
    finally:
        platform.close()
