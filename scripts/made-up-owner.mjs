import { createServer } from "node:http";
import { countAnswer } from "../server/dist/domain/delivery/answer-times.js";
import { encodePost } from "../server/dist/domain/events/post.js";
import { newId } from "../server/dist/domain/ids.js";
import { openSqliteStore } from "../server/dist/store/sqlite/open.js";

const MINUTE_MS = 60_000;
const PAST_MINUTES = 60;

const DOWN_PAGE = "<h1>Service Unavailable</h1>\nNo healthy backend";

const BOTS = [
  {
    username: "weather",
    display_name: "Weather",
    description: "Tells every morning what to expect",
    fails: "once",
  },
  {
    username: "deploys",
    display_name: "Deployments",
    description: "What went live, and when",
    fails: "always",
  },
  { username: "support-desk", display_name: "Support desk", description: "Opens a ticket for each question" },
  { username: "digest", display_name: "Weekly digest", description: "Sums the week up", isPaused: true },
  {
    username: "moderation",
    display_name: "Moderation",
    description: "Keeps the channels clean",
    isDisabled: true,
  },
  { username: "lunch", display_name: "Lunch", description: "Asks who comes along", hasNoWebhook: true },
];
const CHANNELS = [
  { slug: "news", title: "News", description: "What everybody should know" },
  { slug: "releases", title: "Releases", description: "What goes live" },
  { slug: "questions", title: "Questions and answers", description: "" },
];
const POSTS = [
  "Rain from the west tomorrow, clearing in the evening. Take an umbrella.",
  "Version 2.14 is live in all regions",
  "Where do I change the address on my invoices?",
  "The office in Lisbon is closed on Friday",
  "Rolled back 2.14: searches took twice as long as before",
  "Is there a way to export everything as CSV?",
  "Sunny until the weekend, 24 degrees",
  "Version 2.14.1 is live, searches are fast again",
  "How many people can share one plan?",
];

/** Typical receivers: one that answers and fails now and then, and one whose server is down. */
export async function startReceivers() {
  let requests = 0;
  const well = await listen((response) => {
    requests += 1;
    const slips = requests % 13 === 0;
    setTimeout(
      () => response.writeHead(slips ? 502 : 200).end(slips ? "upstream is down" : '{"ok":true}'),
      20 + ((requests * 37) % 80),
    );
  });
  const down = await listen((response) =>
    response.writeHead(503, { "content-type": "text/html" }).end(DOWN_PAGE),
  );
  return {
    wellUrl: `${well.url}/updates`,
    downUrl: `${down.url}/updates`,
    close: () => [well, down].map(({ close }) => close()),
  };
}

