from os import environ

from python import AuthenticatedClient
from python.api.bot_runtime import create_bot_post, poll_updates
from python.api.owner import (
    attach_bot,
    create_bot,
    create_channel,
    emit_channel_event,
    get_channel,
    list_bot_updates,
    put_webhook,
    read_timeline,
)
from python.models import (
    ChannelPostCreatedUpdate,
    CreateBotRequest,
    CreateChannelPostRequest,
    CreateChannelRequest,
    CustomEventUpdate,
    DeliveryState,
    EmitEventRequest,
    EmitEventRequestPayload,
    PutWebhookRequest,
    TimelineRange,
)

url, name = environ["BOTYARD_URL"], environ["NAME"]
owner = AuthenticatedClient(base_url=url, token=environ["OWNER_TOKEN"])

created = create_bot.sync(client=owner, body=CreateBotRequest(username=name))
channel = create_channel.sync(client=owner, body=CreateChannelRequest(slug=name, title="Generated"))
attached = attach_bot.sync(client=owner, id=created.bot.id, channel_id=channel.id)
assert attached.role == "moderator"

bot = AuthenticatedClient(base_url=url, token=created.token.token)
post = create_bot_post.sync(client=bot, id=channel.id, body=CreateChannelPostRequest(body="Hello"))
assert post.body == "Hello"
event = EmitEventRequest(
    event_type="ticket.opened", payload=EmitEventRequestPayload.from_dict({"ticket": 42})
)
assert emit_channel_event.sync(client=owner, id=channel.id, body=event).event_type == "ticket.opened"
first, second = poll_updates.sync(client=bot, offset=0, timeout=5).items
assert isinstance(first, ChannelPostCreatedUpdate) and first.payload.body == "Hello"
assert isinstance(second, CustomEventUpdate) and second.payload["ticket"] == 42

webhook = PutWebhookRequest(url="http://127.0.0.1:9/", deliver_from="3")
assert put_webhook.sync(client=owner, id=created.bot.id, body=webhook).pending_update_count == 0
history = list_bot_updates.sync(client=owner, id=created.bot.id, state=DeliveryState.SKIPPED)
assert len(history.items) == 2
assert read_timeline.sync(client=owner, id=created.bot.id, range_=TimelineRange("24h")).range_ == "24h"
refused = get_channel.sync_detailed(client=owner, id="nothing")
assert "not found" in refused.parsed.error
assert refused.headers["Botyard-Error"] == "channel_not_found"
print("10 calls")
