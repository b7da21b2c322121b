/**
 * The codes that tell programs why a request was refused: the header `Botyard-Error` of every answer that is not a
 * success. A code keeps its meaning; messages may change. Each belongs to one status.
 *
 * A refusal names its code where it is thrown; without one it gets the general code of its kind.
 */
export const ERROR_CODES = {
  invalid_input: {
    status: 400,
    means: "A field, a parameter or a header is not what it must be; the message names it.",
  },
  invalid_json: {
    status: 400,
    means: "The body is not JSON, not whole, or not UTF-8, or has keys that change prototypes.",
  },
  body_too_large: { status: 400, means: "The body has more bytes than the service accepts." },
  unsupported_media_type: {
    status: 400,
    means: "`Content-Type` is not `application/json`, or the body is compressed.",
  },
  invalid_http: { status: 400, means: "What was sent is not HTTP as the service accepts it." },
  headers_too_large: { status: 400, means: "The header fields have more bytes than the service accepts." },
  request_timeout: { status: 400, means: "The request did not arrive as a whole in time." },
  conflicting_parameters: { status: 400, means: "Two parameters exclude each other." },
  invalid_owner_header: {
    status: 400,
    means:
      "The platform's token goes with one user id in `Botyard-Owner`, except for the feed, and an owner token without that header.",
  },
  invalid_cursor: {
    status: 400,
    means:
      "`before`, `after`, `cursor` or `Last-Event-ID` is nothing that an answer of this list can have had.",
  },
  invalid_idempotency_key: {
    status: 400,
    means: "`Idempotency-Key` is not 1 to 255 visible ASCII characters.",
  },
  nothing_to_change: { status: 400, means: "The request would change nothing: it has no field to change." },
  field_fixed: { status: 400, means: "The request names a field that cannot be changed." },
  revision_conflict: {
    status: 400,
    means: "It was changed since it was read: read it again, and decide again.",
  },
  username_taken: { status: 400, means: "Another bot of the service has this username." },
  owner_needed: { status: 400, means: "An external id needs `Botyard-Owner`: it is one owner's." },
  slug_taken: { status: 400, means: "Another channel of the service has this slug." },
  external_id_taken: { status: 400, means: "Another channel of the owner has this external id." },
  slug_fixed: {
    status: 400,
    means: "The channel of this external id has another slug, which cannot be changed.",
  },
  unknown_bot: {
    status: 400,
    means: "`bot_ids` or `bots` names a bot that is neither the owner's nor listed.",
  },
  direct_channel: {
    status: 400,
    means: "The channel is a direct one: no bot but its own may be attached to it.",
  },
  too_many_bots_in_channel: { status: 400, means: "The channel has more bots than are set at once." },
  too_many_bots: { status: 400, means: "The owner has as many bots as one may have." },
  too_many_channels: {
    status: 400,
    means:
      "The owner has as many channels as one may have, or the bot is attached to as many of the owner's as one may be.",
  },
  bot_full: { status: 400, means: "The bot is attached to as many channels of all owners as one may be." },
  too_many_consumers: {
    status: 400,
    means: "The bot, or the feed, has as many consumers as one may have.",
  },
  too_many_webhooks: { status: 400, means: "The bot, or the owner, has as many webhooks as they may have." },
  too_many_bytes: {
    status: 400,
    means: "The channels of the owner keep as many bytes of posts and other events as they may: delete some.",
  },
  blank_body: {
    status: 400,
    means: "The text of the post is only white space, or it has neither text nor media.",
  },
  invalid_created_at: {
    status: 400,
    means:
      "`created_at` of a post is before the year 2000, in the future or a leap second, or the post is not `silent`.",
  },
  reply_not_found: {
    status: 400,
    means: "`reply_to` names no post of the same channel that the author may read.",
  },
  invalid_commands: {
    status: 400,
    means: "Commands, options or choices are named twice, in a wrong order, or of a wrong type.",
  },
  invalid_components: {
    status: 400,
    means: "A component of the post lacks what its type needs, has what another type has, or its id twice.",
  },
  unknown_command: { status: 400, means: "The bot offers no command of this name." },
  invalid_options: { status: 400, means: "The options of a command are not those that it has." },
  unknown_component: { status: 400, means: "There is no component of this id that can be pressed." },
  invalid_values: { status: 400, means: "The values that were chosen are not what the component allows." },
  bot_disabled: { status: 400, means: "The bot is disabled." },
  bot_is_reader: { status: 400, means: "The bot is in the channel as `reader`: it could not respond." },
  interaction_expired: { status: 400, means: "The interaction takes no more responses: its time is over." },
  too_many_responses: { status: 400, means: "The interaction has as many responses as one may have." },
  no_pressed_post: { status: 400, means: "The interaction is not of a post, so that none can be edited." },
  too_many_secrets: {
    status: 400,
    means: "As many secrets that were replaced sign still as may: wait, or end them with `overlap=0s`.",
  },
  invalid_secret_token: {
    status: 400,
    means: "A secret token that begins with `whsec_` is not of the form of Standard Webhooks.",
  },
  too_deep: { status: 400, means: "JSON is nested deeper than the service accepts." },
  too_large: {
    status: 400,
    means:
      "`media`, `components`, `payload`, `metadata`, `commands` or `command.options` has more bytes than the service accepts.",
  },
  unclean_text: {
    status: 400,
    means: "`payload`, `metadata` or `command.options` contains NUL characters or unpaired surrogates.",
  },
  invalid_event_type: {
    status: 400,
    means: "`event_type`, or an entry of `event_types`, is not the name of a kind.",
  },
  reserved_event_type: { status: 400, means: "Kinds that begin so are the service's own." },
  unknown_event_type: { status: 400, means: "No event of the service is of the kind that is subscribed to." },
  invalid_headers: { status: 400, means: "`headers` has one that a webhook may not have." },
  invalid_auto_pause: {
    status: 400,
    means: "`auto_pause` is neither a duration from `1s` to `365d` nor `off`.",
  },
  invalid_overlap: { status: 400, means: "`overlap` is not a duration from `0s` to `24h`." },
  secret_unreadable: {
    status: 400,
    means: "No key opens the stored secret token of the webhook: set it anew.",
  },
  invalid_url: { status: 400, means: "`url` is not a URL that a webhook may have." },
  address_not_allowed: { status: 400, means: "`url` has an address that the service does not deliver to." },
  host_not_allowed: {
    status: 400,
    means: "`url` has a host that the service is not configured to deliver to.",
  },
  no_webhook: { status: 400, means: "The bot has no webhook." },
  deliveries_off: {
    status: 400,
    means: "The service sends nothing to webhooks: `DELIVERIES=off`, or `botyard deliveries off`.",
  },
  not_delivered: { status: 400, means: "Only an update that was delivered can be sent again." },
  not_waiting: { status: 400, means: "Only an update that is pending or scheduled can be skipped." },
  webhook_conflict: { status: 400, means: "Others set the webhook at the same time: try again." },
  unknown_consumer: { status: 400, means: "`deliver_from` names a consumer that the bot does not have." },
  beyond_log: { status: 400, means: "A number is beyond the end of the bot's log." },
  position_backwards: {
    status: 400,
    means: "The consumer is further already; only `rewind` moves it back.",
  },
  too_many_done: { status: 400, means: "`done` and what was sent before have too many numbers." },
  feed_position_expired: {
    status: 400,
    means: "Events that followed the cursor have expired: read the feed from the oldest that is kept.",
  },
  feed_changed: {
    status: 400,
    means: "The cursor is of another feed: read from the oldest event that is kept.",
  },
  wrong_confirmation: { status: 400, means: "`confirm` is not the owner's user id." },

  credential_missing: { status: 401, means: "The request has no bearer token." },
  credential_wrong_kind: {
    status: 401,
    means: "A token of a bot was sent where one of an owner or of the platform belongs, or the reverse.",
  },
  token_invalid: {
    status: 401,
    means: "The token is unknown, rotated, of a disabled or deleted bot, or not signed as it must be.",
  },
  token_expired: { status: 401, means: "The owner token has expired." },
  owner_suspended: {
    status: 401,
    means: "The platform has suspended the owner, of the token or of the bot; the message says why.",
  },
  keys_unavailable: { status: 401, means: "The keys that check owner tokens cannot be fetched now." },

  forbidden: { status: 403, means: "The caller may not do this." },
  not_attached: { status: 403, means: "The bot is not attached to the channel." },
  read_only: { status: 403, means: "The bot is in the channel as `reader`: it may not post there." },
  disabled_by_platform: {
    status: 403,
    means: "The platform disabled the bot, and it alone enables it again.",
  },
  not_author: { status: 403, means: "The bot did not publish the post." },

  not_found: {
    status: 404,
    means: "What the request refers to does not exist, or belongs to another owner.",
  },
  bot_not_found: { status: 404, means: "The bot does not exist, or belongs to another owner." },
  webhook_not_found: {
    status: 404,
    means: "The bot has no webhook of this name, or does not exist, or belongs to another owner.",
  },
  channel_not_found: { status: 404, means: "The channel does not exist, or belongs to another owner." },
  post_not_found: { status: 404, means: "The channel has no such post." },
  interaction_not_found: {
    status: 404,
    means: "The channel, or the bot, has no such interaction, or it expired with the updates of its time.",
  },
  response_not_found: { status: 404, means: "The channel has no such response to an interaction." },
  update_not_found: { status: 404, means: "The bot's log has no such update." },
  consumer_not_found: { status: 404, means: "The bot, or the feed, has no such consumer." },
  feed_off: { status: 404, means: "The feed of the platform is not switched on: `PLATFORM_FEED`." },
  attachment_not_found: { status: 404, means: "The bot does not exist, or is not attached to the channel." },
  route_not_found: { status: 404, means: "There is no such path, or not with this method." },

  too_many_batches: {
    status: 429,
    means:
      "Batches of the caller, or of all callers, hold as much memory as they may, or the caller's own take some seconds already.",
  },
  rate_limited: {
    status: 429,
    means: "Too many requests of this credential, or failing ones of this address.",
  },
  too_many_polls: {
    status: 429,
    means: "As many polls and streams of the bot, or of the feed, wait as may.",
  },
  owner_moving: {
    status: 429,
    means: "The owner is being moved to another database: for a moment nothing of theirs can be changed.",
  },
  too_many_posts: {
    status: 429,
    means:
      "More posts wait to be stored than the service takes on, and the owner has more than an equal share of them.",
  },
  owner_post_limit: {
    status: 429,
    means: "The owner and their bots have published as many posts in a second as the platform lets them.",
  },
  too_many_edits: { status: 429, means: "The post was edited as often as it may be in a second." },
  bot_loop: {
    status: 429,
    means:
      "Bots of the channel answer each other, and have published as much as they may without a post of a person (`MAX_BOT_LOOP_POSTS`).",
  },
  too_many_tests: {
    status: 429,
    means: "The webhook was sent as many test events as it may be in a minute.",
  },
  too_many_sent_again: {
    status: 429,
    means: "As many updates of the bot were sent again as may be in a minute.",
  },
  too_many_exports: { status: 429, means: "The owner has begun as many exports as one may in a minute." },
  export_running: { status: 429, means: "An export of the owner is running." },

  internal_error: { status: 500, means: "A fault of the service, which its log describes." },
  unavailable: { status: 503, means: "The service cannot reach its storage now." },
  stopping: { status: 503, means: "The service is stopping." },
} as const satisfies Record<string, { status: number; means: string }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === "string" && Object.hasOwn(ERROR_CODES, text);
}