async function listen(answer) {
  const server = createServer((request, response) => request.resume().on("end", () => answer(response)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}

/** Creates the owner's bots and channels. @returns their ids by name */
export async function makeBots(owner, { wellUrl, downUrl }) {
  const ids = {};
  for (const channel of CHANNELS) ids[channel.slug] = (await owner.createChannel(channel)).id;
  for (const { username, display_name, description, fails, hasNoWebhook, isPaused, isDisabled } of BOTS) {
    const { bot } = await owner.createBot({ username, display_name, description });
    ids[username] = bot.id;
    for (const { slug } of CHANNELS) await owner.attachBot(bot.id, ids[slug]);
    if (!hasNoWebhook) {
      await owner.putWebhook(bot.id, {
        url: fails === "always" ? downUrl : wellUrl,
        secret_token: "open-sesame",
      });
    }
    if (isPaused) await owner.pauseWebhook(bot.id);
    if (isDisabled) await owner.disableBot(bot.id);
  }
  return ids;
}

/** Gives a bot webhooks beside its first one: two that accept, one of them paused, and one whose server is down. */
export async function addWebhooks(owner, botId, { wellUrl, downUrl }) {
  await owner.putWebhook(botId, { url: `${wellUrl}/audit`, order: "channel" }, { webhook: "audit" });
  await owner.putWebhook(botId, { url: `${wellUrl}/archive` }, { webhook: "archive" });
  await owner.pauseWebhook(botId, { webhook: "archive" });
  await owner.putWebhook(botId, { url: `${downUrl}/crm` }, { webhook: "crm" });
}

/** Publishes the newest posts. */
export async function publish(owner, ids) {
  for (const [index, body] of POSTS.entries()) {
    await owner.createChannelPost(ids[CHANNELS[index % CHANNELS.length].slug], { body });
  }
}

/** Writes an hour of posts and deliveries into the folder of a stopped service. */
export async function makePast(dataDir, ownerUserId, ids) {
  const store = await openSqliteStore({ dataDir });
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  let updateId = 0;
  for (let minute = 0; minute < PAST_MINUTES; minute++) {
    const startsAt = now - (PAST_MINUTES - minute) * MINUTE_MS;
    const count = Math.round(14 + 8 * Math.sin(minute / 6) + 5 * Math.sin(minute * 1.7));
    const posts = Array.from({ length: count }, (_, i) => {
      const post = {
        id: newId(),
        channelId: ids[CHANNELS[i % CHANNELS.length].slug],
        authorUsername: "alice",
        body: POSTS[(minute + i) % POSTS.length],
        createdAt: startsAt + Math.floor((i * MINUTE_MS) / count),
      };
      return { ...post, author: { ownerUserId }, payload: encodePost(post) };
    });
    await store.appendPosts(posts);
    for (const bot of BOTS.filter(({ hasNoWebhook, isDisabled }) => !hasNoWebhook && !isDisabled)) {
      if (bot.isPaused && minute > 30) continue;
      // The webhook named default has the id of its bot.
      const destinationId = ids[bot.username];
      const [{ webhookVersion }] = await store.readDueUpdates(
        [{ destinationId, afterUpdateId: 0, limit: 1 }],
        0,
      );
      const { attempts, ...lane } = attemptsOf(bot, minute, updateId, posts);
      await store.recordAttempts([
        {
          destinationId,
          webhookVersion,
          ...lane,
          attempts: attempts.map((attempt) => ({ durationMs: 40, ...attempt })),
        },
      ]);
    }
    updateId += count;
  }
  await store.close();
}

/** The attempts of one minute's updates of a bot, and its row in the timeline. */
function attemptsOf({ fails }, minute, lastId, posts) {
  const isBad = fails === "always" ? minute > 22 : fails === "once" && minute > 33 && minute < 38;
  const counts = { delivered: 0, retried: 0, failed: 0 };
  const answerTimes = [];
  const attempts = posts.flatMap(({ createdAt }, i) => {
    const durationMs = 25 + ((i * 31 + minute * 17) % 60) + (isBad ? 400 : 0);
    const attemptedAt = createdAt + durationMs;
    const attempt = { updateId: lastId + i + 1, attemptedAt };
    const isLate = !isBad && (minute * 3 + i) % 29 === 0 && fails !== undefined;
    countAnswer(answerTimes, durationMs);
    const error = { error: "502 Bad Gateway", status: 502, responseBody: "upstream is down", durationMs };
    if (isBad && fails === "always") {
      counts.retried += 2;
      counts.failed += 1;
      const down = { ...error, error: "503 Service Unavailable", status: 503, responseBody: DOWN_PAGE };
      return [2_000, 30_000, undefined].map((waitMs, failureCount) => ({
        ...attempt,
        attemptedAt: attemptedAt + failureCount * 2_000,
        failureCount,
        failure: waitMs === undefined ? down : { ...down, nextRetryAt: attemptedAt + waitMs },
      }));
    }
    counts.delivered += 1;
    if (!isBad && !isLate) return [{ ...attempt, failureCount: 0 }];
    counts.retried += 1;
    countAnswer(answerTimes, durationMs);
    return [
      { ...attempt, failureCount: 0, failure: { ...error, nextRetryAt: attemptedAt + 1_000 } },
      { ...attempt, attemptedAt: attemptedAt + 1_000, failureCount: 1 },
    ];
  });
  const startsAt = posts[0].createdAt;
  return {
    nextFreshId: lastId + posts.length + 1,
    attempts,
    minutes: [{ startsAt, ...counts, answerTimes, oldestMs: isBad ? 12_000 : 90 }],
  };
}
