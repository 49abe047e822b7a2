"""satisfice dashboard."""

from satisfice.cli import options


def dashboard(
    storage: str | None = options.STORAGE_PLACE,
    host: str = options.WEB_HOST,
    port: int = options.WEB_PORT,
    allow_host: list[str] | None = options.WEB_NAMES,
    trust_code: bool = options.TRUST_CODE,
) -> None:
    """Show the studies of a storage in a browser, live, until interrupted; nothing is written there.

    By default only this machine can look, and needs no token. With any other --host or --allow-host, or if a variable
    sets a token, each request needs one: that of SATISFICE_TOKEN, or one that is made and printed once.
    """
    from satisfice.cli.lookup import storage_of
    from satisfice.cli.web import board, needs_web
    from satisfice.show.sentence import note
    from satisfice.study.storage.protocol import open_storage

    needs_web()
    kept = open_storage(storage_of(storage), create=False, read_only=True)
    with board(kept, host, port, names=allow_host or (), trust_code=trust_code) as made:
        note(f"{kept} is shown at {made.address} (Ctrl-C ends it)")
        if made.token_note is not None:
            note(made.token_note)
        made.serve()
