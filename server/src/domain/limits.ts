/** Every limit of the service that is not configuration, with its unit in its name. */

/** Items in one list answer, one poll, one replay. */
export const MAX_PAGE_ITEMS = 100;
/**
 * Payloads that one page carries, in bytes of UTF-8; a page of one item may be larger. A hundred posts of the largest kind
 * would be 3.3 MB, and 600 such answers at once 4.8 GB of memory.
 */
export const MAX_PAGE_BYTES = 256 * 1024;
/** Payloads that a stream reads at once: 900 streams that are not read would hold 230 MB of whole pages. */
export const MAX_STREAM_PIECE_BYTES = 64 * 1024;
/** The same while unsent answers fill {@link MAX_UNSENT_ANSWER_BYTES}. */
export const SCARCE_PAGE_BYTES = 8 * 1024;
/** Unsent answers of all connections together: with more, pages are short and a connection has one request in progress. */
export const MAX_UNSENT_ANSWER_BYTES = 32 * 1024 * 1024;
/**
 * With this much of its answers unsent, no further request of a connection begins. It is Node's high-water mark of a socket;
 * above it, Node would stop reading the connection by itself.
 */
export const MAX_UNSENT_BYTES_PER_CONNECTION = 16 * 1024;
/** Requests of one connection in progress at once; further ones stay unread. */
export const MAX_REQUESTS_PER_CONNECTION = 16;
/** The same of all connections together, beside the first one of each. */
export const MAX_PIPELINED_REQUESTS = 512;
/**
 * Requests of all connections that are parsed and wait to begin, at about 3 KB each. Above this, a connection is read
 * only when its next request may begin.
 */
export const MAX_HELD_REQUESTS = 4_096;
/** Longest wait of a long poll. */
export const MAX_POLL_TIMEOUT_S = 30;
/** How often a stream without updates sends a comment, which shows clients and proxies that the connection works. */
export const STREAM_HEARTBEAT_MS = 15_000;
/** Failed updates one replay call can requeue; the answer's `max_window`. */
export const MAX_REPLAY_UPDATES = 100;
/** Undelivered updates of one state that are read to group them by error: 20 pages. */
export const MAX_GROUPED_ERRORS = 2_000;
/** Groups of errors, the largest ones, of which the first failed attempt is looked up: a read each. */
export const MAX_DATED_GROUPS = 50;
/** Pages of a log that one search reads: 2,000 updates, or 5 MiB of payloads. The caller continues where it stopped. */
export const MAX_SEARCHED_PAGES = 20;
/** Consumers of one bot, and of the platform's feed. */
export const MAX_CONSUMERS_PER_LOG = 16;
/** With the one named `default`, whether that is set or not. */
export const MAX_WEBHOOKS_PER_BOT = 16;
/** Items in one answer of the platform's feed. */
export const MAX_FEED_PAGE_ITEMS = 500;
/** Handled numbers above its position that a consumer stores. */
export const MAX_DONE_UPDATES = 1_000;
/** Updates of one bot that are listed as given up: those with the highest numbers. */
export const MAX_GIVEN_UP_PER_BOT = 200;
export const MAX_GIVEN_UP_ERROR_CHARS = 300;
/** How long after its last poll a reader of a consumer is taken to read on. */
export const CONSUMER_READER_MS = 45_000;
/** How often the time of a consumer's last poll is written at most. */
export const CONSUMER_POLLS_NOTED_MS = 5_000;

export const MAX_REQUEST_BODY_BYTES = 64 * 1024;
/** Node's own limit of the request line and header fields together; a path parameter can never be longer. */
export const MAX_HEADER_BYTES = 16 * 1024;

export const MAX_USERNAME_CHARS = 64;
export const MAX_DISPLAY_NAME_CODE_POINTS = 128;
export const MAX_DESCRIPTION_CODE_POINTS = 1024;
export const MAX_SLUG_CHARS = 64;
export const MAX_TITLE_CODE_POINTS = 128;

