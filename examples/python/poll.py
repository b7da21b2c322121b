"""A bot that answers posts, read by long polling. Python 3.9 or newer, nothing to install.

    BOT_TOKEN=bot_… python3 poll.py

It may be killed at any moment: the service keeps its position, and each answer has an Idempotency-Key.
"""

import http.client
import itertools
import json
import os
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("BOTYARD_URL", "http://127.0.0.1:8080")
TOKEN = os.environ["BOT_TOKEN"]
# Longer than the 30 s that a poll waits.
TIMEOUT_S = 40
LONGEST_WAIT_S = 30


class Refused(Exception):
    """The service refuses the request, and would refuse it again."""

    def __init__(self, status, code, message):
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code


def call(method, path, body=None, headers=None):
    """The answer to a request. Tries again while there is none, and after 429 and 5xx, as Retry-After says."""
    request = urllib.request.Request(URL + path, method=method)
    request.add_header("Authorization", f"Bearer {TOKEN}")
    if body is not None:
        request.add_header("Content-Type", "application/json")
        request.data = json.dumps(body).encode()
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    for tries in itertools.count():
        wait = None
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                raise Refused(error.code, error.headers.get("Botyard-Error"), error.read().decode()) from None
            wait = error.headers.get("Retry-After")
        except (OSError, http.client.HTTPException, ValueError):
            pass  # No answer, half of one, or one of a proxy. Whether a post was stored, its key finds out.
        time.sleep(int(wait) if wait and wait.isdigit() else min(2**tries, LONGEST_WAIT_S))


def answer(update):
    """What the bot says to an update; None for nothing."""
    if update["event_type"] != "channel.post_created":
        return None
    post = update["payload"]
    # Answers to bots, itself among them, would never end. A deleted post is empty.
    if post.get("author", {}).get("type") == "bot" or post.get("deleted"):
        return None
    return f"echo: {post['body']}"


def handle(update):
    text = answer(update)
    if text is None:
        return
    path = f"/v1/bot-api/channels/{update['payload']['channel_id']}/posts"
    # The same for the same update, also in another run: the service publishes it once.
    key = f"answer-{update['update_id']}"
    try:
        call("POST", path, {"body": text}, {"Idempotency-Key": key})
    except Refused as refusal:
        if refusal.status == 401:
            raise
        # Such as a channel that it was detached from: the next update must not wait for that.
        print(f"update {update['update_id']} given up: {refusal}", file=sys.stderr)


def confirm(position):
    try:
        call("PUT", "/v1/bot-api/consumers/main", {"position": position})
    except Refused as refusal:
        # Another copy of the program is further already.
        if refusal.code != "position_backwards":
            raise


def main():
    me = call("GET", "/v1/bot-api/me")
    print(f"@{me['username']} polls", flush=True)
    while True:
        updates = call("GET", "/v1/bot-api/updates?consumer=main&limit=100&timeout=30")["items"]
        for update in updates:
            handle(update)
        if updates:
            # Only now: what is not confirmed is read again after a crash.
            confirm(updates[-1]["update_id"])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
    except Refused as refusal:
        sys.exit(str(refusal))
