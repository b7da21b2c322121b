// Publishes the items of an RSS feed in a channel, each once. Run it regularly, for example with cron.
//
//   BOT_TOKEN=bot_… node examples/rss-publisher.mjs examples/feed.xml news
//
// The bot must be attached to the channel with that slug. BOTYARD_URL is the URL of the service, PUBLISHED_FILE the file
// with the ids of published items.
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { BotClient } from "@botyard/sdk";
import { XMLParser } from "fast-xml-parser";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080", PUBLISHED_FILE = "published.json" } = process.env;
const [feedFile, slug] = process.argv.slice(2);
/** The maximum length of a post, in characters. */
const LONGEST_BODY = 4096;

if (!slug) {
  console.error("usage: node examples/rss-publisher.mjs FEED-FILE CHANNEL-SLUG");
  process.exit(2);
}

const client = new BotClient(BOT_TOKEN, { url: BOTYARD_URL });
const channel = await findChannel();
const published = readPublished();
// A feed has its newest item first; publish the oldest first.
for (const item of itemsOf(readFileSync(feedFile, "utf8")).toReversed()) {
  if (published.has(item.id)) continue;
  await client.createBotPost(channel.id, {
    body: Array.from(`${item.title}\n${item.link}`).slice(0, LONGEST_BODY).join(""),
    media: [{ kind: "link", url: item.link }],
  });
  // Only after the post: if the process is killed, an item may be published twice, but none is skipped.
  published.add(item.id);
  writePublished();
  console.log(`published ${item.title}`);
}

async function findChannel() {
  for await (const channel of client.channels()) if (channel.slug === slug) return channel;
  console.error(`the bot is not attached to a channel "${slug}"`);
  process.exit(1);
}

function itemsOf(xml) {
  const parser = new XMLParser({ isArray: (name) => name === "item", parseTagValue: false });
  const { rss } = parser.parse(xml);
  return (rss?.channel?.item ?? []).map(({ guid, title = "", link = "" }) => ({
    id: (typeof guid === "object" ? guid["#text"] : guid) || link,
    title,
    link,
  }));
}

function readPublished() {
  try {
    return new Set(JSON.parse(readFileSync(PUBLISHED_FILE, "utf8")));
  } catch (error) {
    if (error.code === "ENOENT") return new Set();
    throw error;
  }
}

function writePublished() {
  writeFileSync(`${PUBLISHED_FILE}.next`, JSON.stringify([...published]));
  renameSync(`${PUBLISHED_FILE}.next`, PUBLISHED_FILE);
}