export const MAX_EXTERNAL_ID_CODE_POINTS = 255;
/** The `metadata` of a bot or a channel, as JSON in UTF-8. */
export const MAX_METADATA_BYTES = 4 * 1024;
/** Bots of a channel that one call sets. */
export const MAX_CHANNEL_BOTS_SET = 1_000;
export const MAX_COMMANDS = 100;
export const MAX_COMMAND_OPTIONS = 25;
/** All commands of a bot together, as JSON in UTF-8. */
export const MAX_COMMANDS_BYTES = 48 * 1024;
export const MAX_SEARCH_CODE_POINTS = 128;

/** Text of a post, in code points, unless `MAX_POST_CHARACTERS` says otherwise; the specification asks for as many at least. */
export const DEFAULT_POST_CODE_POINTS = 4_096;
/** The most that `MAX_POST_CHARACTERS` may be: in ASCII, half of a request's body. */
export const HIGHEST_POST_CODE_POINTS = 32_768;
export const MAX_MEDIA_ITEMS = 10;
/** All `media` of one post together, as JSON in UTF-8. */
export const MAX_MEDIA_BYTES = 16 * 1024;
/** Rows of components under one post, and components of a row. */
export const MAX_COMPONENT_ROWS = 5;
export const MAX_ROW_COMPONENTS = 5;
/** What one select may offer. */
export const MAX_SELECT_OPTIONS = 25;
/** All components of one post together, as JSON in UTF-8. */
export const MAX_COMPONENTS_BYTES = 8 * 1024;

/** The options of a command that an interaction gives, as JSON in UTF-8. */
export const MAX_INTERACTION_BYTES = 16 * 1024;
/** How much is read of a webhook's answer to an interaction. */
export const MAX_RESPONSE_ANSWER_BYTES = 64 * 1024;

/** The earliest time of an imported post: the year 2000. Ids cannot say times before 1970. */
export const EARLIEST_POST_MS = Date.UTC(2000, 0, 1);
/** Edits of one post in a second. */
export const MAX_POST_EDITS_PER_SECOND = 5;

/** Posts or events of one batch. */
export const MAX_BATCH_ITEMS = 1_000;
export const MAX_BATCH_BODY_BYTES = 4 * 1024 * 1024;
/**
 * Bodies of batches that are received or processed at once, of all callers; parsed, they take about three times as much
 * memory.
 */
export const MAX_BATCH_BYTES = 64 * 1024 * 1024;
/** The same for one caller. */
export const MAX_BATCH_BYTES_PER_CALLER = 16 * 1024 * 1024;

export const MAX_EVENT_TYPE_CHARS = 64;
/** The payload of a custom event as JSON in UTF-8. */
export const MAX_EVENT_PAYLOAD_BYTES = 32 * 1024;
export const MAX_IDEMPOTENCY_KEY_CHARS = 255;
/** How long an idempotency key is kept at least. */
export const IDEMPOTENCY_KEY_TTL_MS = 24 * 3_600_000;
/** Entries of a subscription's `event_types`. */
export const MAX_SUBSCRIBED_TYPES = 20;
/** The same of what a webhook is sent. */
export const MAX_SENT_TYPES = 100;

