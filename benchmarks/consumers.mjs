import { median, round, withGoal } from "./support/figures.mjs";
import { openHttpClient } from "./support/http-client.mjs";
import { ownerOf } from "./support/owner.mjs";
import { startBotyard } from "./support/processes.mjs";

export const question =
  "updates a second that 1,000 bots read by consumers and acknowledge, beside plain polling";

const CONNECTIONS = 64;
const PAGE = 100;
const PAIRS = 3;
const GOALS = { share: { atLeast: 0.8 } };

export async function run(engines, { quick }) {
  const table = [];
  for (const engine of engines) table.push(await measureEngine(engine, quick ? 20 : 1_000, quick ? 2 : 5));
  return {
    table,
    summary: [
      ...table.map(
        (row) =>
          `${row.engine}: consumers, as a share of plain polling ${withGoal(row.share, GOALS.share, 2)}`,
      ),
      `each bot reads its whole log in pages of ${PAGE}; by a consumer it moves the position after each page, which is durable`,
    ],
  };
}

async function measureEngine(engine, botCount, pages) {
  const botyard = await startBotyard(await engine.createStore());
  const clients = [];
  try {
    const owner = ownerOf(botyard);
    const channel = await owner.createChannel("bench");
    const bots = await owner.createBots(botCount, "bench", channel.id);
    for (let post = 0; post < pages * PAGE; post++) await owner.publish(channel.id, `post ${post}`);
    for (let i = 0; i < CONNECTIONS; i++) clients.push(await openHttpClient(botyard.url));
    const world = { clients, bots, pages };
    await readAll(world, plain);
    const plainRates = [];
    const consumerRates = [];
    for (let pair = 0; pair < PAIRS; pair++) {
      const consumer = byConsumer(`c${pair}`);
      // Created at the beginning; a new one would begin where the one before has ended.
      await readAll({ ...world, pages: 1 }, (bot) => [move(bot, `c${pair}`, 0)]);
      plainRates.push(await readAll(world, plain));
      consumerRates.push(await readAll(world, consumer));
    }
    const shares = consumerRates.map((rate, pair) => rate / plainRates[pair]);
    return {
      engine: engine.name,
      bots: botCount,
      "plain polling, updates/s": round(median(plainRates), 0),
      "by consumers, updates/s": round(median(consumerRates), 0),
      share: round(median(shares), 2),
    };
  } finally {
    for (const client of clients) client.close();
    await botyard.stop();
  }
}

const plain = (bot, page) => [read(bot, `offset=${page * PAGE}`)];
const byConsumer = (name) => (bot, page) => [
  read(bot, `consumer=${name}`),
  move(bot, name, (page + 1) * PAGE),
];

/** Each bot's pages in order, on as many connections. @returns updates a second */
async function readAll({ clients, bots, pages }, requestsOf) {
  let next = 0;
  const work = async (client) => {
    while (next < bots.length) {
      const bot = bots[next++];
      for (let page = 0; page < pages; page++)
        for (const request of requestsOf(bot, page)) await client.send(request);
    }
  };
  const startedAt = performance.now();
  await Promise.all(clients.map(work));
  return (bots.length * pages * PAGE) / ((performance.now() - startedAt) / 1000);
}

function read({ token }, query) {
  return `GET /v1/bot-api/updates?${query}&limit=${PAGE} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`;
}

function move({ token }, name, position) {
  const body = JSON.stringify({ position });
  return `PUT /v1/bot-api/consumers/${name} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
