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
    asked, /metrics is for Prometheus. At any other --host than this machine's own a token is needed: that of the
    variable SATISFICE_TOKEN, or one that is made and printed once. SATISFICE_WORK_TOKEN and SATISFICE_READ_TOKEN may
    have others, which allow only to work for studies that are there, and only to look.
    """
    from satisfice.cli.lookup import storage_of
    from satisfice.cli.web import needs_web, offered
    from satisfice.show.sentence import note
    from satisfice.study.storage.protocol import open_storage

    needs_web()
    kept = open_storage(storage_of(storage))
    with offered(kept, host, port, allow_host or (), (certificate, certificate_key), trust_code=trust_code) as made:
        note(f"{kept} is served at {made.address} (Ctrl-C ends it)")
        if made.token is not None:
            note(f"whoever uses it needs this token, in SATISFICE_TOKEN or a header: {made.token}")
        made.serve()