export const MAX_WEBHOOK_URL_CHARS = 2048;
export const MAX_SECRET_TOKEN_CHARS = 256;
/** Longest `last_delivery_error` kept. */
export const MAX_DELIVERY_ERROR_CHARS = 200;
/** Failed attempts kept of one update, the last ones. */
export const MAX_KEPT_ATTEMPTS = 20;
/** How much is kept of a receiver's answer to a failed attempt. */
export const MAX_KEPT_ANSWER_BYTES = 1024;
/** Updates that one webhook request may carry. */
export const MAX_WEBHOOK_BATCH = 100;
/** Payloads of one webhook request, in bytes of UTF-8; a request of one update may be larger. */
export const MAX_WEBHOOK_BATCH_BYTES = 256 * 1024;
/** How much is read of the answer to a batch: a hundred numbers take less than 2 KiB. */
export const MAX_BATCH_ANSWER_BYTES = 16 * 1024;
/** Attempts of one bot in progress at the same time. */
export const MAX_IN_FLIGHT_PER_BOT = 16;
/** What a webhook may ask for in its place, with `max_in_flight` and `max_per_second`. */
export const MAX_WEBHOOK_IN_FLIGHT = 64;
export const MAX_WEBHOOK_RATE = 1_000;
/** What a webhook with an order may ask for with `hold_attempts`. */
export const MAX_HOLD_ATTEMPTS = 10;
/** Held updates of a channel that become due together, when the one that they waited for has ended. */
export const MAX_RELEASED_UPDATES = 100;
/** The same of many channels at once, as after an outage: fewer of each then, but at least one. About 10 ms of the store's time. */
export const MAX_RELEASED_TOGETHER = 1_000;
/** After how long of failing a webhook may be paused. */
export const MIN_AUTO_PAUSE_MS = 1_000;
export const MAX_AUTO_PAUSE_MS = 365 * 24 * 60 * 60_000;
/** Headers that its owner adds to a webhook, and their bytes, names and values together. */
export const MAX_WEBHOOK_HEADERS = 20;
export const MAX_WEBHOOK_HEADERS_BYTES = 8 * 1024;
/** For how long a secret that was replaced may still sign. */
export const MAX_SECRET_OVERLAP_MS = 24 * 60 * 60_000;
/** Lanes held at once that have updates to send and a healthy receiver. */
export const MAX_LOADED_LANES = 512;
/** Payloads of due updates in memory, not sent yet, of the whole process: two bytes for each of their UTF-16 units. */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024;
/** Payloads that one claim of lanes, or one read of their due updates, returns; at least one update a lane. */
export const MAX_DUE_READ_BYTES = 8 * 1024 * 1024;
/** Test events that one bot's webhook is sent within any minute. */
export const MAX_WEBHOOK_TESTS_PER_MINUTE = 10;
/** Delivered updates of one bot that its owner may send again within any minute. */
export const MAX_SENT_AGAIN_PER_MINUTE = 10;
/** A longer `Retry-After` of a receiver is shortened to this. */
export const MAX_RETRY_AFTER_MS = 3_600_000;
/**
 * How long an instance may use a webhook as it last read it, on a fast store; longer on a slow one, since what is read is as old
 * as the read took. A call that changes a webhook is answered when this time is over.
 */
export const MIN_TARGET_AGE_MS = 250;
/** The same on the slowest store: reads of PostgreSQL end after 5 s. */
export const MAX_TARGET_AGE_MS = 20_000;
/** A failing receiver is probed at least this often, so that its recovery is noticed soon. */
export const MAX_PROBE_INTERVAL_MS = 300_000;
/** Numbers that every log skips by default after a loss of data: more than a bot receives in a day. */
export const DEFAULT_SKIPPED_NUMBERS = 1_000_000;
/** The most in one call; numbers end at 2^53, so it can be done nine million times. */
export const MAX_SKIPPED_NUMBERS = 1_000_000_000;
/**
 * How long an instance may go by what the platform last decided about an owner, if it misses the hint of a change. A change is
 * answered when this time is over; each owner who is at work is read once in it.
 */
export const MAX_STANDING_AGE_MS = 1_000;
/** Of why an owner is suspended, in code points. */
export const MAX_REASON_CODE_POINTS = 500;
/** The highest limits that the platform may set for one owner. */
export const MAX_OWNER_LIMITS = {
  bots: 100_000,
  channels: 1_000_000,
  postsPerSecond: 100_000,
  destinations: 1_600_000,
  /** A number that JSON has exactly: some petabytes. */
  bytesKept: Number.MAX_SAFE_INTEGER,
} as const;
/** Of one answer about usage. */
export const MAX_USAGE_DAYS = 366;
/** How long it is kept. */
export const USAGE_KEPT_DAYS = 800;
/** Events that one step counts: reading them takes PostgreSQL 2 ms, and SQLite 5. */
export const EVENTS_COUNTED_PER_STEP = 1_000;
