"""The platform over HTTP: uvicorn, Starlette and msgspec, the hot routes as plain ASGI."""

try:
    import msgspec  # noqa: F401
    import prometheus_client  # noqa: F401
    import starlette  # noqa: F401
    import uvicorn  # noqa: F401
except ImportError as problem:
    raise ImportError(f"mooe.server needs {problem.name}: pip install 'mooe[server]'") from problem
