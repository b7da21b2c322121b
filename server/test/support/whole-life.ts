import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { eventually } from "./eventually.js";
import { beginGoverned } from "./governed-maker.js";
import { beginLeaving } from "./leaving-owner.js";
import { accept, type Receiver, refuse, startReceiver } from "./receiver.js";
import { request } from "./request-or-gone.js";
import {
  expectAudited,
  expectCounted,
  expectSentAsRecorded,
  expectWhole,
  type Row,
  type Stats,
  timesReceived,
} from "./whole-life-checks.js";

/** The attempts of an update with `RETRIES`: one more than the number of waits. */
export const RETRIES = "20ms,20ms";
const ATTEMPTS = 3;
const POSTS_ONE_BY_ONE = 2;
const POSTS_AT_ONCE = 4;
/** A long log, of which nothing was ever attempted. */
const SKIPPED = 300;
const SKIPPED_AT_ONCE = 100;

const RESPONSE = "by a response";
/** More than two of the minutes after which a sweep that failed is tried again. */
const SWEPT_AFTER_MS = 150_000;

interface Bot {
  id: string;
  token: string;
}
/** Everything that can happen to a few bots in their lives, and checks of the result. */
export interface WholeLife {
  /**
   * Does it all, in order.
   *
   * @throws Gone when the service is killed meanwhile
   */
  live(): Promise<void>;
  /** Checks that a restarted service has everything acknowledged before. */
  expectKept(): Promise<void>;
  /** Waits until every update has expired, and checks that each is counted. */
  expectExpired(): Promise<void>;
  /** Waits until the events that no log points at any more are removed; posts are kept. */
  expectSwept(): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param url the current URL of the service
 * @param token an owner's
 * @param tokenOf makes one of another owner
 */
export async function beginLife(
  url: () => string,
  token: string,
  tokenOf: (user: string) => Promise<string>,
): Promise<WholeLife> {
  const accepting = await startReceiver(accept);
  /** Refuses each update twice. */
  const reluctant = await startReceiver((response, { updateId }) => {
    response.writeHead(timesReceived(reluctant, updateId) < ATTEMPTS ? 503 : 200).end();
  });
  const refusing = await startReceiver(refuse(500));
  const posted: string[] = [];
  const bots: { bot: Bot; receiver: Receiver }[] = [];
  const acknowledged = new Set<string>();
  let channelId = "";
  let passing: Bot | undefined;
  let skipping: Bot | undefined;
  let rotated: { before: string; after: string } | undefined;
  let pressed: { postId: string; interactionId?: string } | undefined;

  const ask = async <Answer>(method: string, path: string, body?: object, as = token): Promise<Answer> => {
    const response = await request(url(), method, path, body, as);
    if (!response.ok)
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    return response.body as Answer;
  };
  const leaving = beginLeaving(ask, tokenOf);
  const governed = beginGoverned(ask, token, tokenOf);
  const owners = (path: string): string => `/v1/bot-api/bots/${path}`;
  const consumer = (name: string): string => `/v1/bot-api/consumers/${name}`;
  const acknowledge = async (what: string, asked: Promise<unknown>): Promise<void> => {
    await asked;
    acknowledged.add(what);
  };
  const makeBot = async (): Promise<Bot> => {
    const made = await ask<{ bot: { id: string }; token: { token: string } }>("POST", "/v1/bot-api/bots", {
      username: `bot-${randomUUID()}`,
    });
    const bot = { id: made.bot.id, token: made.token.token };
    await ask("POST", owners(`${bot.id}/channels/${channelId}`));
    return bot;
  };
  const post = async (as: string, path: string): Promise<void> => {
    const { id } = await ask<{ id: string }>("POST", path, { body: "a post" }, as);
    posted.push(id);
  };
  const statsOf = ({ id }: Bot) => ask<Stats>("GET", owners(`${id}/stats`));
  const settled = (bot: Bot, counter: keyof Stats) =>
    eventually(`all of the bot's updates are ${counter}`, async () => {
      const stats = await statsOf(bot);
      return stats[counter] === stats.total_updates;
    });

  return {
    async live() {
      const slug = `c-${randomUUID()}`;
      channelId = (await ask<{ id: string }>("POST", "/v1/channels", { slug, title: slug })).id;
      for (const receiver of [accepting, reluctant, refusing]) {
        const bot = await makeBot();
        bots.push({ bot, receiver });
        await ask("PUT", owners(`${bot.id}/webhook`), { url: receiver.url, secret_token: "secret" });
      }
      passing = await makeBot();
      const [first, second, third] = bots.map(({ bot }) => bot) as [Bot, Bot, Bot];
      const asOwner = `/v1/channels/${channelId}/posts`;
      const asBot = `/v1/bot-api/channels/${channelId}/posts`;
      for (let n = 0; n < POSTS_ONE_BY_ONE; n++) await post(token, asOwner);
      await Promise.all(Array.from({ length: POSTS_AT_ONCE }, () => post(first.token, asBot)));
      await settled(first, "delivered_updates");
      await settled(second, "delivered_updates");
      await settled(third, "terminal_failed_updates");
      refusing.answerWith(accept);
      await ask("POST", owners(`${third.id}/webhook/replay`));
      await settled(third, "delivered_updates");

      await pressAndRespond(second);

      await acknowledge("described", ask("PATCH", owners(second.id), { description: "described" }));
      await ask("PATCH", `/v1/channels/${channelId}`, { description: "described" });
      await ask("GET", "/v1/bot-api/updates?consumer=reader", undefined, second.token);
      await ask("PUT", consumer("reader"), { position: 1, done: [3], rewind: true }, second.token);
      await acknowledge("moved", ask("PUT", consumer("reader"), { position: 2 }, second.token));
      await ask("PUT", consumer("passing"), { position: 1 }, second.token);
      await acknowledge("consumer deleted", ask("DELETE", consumer("passing"), undefined, second.token));
      const [edited = "", erased = ""] = posted;
      await ask("PUT", owners(`${first.id}/subscription`), { event_types: ["*"] });
      await acknowledge("edited", ask("PATCH", `${asOwner}/${edited}`, { body: "edited" }));
      await acknowledge("erased", ask("DELETE", `${asOwner}/${erased}`));
      await ask("DELETE", owners(`${first.id}/subscription`));
      // By this id it is found in the logs, like a post.
      const emitted = `event-${randomUUID()}`;
      await ask("POST", `/v1/channels/${channelId}/events`, {
        event_type: "a.b",
        payload: { post_id: emitted },
      });
      posted.push(emitted);
      await ask("POST", owners(`${second.id}/disable`));
      await ask("POST", owners(`${second.id}/enable`));
      const { token: after } = await ask<{ token: string }>("POST", owners(`${first.id}/token`));
      rotated = { before: first.token, after };
      await ask("DELETE", owners(`${passing.id}/channels/${channelId}`));
      await acknowledge("deleted", ask("DELETE", owners(passing.id)));
      await skipAndDelete();
      await leaving.liveAndLeave();
      await governed.liveAndBeGoverned();
      await acknowledge("webhook deleted", ask("DELETE", owners(`${third.id}/webhook`)));
      await post(token, asOwner);
      await settled(first, "delivered_updates");
    },

    async expectKept() {
      refusing.answerWith(accept);
      for (const { bot, receiver } of bots) {
        const channels = await ask<{ items: unknown[] }>("GET", owners(`${bot.id}/channels`));
        if (channels.items.length === 1) expectWhole(await rowsOf(bot), posted);
        const { url: webhook } = await ask<{ url: string }>("GET", owners(`${bot.id}/webhook`));
        expectCounted(await rowsOf(bot), await statsOf(bot));
        if (webhook === "") continue;
        // A kill between its disabling and its enabling leaves it disabled, perhaps with an update pending.
        await ask("POST", owners(`${bot.id}/enable`));
        await eventually("everything is delivered", async () => {
          const stats = await statsOf(bot);
          if (stats.terminal_failed_updates > 0) await ask("POST", owners(`${bot.id}/webhook/replay`));
          return stats.delivered_updates === stats.total_updates;
        });
        const rows = await rowsOf(bot);
        expectCounted(rows, await statsOf(bot));
        expectSentAsRecorded(rows, receiver);
      }
      for (const bot of [...bots.map((one) => one.bot), ...(passing ? [passing] : [])])
        await expectAudited(ask, bot.id);
      await expectChanged();
    },

    async expectExpired() {
      for (const { bot } of bots) {
        await eventually("the log is empty", async () => (await rowsOf(bot)).length === 0);
        const stats = await statsOf(bot);
        expect(stats.total_updates).toBeGreaterThanOrEqual(posted.length);
        const undone = stats.terminal_failed_updates + stats.skipped_updates;
        expect(stats.delivered_updates + undone).toBe(stats.total_updates);
      }
    },

    async expectSwept() {
      const [first] = bots.map(({ bot }) => bot);
      const body = { channel_id: channelId, event_types: ["*"] };
      const kinds = async () => {
        const path = owners(`${first?.id}/subscription/preview`);
        const { items } = await ask<{ items: { event_type: string }[] }>("POST", path, body);
        return items.map(({ event_type }) => event_type);
      };
      await eventually("the events are gone", async () => !(await kinds()).includes("a.b"), SWEPT_AFTER_MS);
      expect(await kinds()).toContain("channel.post_created");
    },

    async close() {
      for (const receiver of [accepting, reluctant, refusing]) await receiver.close();
    },
  };

  /** A button under a post, its press, and what the bot responds. */
  async function pressAndRespond(bot: Bot): Promise<void> {
    const components = [[{ type: "button", id: "yes", label: "Yes" }]];
    const asBot = `/v1/bot-api/channels/${channelId}/posts`;
    const { id: postId } = await ask<{ id: string }>("POST", asBot, { body: "Press", components }, bot.token);
    posted.push(postId);
    pressed = { postId };
    const press = { kind: "component", component: { id: "yes" }, post: { id: postId } };
    const user = { id: "zoe", username: "Zoë" };
    const made = await ask<{ id: string }>("POST", `/v1/channels/${channelId}/interactions`, {
      ...press,
      user,
    });
    pressed = { postId, interactionId: made.id };
    const responses = `/v1/bot-api/interactions/${made.id}/responses`;
    await acknowledge("updated", ask("POST", responses, { type: "update", body: "Pressed" }, bot.token));
    const { post } = await ask<{ post: { id: string } }>(
      "POST",
      responses,
      { type: "post", body: RESPONSE },
      bot.token,
    );
    posted.push(post.id);
  }

  /** Of each response its post or its edit is there, and of no other. */
  async function expectResponded(): Promise<void> {
    if (!pressed?.interactionId) return;
    const inChannel = (path: string) => `/v1/channels/${channelId}/${path}`;
    const { responses } = await ask<{ responses: { type: string; post: { id: string } }[] }>(
      "GET",
      inChannel(`interactions/${pressed.interactionId}`),
    );
    const edits = responses.filter(({ type }) => type === "update");
    if (acknowledged.has("updated")) expect(edits).toHaveLength(1);
    const { revision } = await ask<{ revision: number }>("GET", inChannel(`posts/${pressed.postId}`));
    expect(revision).toBe(1 + edits.length);
    const { items } = await ask<{ items: { id: string; body: string }[] }>("GET", inChannel("posts"));
    const published = responses.filter(({ type }) => type === "post").map(({ post }) => post.id);
    expect(items.filter(({ body }) => body === RESPONSE).map(({ id }) => id)).toEqual(published);
  }

  /** A webhook that skips all of a long log, and the end of the channel that it came from. */
  async function skipAndDelete(): Promise<void> {
    const slug = `c-${randomUUID()}`;
    const gone = (await ask<{ id: string }>("POST", "/v1/channels", { slug, title: slug })).id;
    const made = await ask<{ bot: { id: string }; token: { token: string } }>("POST", "/v1/bot-api/bots", {
      username: `bot-${randomUUID()}`,
    });
    const bot = { id: made.bot.id, token: made.token.token };
    await ask("POST", owners(`${bot.id}/channels/${gone}`));
    const posts = Array.from({ length: SKIPPED_AT_ONCE }, () => ({ channel_id: gone, body: "a post" }));
    for (let sent = 0; sent < SKIPPED; sent += SKIPPED_AT_ONCE)
      await ask("POST", "/v1/posts/batch", { posts });
    skipping = bot;
    const webhook = { url: refusing.url, deliver_from: "now" };
    await acknowledge("skipped", ask("PUT", owners(`${bot.id}/webhook`), webhook));
    await settled(bot, "skipped_updates");
    await acknowledge("channel deleted", ask("DELETE", `/v1/channels/${gone}`));
  }

  async function rowsOf({ id }: Bot): Promise<Row[]> {
    const { items } = await ask<{ items: Row[] }>("GET", owners(`${id}/updates?limit=100`));
    return items.toReversed();
  }

  /** Acknowledged requests have happened; others may have. */
  async function expectChanged(): Promise<void> {
    const [, second, third] = bots.map(({ bot }) => bot);
    if (rotated) {
      expect((await request(url(), "GET", "/v1/bot-api/me", undefined, rotated.before)).status).toBe(401);
      expect((await request(url(), "GET", "/v1/bot-api/me", undefined, rotated.after)).status).toBe(200);
    }
    if (acknowledged.has("described"))
      expect(await ask("GET", owners(second?.id ?? ""))).toMatchObject({ description: "described" });
    if (acknowledged.has("moved")) {
      const { items } = await ask<{ items: object[] }>(
        "GET",
        "/v1/bot-api/consumers",
        undefined,
        second?.token,
      );
      expect(items).toMatchObject([
        { name: "reader", position: 3, done: [] },
        ...(acknowledged.has("consumer deleted") ? [] : items.slice(1)),
      ]);
    }
    if (skipping && acknowledged.has("skipped")) await settled(skipping, "skipped_updates");
    if (skipping && acknowledged.has("channel deleted"))
      expect((await rowsOf(skipping)).every(({ payload }) => payload.body === "")).toBe(true);
    await leaving.expectGone();
    await governed.expectGoverned();
    await expectResponded();
    const postPath = (id = ""): string => `/v1/channels/${channelId}/posts/${id}`;
    if (acknowledged.has("edited"))
      expect(await ask("GET", postPath(posted[0]))).toMatchObject({ body: "edited", revision: 2 });
    if (acknowledged.has("erased"))
      expect((await request(url(), "GET", postPath(posted[1]), undefined, token)).status).toBe(404);
    if (acknowledged.has("deleted"))
      expect((await request(url(), "GET", owners(passing?.id ?? ""), undefined, token)).status).toBe(404);
    if (acknowledged.has("webhook deleted"))
      expect(await ask("GET", owners(`${third?.id}/webhook`))).toMatchObject({ url: "" });
  }
}
