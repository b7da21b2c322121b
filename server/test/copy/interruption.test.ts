import { randomBytes } from "node:crypto";
import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import { deletePost, editPost } from "#botyard/operations/posts/change-post.js";
import type { CopyProgress } from "#botyard/store/copy/copy.js";
import { TABLES } from "#botyard/store/copy/tables.js";
import { copyHome, locationOf } from "../support/copying.js";
import { createHomeOn, type StoreHome } from "../support/engines.js";
import { type Filled, fillStore } from "../support/filled-store.js";
import { run } from "../support/program.js";
import { contentsOf } from "../support/store-contents.js";
import { aPost, makeChannel, OWNER, publish } from "../support/store-fixtures.js";
import { countRows } from "../support/stored-rows.js";

const key = randomBytes(32);
/** What each test has a copy of, since some change it. */
let original: StoreHome;
let filled: Filled;
let originalContents: object;
beforeAll(async () => {
  original = await createHomeOn("sqlite");
  const store = await original.open();
  filled = await fillStore(store, key);
  originalContents = await contentsOf(store, filled, filled.secretBox);
  await store.close();
});
afterAll(() => original.remove());

describe.each(["sqlite", "postgres"] as const)("an interrupted copy into %s", (to) => {
  let source: StoreHome;
  let target: StoreHome;
  let before: object;

  beforeEach(async () => {
    source = await createHomeOn("sqlite");
    await cp(original.dataDir, source.dataDir, { recursive: true });
    target = await createHomeOn(to);
    before = originalContents;
  });
  afterEach(async () => {
    await source.remove();
    await target.remove();
  });

  const box = createSecretBox([key]);
  const secrets = { source: box, target: box };
  /** Breaks off when the copy reports what `when` looks for. */
  const breakOff = (when: (progress: CopyProgress) => boolean) =>
    copyHome(source, target, {
      secrets,
      onProgress(progress) {
        if (when(progress)) throw new Error("broken off");
      },
    });
  const contentsAfter = async () => {
    const store = await target.open();
    const contents = await contentsOf(store, filled, box);
    await store.close();
    return contents;
  };

  it("continues after an interruption at any table, while copying or checking", async () => {
    for (const phase of ["copying", "verifying"] as const) {
      for (const { name } of TABLES) {
        await expect(
          breakOff((progress) => progress.phase === phase && progress.table === name),
        ).rejects.toThrow("broken off");
      }
    }
    const { continued, tables } = await copyHome(source, target, { secrets });
    expect(continued).toBe(true);
    const entries = await countRows(source, "entries");
    expect(entries).toBeGreaterThan(9 + 8 + 8 + 1 + 8 + 8);
    expect(tables.find(({ table }) => table === "entries")?.rows).toBe(entries);
    expect(await contentsAfter()).toEqual(before);
  });

  it("is refused by every service until it is complete", async () => {
    await expect(breakOff(({ phase }) => phase === "verifying")).rejects.toThrow();
    await expect(target.open()).rejects.toThrow("unfinished copy: run the same botyard copy again");
    await copyHome(source, target, { secrets });
    expect(await contentsAfter()).toEqual(before);
  });

  it("cannot be the source of another copy", async () => {
    await expect(breakOff(({ phase }) => phase === "verifying")).rejects.toThrow();
    const third = await createHomeOn("sqlite");
    await expect(copyHome(target, third, { secrets })).rejects.toThrow("unfinished copy");
    await third.remove();
  });

  it("does not continue with a changed source", async () => {
    await expect(breakOff(({ table }) => table === "events")).rejects.toThrow("broken off");
    const store = await source.open();
    await publish(store, filled.busy.channelId, 1);
    await store.close();
    await expect(copyHome(source, target, { secrets })).rejects.toThrow("or sqlite:");
  });

  it.each(["edited again", "deleted"])("does not bring back a post that was %s since", async (change) => {
    const author = { ownerUserId: OWNER };
    let store = await source.open();
    // It hears everything, and so its lanes would tell.
    await store.switchFeed(false);
    const ref = { ownerUserId: OWNER, channelId: await makeChannel(store) };
    const post = aPost(ref.channelId, "first", author);
    await store.appendPosts([post, aPost(ref.channelId, "another", author)]);
    const of = { channelId: ref.channelId, postId: post.id };
    if (change === "edited again") await editPost(store, author, of, { body: "second" });
    await store.close();
    await expect(breakOff(({ table }) => table === "lanes")).rejects.toThrow("broken off");
    store = await source.open();
    if (change === "edited again") await editPost(store, author, of, { body: "third" });
    else await deletePost(store, author, of);
    await store.close();
    await expect(copyHome(source, target, { secrets })).rejects.toThrow("has changed since: empty");
  });

  it("does not continue with another source", async () => {
    await expect(breakOff(({ table }) => table === "events")).rejects.toThrow("broken off");
    const other = await createHomeOn("sqlite");
    const store = await other.open();
    await fillStore(store, key);
    await store.close();
    await expect(copyHome(other, target, { secrets })).rejects.toThrow("unfinished copy of another source");
    await other.remove();
  });

  it("stops when told to, and prints how to continue", async () => {
    const controller = new AbortController();
    const copying = copyHome(source, target, {
      secrets,
      signal: controller.signal,
      onProgress({ table }) {
        if (table === "entries") controller.abort(new Error("interrupted"));
      },
    });
    await expect(copying).rejects.toThrow(
      "interrupted; what was copied is kept, and the same command goes on from there",
    );
    await copyHome(source, target, { secrets });
    expect(await contentsAfter()).toEqual(before);
  });

  it.each(["between", "within"])("continues after its process was killed %s batches", async (when) => {
    const store = await source.open();
    for (let i = 0; i < 3; i++) await publish(store, filled.busy.channelId, 400);
    before = await contentsOf(store, filled, box);
    await store.close();
    // In the posts, in the updates, and while checking.
    const moments = [
      ["copying", 300],
      ["copying", 1000],
      ["copying", 1800],
      ["verifying", 600],
    ] as const;
    for (const [phase, rows] of moments) {
      const killed = run(process.execPath, [
        fileURLToPath(new URL("copy-until-killed.mjs", import.meta.url)),
        JSON.stringify(locationOf(source)),
        JSON.stringify(locationOf(target)),
        key.toString("hex"),
        phase,
        String(rows),
        when,
      ]);
      expect(await killed.exit, killed.stderr()).toBe("SIGKILL");
    }
    expect(await copyHome(source, target, { secrets })).toMatchObject({ continued: true });
    expect(await contentsAfter()).toEqual(before);
  });
});
