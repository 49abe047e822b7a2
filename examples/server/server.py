"""A small web server: each request keeps one of its workers busy for 20 ms.

    python3 server.py --workers 8 --port 8088 --requests 1000

It ends after `--requests`, as one that crashes does. `satisfice run study.toml` starts it by itself, with 1 and with 8
workers, and measures it with ab. A server that does not answer ends the run with an error.
"""

import argparse
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Semaphore
from time import sleep

BUSY = 0.02


def main() -> None:
    parser = argparse.ArgumentParser(description="A small web server.")
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--requests", type=int, help="how many it answers before it ends; without it, any number")
    options = parser.parse_args()
    workers, counting, left = Semaphore(options.workers), Lock(), [options.requests or float("inf")]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with workers:
                sleep(BUSY)
            with counting:
                left[0] -= 1
            if left[0] < 0:
                os._exit(1)
            self.send_response(200)
            self.send_header("Content-Length", "3")
            self.end_headers()
            self.wfile.write(b"ok\n")

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    ThreadingHTTPServer.request_queue_size = 64
    ThreadingHTTPServer(("127.0.0.1", options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
