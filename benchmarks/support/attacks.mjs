// What one owner can ask of the service at default settings. Each returns the connections of an attack, as `attacker.mjs` takes
// them.

const TYPES = 20;

export const ATTACKS = {
  posts: {
    what: "1,000 bots in one channel, all posting",
    reads: true,
    connections: ({ bots, channel }) =>
      bots.map(({ token }) => [
        { method: "POST", path: `/v1/bot-api/channels/${channel.id}/posts`, token, body: { body: "x" } },
      ]),
  },
  batches: {
    what: "batches of 1,000 posts to a channel with 1,000 bots",
    reads: true,
    connections: ({ token, channel }) =>
      times(4, () => [
        {
          method: "POST",
          path: "/v1/posts/batch",
          token,
          body: { posts: times(1_000, () => ({ channel_id: channel.id, body: "x" })) },
        },
      ]),
  },
  events: {
    what: "custom events of 32 KiB to 1,000 bots",
    reads: true,
    connections: ({ token, channel }) =>
      times(32, () => [
        {
          method: "POST",
          path: `/v1/channels/${channel.id}/events`,
          token,
          body: { event_type: "a.b", payload: { text: "x".repeat(32_000) } },
        },
      ]),
  },
  lists: {
    what: "600 connections that list 1,000 bots of the largest size and read nothing",
    reads: false,
    connections: ({ token }) => times(600, () => [{ method: "GET", path: "/v1/bot-api/bots", token }]),
  },
  channels: {
    what: "600 connections that list a bot's 1,000 channels and read nothing",
    reads: false,
    connections: ({ bots }) =>
      times(600, () => [{ method: "GET", path: "/v1/bot-api/channels", token: bots[0].token }]),
  },
  streams: {
    what: "900 streams of events of 32 KiB that are not read",
    reads: false,
    connections: ({ bots }) =>
      times(900, (n) => [
        { method: "GET", path: "/v1/bot-api/updates/stream?offset=0", token: bots[n].token },
      ]),
  },
  consumers: {
    what: "900 polls of consumers with events of 32 KiB that are not read",
    reads: false,
    connections: ({ bots }) =>
      times(900, (n) => [{ method: "GET", path: "/v1/bot-api/updates?consumer=main", token: bots[n].token }]),
  },
  subscriptions: {
    what: "16 at once that change what a bot in 1,000 channels hears",
    reads: true,
    connections: ({ bots }) =>
      times(16, (n) =>
        times(2, (turn) => ({
          method: "PUT",
          path: "/v1/bot-api/subscription",
          token: bots[0].token,
          body: { event_types: times(TYPES, (type) => `a${n}.b${turn}.c${type}`) },
        })),
      ),
  },
  reads: {
    what: "16 at once of previews of hostile texts, overviews, lists of channels and moves with 1,000 numbers",
    reads: true,
    connections: ({ token, bots, hostile }) =>
      times(16, () => [
        {
          method: "POST",
          path: `/v1/bot-api/bots/${bots[0].id}/subscription/preview`,
          token,
          body: { channel_id: hostile.id, event_types: ["*"], posts: "mentions" },
        },
        { method: "GET", path: "/v1/bot-api/overview", token },
        { method: "GET", path: "/v1/bot-api/channels", token: bots[0].token },
        {
          method: "PUT",
          path: "/v1/bot-api/consumers/wide",
          token: bots[1].token,
          body: { position: 0, done: times(999, (n) => n + 2), rewind: true },
        },
      ]),
  },
  receivers: {
    what: "200 webhooks whose receivers answer with endless trailers, 1xx answers and chunk extensions",
    reads: true,
    hostileWebhooks: 200,
    connections: ({ token, channel }) => [
      [{ method: "POST", path: `/v1/channels/${channel.id}/posts`, token, body: { body: "x" } }],
    ],
  },
  deletions: {
    what: "deletions of channels with 1,000 bots",
    reads: true,
    connections: ({ token, doomed }) =>
      doomed.map(({ id }) => [{ method: "DELETE", path: `/v1/channels/${id}`, token }]),
  },
};

/** Answers of a receiver that sends as much as it can before, within or after its answer. */
export const ENDLESS_ANSWERS = [
  { begin: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", repeat: "X-Trailer: 1\r\n" },
  { begin: "", repeat: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" },
  { begin: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", repeat: "1;a=b;c=d\r\nx\r\n" },
];

function times(count, make) {
  return Array.from({ length: count }, (_, n) => make(n));
}
