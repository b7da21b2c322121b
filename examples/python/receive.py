"""A bot that answers posts, which the service sends to its webhook. Python 3.9 or newer, nothing to install.

    BOT_TOKEN=bot_… SECRET_TOKEN=… PORT=3000 python3 receive.py

It may be killed at any moment: the service sends again what it has not accepted, and each answer has an
Idempotency-Key.
"""

import hashlib
import hmac
import json
import os
import time
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OLDEST_S = 300
LARGEST_BODY_BYTES = 1024 * 1024
NAMES = [f"X-Service-Bot-Api-{name}" for name in ("Timestamp", "Secret-Token", "Signature")]


class NotGenuine(Exception):
    """The request is not to be acted on."""


def verify(headers, body, secrets, now):
    """The update of a webhook request.

    headers: all values of a header, by `get_all(name)`, whatever its case
    body: the bytes as they came, before anything has parsed them
    secrets: the webhook's secret token; two while it is changed
    now: Unix seconds
    """
    values = [headers.get_all(name, []) for name in NAMES]
    if any(len(all_of_it) > 1 for all_of_it in values):
        raise NotGenuine("repeated-header")
    if not all(all_of_it and all_of_it[0] for all_of_it in values):
        raise NotGenuine("missing-header")
    timestamp, token, signature = (all_of_it[0].encode() for all_of_it in values)
    secret = next((one.encode() for one in secrets if hmac.compare_digest(one.encode(), token)), None)
    if secret is None:
        raise NotGenuine("wrong-secret")
    digest = hmac.new(secret, timestamp + b"." + body, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(f"sha256={digest}".encode(), signature):
        raise NotGenuine("wrong-signature")
    if not timestamp.isdigit() or abs(int(timestamp) - now) > OLDEST_S:
        raise NotGenuine("wrong-time")
    try:
        update = json.loads(body)
    except ValueError:
        update = None
    if (
        not isinstance(update, dict)
        or type(update.get("update_id")) is not int
        or not isinstance(update.get("event_type"), str)
        or not isinstance(update.get("payload"), dict)
    ):
        raise NotGenuine("no-update")
    return update


class Receiver(BaseHTTPRequestHandler):
    # Keeps the connection: the service sends up to 16 updates at once.
    protocol_version = "HTTP/1.1"
    # Seconds: a client that sends nothing must not hold its thread.
    timeout = 60

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LARGEST_BODY_BYTES:
            self.close_connection = True
            return self.answer(400)
        body = self.rfile.read(int(length))
        try:
            update = verify(self.headers, body, [os.environ["SECRET_TOKEN"]], time.time())
        except NotGenuine as reason:
            self.log_error("refused: %s", reason)
            return self.answer(400 if str(reason) == "no-update" else 401)
        try:
            # A test of the webhook is number 0: there is nothing to do.
            if update["update_id"] > 0:
                handle(update)
        except Exception:
            traceback.print_exc()
            # The service sends it again.
            return self.answer(500)
        # Only now: whatever is answered below 300 does not come again.
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_request(self, *_):
        pass


def handle(update):
    # An update may come twice, also at the same moment. What must happen once needs a key, as the answer has one.
    import poll  # Here, because it wants a BOT_TOKEN, and verify does not.

    poll.handle(update)


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
    server.daemon_threads = True
    print(f"listening on port {server.server_port}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
