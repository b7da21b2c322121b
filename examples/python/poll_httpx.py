"""The same as poll.py with httpx, which keeps its connection open: pip install httpx

    BOT_TOKEN=bot_… python3 poll_httpx.py

It may be killed at any moment: the service keeps its position, and each answer has an Idempotency-Key.
"""

import itertools
import os
import sys
import time

import httpx

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


client = httpx.Client(base_url=URL, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=TIMEOUT_S)


def call(method, path, body=None, headers=None):
    """The answer to a request. Tries again while there is none, and after 429 and 5xx, as Retry-After says."""
    for tries in itertools.count():
        wait = None
        try:
            response = client.request(method, path, json=body, headers=headers)
            if response.is_success:
                return response.json()
            if response.status_code != 429 and response.status_code < 500:
                raise Refused(response.status_code, response.headers.get("Botyard-Error"), response.text)
            wait = response.headers.get("Retry-After")
        except (httpx.TransportError, ValueError):
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
