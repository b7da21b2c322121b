import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Bot, createOnce, memoryValues, session, type Update, type ValueStore } from "@botyard/sdk";
import { fileValues } from "@botyard/sdk/node";
import { postgresValues } from "@botyard/sdk/postgres";
import { sqliteValues } from "@botyard/sdk/sqlite";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type EmptyDatabase } from "../support/postgres.js";

declare module "@botyard/sdk" {
  interface SessionData {
    count?: number;
  }
}

const me = { id: "bot-id", bot_user_id: "user-id", username: "echo", display_name: "Echo" };
const newBot = () => new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0, me });
let folder: string;
let database: EmptyDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "botyard-sessions-"));
  database = await createDatabase();
});
afterAll(async () => {
  await database.remove();
  rmSync(folder, { recursive: true });
});

function post(update_id: number, who = "alice"): Update<"channel.post_created"> {
  return {
    update_id,
    event_type: "channel.post_created",
    payload: {
      body: "x",
      channel_id: "c",
      post_id: "p",
      author_username: who,
      author: { type: "owner", id: who, username: who },
    },
    created_at: "",
  };
}

const stores: [string, () => ValueStore][] = [
  ["memory", memoryValues],
  ["files", () => fileValues(join(folder, randomUUID()))],
  ["SQLite", () => sqliteValues(new DatabaseSync(join(folder, "values.db")), randomUUID())],
  ["PostgreSQL", () => postgresValues(database.pool, randomUUID())],
];

describe.each(stores)("sessions in %s", (_, open) => {
  const counting = (store: ValueStore, counts: number[], fails = () => false) => {
    const bot = newBot().use(session({ initial: () => ({ count: 0 }), store }));
    return bot.onPost((ctx) => {
      ctx.session.count = (ctx.session.count ?? 0) + 1;
      if (fails()) throw new Error("after the change");
      counts.push(ctx.session.count);
    });
  };

  it("are kept for everybody in each channel, also by the next process", async () => {
    const store = open();
    const counts: number[] = [];
    await counting(store, counts).handle(post(1));
    await counting(store, counts).handle(post(2));
    await counting(store, counts).handle(post(3, "bob"));
    expect(counts).toEqual([1, 2, 1]);
  });

  it("are not changed by a handler that fails", async () => {
    const store = open();
    const counts: number[] = [];
    let fails = true;
    const bot = counting(store, counts, () => fails);
    await expect(bot.handle(post(1))).rejects.toThrow("after the change");
    fails = false;
    await bot.handle(post(1));
    expect(counts).toEqual([1]);
  });

  it("are changed once by an update that comes again after it was handled", async () => {
    const store = open();
    const counts: number[] = [];
    for (const id of [1, 2, 1, 2, 3]) await counting(store, counts).handle(post(id));
    expect(counts).toEqual([1, 2, 3]);
  });

  it("are changed by one update after the other", async () => {
    const store = open();
    const counts: number[] = [];
    const bot = newBot().use(session({ store, key: () => "all" }));
    bot.onPost(async (ctx) => {
      const { count = 0 } = ctx.session;
      await sleep(Math.random() * 5);
      ctx.session = { count: count + 1 };
      counts.push(count + 1);
    });
    await Promise.all([1, 2, 3, 4].map((id) => bot.handle(post(id, String(id)))));
    expect(counts).toEqual([1, 2, 3, 4]);
  });

  it("can be removed", async () => {
    const store = open();
    const counts: (number | undefined)[] = [];
    const bot = newBot().use(session({ store }));
    bot.onPost((ctx) => {
      counts.push(ctx.session.count);
      if (ctx.update.update_id === 2) ctx.session = undefined;
      else ctx.session.count = 7;
      if (ctx.update.update_id === 2) expect(() => ctx.session).toThrow("the session was removed");
    });
    for (const id of [1, 2, 3]) await bot.handle(post(id));
    expect(counts).toEqual([undefined, 7, undefined]);
  });

  it("keep what JSON can hold, under any key", async () => {
    const store = open();
    const keys = ["a", "A", "../a", "ä/ö", "x".repeat(300), ""];
    for (const [index, key] of keys.entries()) await store.write(key, { index });
    for (const [index, key] of keys.entries()) expect(await store.read(key)).toEqual({ index });
    await store.delete("a");
    await store.delete("a");
    expect(await store.read("a")).toBeUndefined();
    expect(await store.read("A")).toEqual({ index: 1 });
    await store.write("A", ["\u0000", "\ud800", null]);
    expect(await store.read("A")).toEqual(["\u0000", "\ud800", null]);
  });

  it("let work be done once", async () => {
    const once = createOnce(open());
    let done = 0;
    const work = async () => {
      await sleep(5);
      done += 1;
      return `order ${done}`;
    };
    expect(await Promise.all([once("a", work), once("a", work), once("b", work)])).toEqual(
      expect.arrayContaining(["order 1", "order 2"]),
    );
    expect(done).toBe(2);
    await expect(
      once("c", () => {
        throw new Error("not yet");
      }),
    ).rejects.toThrow("not yet");
    expect(await once("c", () => 7)).toBe(7);
    expect(await once("nothing", () => undefined)).toBeUndefined();
    expect(await once("nothing", () => expect.fail("again"))).toBeUndefined();
  });
});

describe("a session", () => {
  it("is missed without the middleware, and for events without a channel", async () => {
    const use = (bot: Bot) => bot.use((ctx) => void ctx.session.count);
    await expect(use(newBot()).handle(post(1))).rejects.toThrow(
      "there is no session: add bot.use(session())",
    );
    const nowhere = { update_id: 1, event_type: "a.b", payload: {}, created_at: "" };
    await expect(use(newBot().use(session())).handle(nowhere)).rejects.toThrow("there is no session");
  });
});

describe("fileValues", () => {
  it("names the file that is damaged, and leaves no half-written one", async () => {
    const home = join(folder, "damaged");
    const store = fileValues(home);
    await store.write("key", 1);
    const [file = ""] = readdirSync(home);
    expect(readdirSync(home)).toEqual([expect.stringMatching(/^key\..*\.json$/)]);
    writeFileSync(join(home, file), "{");
    await expect(store.read("key")).rejects.toThrow(`${join(home, file)} does not contain JSON`);
  });
});
