"""satisfice serve."""

from satisfice.cli import options


def serve(
    storage: str | None = options.STORAGE_PLACE,
    host: str = options.WEB_HOST,
    port: int = options.WEB_PORT,
    allow_host: list[str] | None = options.WEB_NAMES,
    certificate: str | None = options.CERTIFICATE,
    certificate_key: str | None = options.CERTIFICATE_KEY,
    trust_code: bool = options.TRUST_CODE,
) -> None:
    """Serve the studies of a storage over HTTP, until interrupted: ask and tell from any language, and the dashboard.

    What is acknowledged is on disk; the results of many workers go there together. /openapi.json says what can be
    asked, /metrics is for Prometheus. By default only this machine can use it, and needs no token. With any other
    --host or --allow-host, or if a variable sets a token, each request needs one: that of SATISFICE_TOKEN, or one that
    is made and printed once. A token in SATISFICE_WORK_TOKEN allows only to work for studies that are there, and one
    in SATISFICE_READ_TOKEN only to look.
    """
    from satisfice.cli.lookup import storage_of
    from satisfice.cli.web import needs_web, offered
    from satisfice.show.sentence import note
    from satisfice.study.storage.protocol import open_storage

    needs_web()
    kept = open_storage(storage_of(storage))
    with offered(kept, host, port, allow_host or (), (certificate, certificate_key), trust_code=trust_code) as made:
        note(f"{kept} is served at {made.address} (Ctrl-C ends it)")
        if made.token_note is not None:
            note(made.token_note)
        made.serve()
