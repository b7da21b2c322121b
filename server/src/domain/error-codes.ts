/**
 * The codes that tell programs why a request was refused: the header `Botyard-Error` of every answer that is not a
 * success. A code keeps its meaning; messages may change. Each belongs to one status.
 *
 * A refusal names its code where it is thrown; without one it gets the general code of its kind.
 */
export const ERROR_CODES = {
  ...of(400, {
    invalid_input: "A field, a parameter or a header is not what it must be; the message names it.",
    invalid_json: "The body is not JSON, not whole, or not UTF-8, or has keys that change prototypes.",
    body_too_large: "The body has more bytes than the service accepts.",
    unsupported_media_type: "`Content-Type` is not `application/json`, or the body is compressed.",
    invalid_http: "What was sent is not HTTP as the service accepts it.",
    headers_too_large: "The header fields have more bytes than the service accepts.",
    request_timeout: "The request did not arrive as a whole in time.",
    conflicting_parameters: "Two parameters exclude each other.",
    invalid_owner_header:
      "The platform's token goes with one user id in `Botyard-Owner`, except for the feed, and an owner token without that header.",
    invalid_cursor:
      "`before`, `after`, `cursor` or `Last-Event-ID` is nothing that an answer of this list can have had.",
    invalid_idempotency_key: "`Idempotency-Key` is not 1 to 255 visible ASCII characters.",
    nothing_to_change: "The request would change nothing: it has no field to change.",
    field_fixed: "The request names a field that cannot be changed.",
    revision_conflict: "It was changed since it was read: read it again, and decide again.",
    username_taken: "Another bot of the service has this username.",
    owner_needed: "An external id needs `Botyard-Owner`: it is one owner's.",
    slug_taken: "Another channel of the service has this slug.",
    external_id_taken: "Another channel of the owner has this external id.",
    slug_fixed: "The channel of this external id has another slug, which cannot be changed.",
    unknown_bot: "`bot_ids` or `bots` names a bot that is neither the owner's nor listed.",
    direct_channel: "The channel is a direct one: no bot but its own may be attached to it.",
    too_many_bots_in_channel: "The channel has more bots than are set at once.",
    too_many_bots: "The owner has as many bots as one may have.",
    too_many_channels:
      "The owner has as many channels as one may have, or the bot is attached to as many of the owner's as one may be.",
    bot_full: "The bot is attached to as many channels of all owners as one may be.",
    too_many_consumers: "The bot, or the feed, has as many consumers as one may have.",
    too_many_webhooks: "The bot, or the owner, has as many webhooks as they may have.",
    too_many_bytes:
      "The channels of the owner keep as many bytes of posts and other events as they may: delete some.",
    blank_body: "The text of the post is only white space, or it has neither text nor media.",
    invalid_created_at:
      "`created_at` of a post is before the year 2000, in the future or a leap second, or the post is not `silent`.",
    reply_not_found: "`reply_to` names no post of the same channel that the author may read.",
    invalid_commands: "Commands, options or choices are named twice, in a wrong order, or of a wrong type.",
    invalid_components:
      "A component of the post lacks what its type needs, has what another type has, or its id twice.",
    unknown_command: "The bot offers no command of this name.",
    invalid_options: "The options of a command are not those that it has.",
    unknown_component: "There is no component of this id that can be pressed.",
    invalid_values: "The values that were chosen are not what the component allows.",
    bot_disabled: "The bot is disabled.",
    bot_is_reader: "The bot is in the channel as `reader`: it could not respond.",
    interaction_expired: "The interaction takes no more responses: its time is over.",
    too_many_responses: "The interaction has as many responses as one may have.",
    no_pressed_post: "The interaction is not of a post, so that none can be edited.",
    too_many_secrets:
      "As many secrets that were replaced sign still as may: wait, or end them with `overlap=0s`.",
    invalid_secret_token: "A secret token that begins with `whsec_` is not of the form of Standard Webhooks.",
    too_deep: "JSON is nested deeper than the service accepts.",
    too_large:
      "`media`, `components`, `payload`, `metadata`, `commands` or `command.options` has more bytes than the service accepts.",
    unclean_text:
      "`payload`, `metadata` or `command.options` contains NUL characters or unpaired surrogates.",
    invalid_event_type: "`event_type`, or an entry of `event_types`, is not the name of a kind.",
    reserved_event_type: "Kinds that begin so are the service's own.",
    unknown_event_type: "No event of the service is of the kind that is subscribed to.",
    invalid_headers: "`headers` has one that a webhook may not have.",
    invalid_auto_pause: "`auto_pause` is neither a duration from `1s` to `365d` nor `off`.",
    invalid_overlap: "`overlap` is not a duration from `0s` to `24h`.",
    secret_unreadable: "No key opens the stored secret token of the webhook: set it anew.",
    invalid_url: "`url` is not a URL that a webhook may have.",
    address_not_allowed: "`url` has an address that the service does not deliver to.",
    host_not_allowed: "`url` has a host that the service is not configured to deliver to.",
    no_webhook: "The bot has no webhook.",
    deliveries_off: "The service sends nothing to webhooks: `DELIVERIES=off`, or `botyard deliveries off`.",
    not_delivered: "Only an update that was delivered can be sent again.",
    not_waiting: "Only an update that is pending or scheduled can be skipped.",
    webhook_conflict: "Others set the webhook at the same time: try again.",
    unknown_consumer: "`deliver_from` names a consumer that the bot does not have.",
    beyond_log: "A number is beyond the end of the bot's log.",
    position_backwards: "The consumer is further already; only `rewind` moves it back.",
    too_many_done: "`done` and what was sent before have too many numbers.",
    feed_position_expired:
      "Events that followed the cursor have expired: read the feed from the oldest that is kept.",
    feed_changed: "The cursor is of another feed: read from the oldest event that is kept.",
    wrong_confirmation: "`confirm` is not the owner's user id.",
  }),
  ...of(401, {
    credential_missing: "The request has no bearer token.",
    credential_wrong_kind:
      "A token of a bot was sent where one of an owner or of the platform belongs, or the reverse.",
    token_invalid:
      "The token is unknown, rotated, of a disabled or deleted bot, or not signed as it must be.",
    token_expired: "The owner token has expired.",
    owner_suspended:
      "The platform has suspended the owner, of the token or of the bot; the message says why.",
    keys_unavailable: "The keys that check owner tokens cannot be fetched now.",
  }),
  ...of(403, {
    forbidden: "The caller may not do this.",
    not_attached: "The bot is not attached to the channel.",
    read_only: "The bot is in the channel as `reader`: it may not post there.",
    disabled_by_platform: "The platform disabled the bot, and it alone enables it again.",
    not_author: "The bot did not publish the post.",
  }),
  ...of(404, {
    not_found: "What the request refers to does not exist, or belongs to another owner.",
    bot_not_found: "The bot does not exist, or belongs to another owner.",
    webhook_not_found: "The bot has no webhook of this name, or does not exist, or belongs to another owner.",
    channel_not_found: "The channel does not exist, or belongs to another owner.",
    post_not_found: "The channel has no such post.",
    interaction_not_found:
      "The channel, or the bot, has no such interaction, or it expired with the updates of its time.",
    response_not_found: "The channel has no such response to an interaction.",
    update_not_found: "The bot's log has no such update.",
    consumer_not_found: "The bot, or the feed, has no such consumer.",
    feed_off: "The feed of the platform is not switched on: `PLATFORM_FEED`.",
    attachment_not_found: "The bot does not exist, or is not attached to the channel.",
    route_not_found: "There is no such path, or not with this method.",
  }),
  ...of(429, {
    too_many_batches:
      "Batches of the caller, or of all callers, hold as much memory as they may, or the caller's own take some seconds already.",
    rate_limited: "Too many requests of this credential, or failing ones of this address.",
    too_many_polls: "As many polls and streams of the bot, or of the feed, wait as may.",
    owner_moving:
      "The owner is being moved to another database: for a moment nothing of theirs can be changed.",
    too_many_posts:
      "More posts wait to be stored than the service takes on, and the owner has more than an equal share of them.",
    owner_post_limit:
      "The owner and their bots have published as many posts in a second as the platform lets them.",
    too_many_edits: "The post was edited as often as it may be in a second.",
    bot_loop:
      "Bots of the channel answer each other, and have published as much as they may without a post of a person (`MAX_BOT_LOOP_POSTS`).",
    too_many_tests: "The webhook was sent as many test events as it may be in a minute.",
    too_many_sent_again: "As many updates of the bot were sent again as may be in a minute.",
    too_many_exports: "The owner has begun as many exports as one may in a minute.",
    export_running: "An export of the owner is running.",
  }),
  ...of(500, { internal_error: "A fault of the service, which its log describes." }),
  ...of(503, {
    unavailable: "The service cannot reach its storage now.",
    stopping: "The service is stopping.",
  }),
};

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === "string" && Object.hasOwn(ERROR_CODES, text);
}

/** Codes of one status, by what each means. */
function of<S extends number, C extends string>(
  status: S,
  meanings: Readonly<Record<C, string>>,
): Record<C, { status: S; means: string }> {
  const codes = {} as Record<C, { status: S; means: string }>;
  for (const code in meanings) codes[code] = { status, means: meanings[code] };
  return codes;
}
