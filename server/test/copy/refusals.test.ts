import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createSecretBox } from "#botyard/domain/secret-box.js";
import type { CopyProgress } from "#botyard/store/copy/copy.js";
import { openDatabase } from "#botyard/store/sqlite/binding.js";
import { StoreUnavailable } from "#botyard/store/store.js";
import { copyHome } from "../support/copying.js";
import { createHomeOn, onDatabase, type StoreHome } from "../support/engines.js";
import { type Filled, fillStore } from "../support/filled-store.js";
import { makeChannel } from "../support/store-fixtures.js";

const box = createSecretBox([randomBytes(32)]);
const secrets = { source: box, target: box };

describe.each([
  { from: "sqlite", to: "postgres" },
  { from: "postgres", to: "sqlite" },
] as const)("a copy from $from to $to is refused", ({ from, to }) => {
  let source: StoreHome;
  let target: StoreHome;

  beforeEach(async () => {
    source = await createHomeOn(from);
    target = await createHomeOn(to);
  });
  afterEach(async () => {
    await source.remove();
    await target.remove();
  });

  it("while a service runs on the source", async () => {
    const running = await source.open();
    await running.ping();
    await expect(copyHome(source, target)).rejects.toThrow(
      from === "sqlite" ? "another Botyard service uses" : "running services use postgres://",
    );
    await running.close();
    await (await source.open()).close();
    expect(await copyHome(source, target)).toMatchObject({ continued: false });
  });

  it("while a service runs on the target", async () => {
    await (await source.open()).close();
    const running = await target.open();
    await running.ping();
    await expect(copyHome(source, target)).rejects.toThrow(
      to === "sqlite" ? "another Botyard service uses" : "running services use postgres://",
    );
    await running.close();
  });

  it("while another copy into the target runs", async () => {
    await (await source.open()).close();
    const other = await createHomeOn("sqlite");
    await (await other.open()).close();
    await copyHome(source, target, {
      async onProgress({ phase, table }) {
        if (phase !== "copying" || table !== "lanes") return;
        await expect(copyHome(other, target)).rejects.toThrow(
          to === "sqlite" ? "another Botyard service uses" : "is under way",
        );
      },
    });
    await other.remove();
  });

  it("when the target is not empty, without changing it", async () => {
    await (await source.open()).close();
    const before = await target.open();
    const channelId = await makeChannel(before);
    await before.close();
    await expect(copyHome(source, target)).rejects.toThrow("is not empty: it already holds channels");
    const after = await target.open();
    expect((await after.listChannels("alice", 10)).map(({ id }) => id)).toEqual([channelId]);
    await after.close();
  });

  it("when it is complete already", async () => {
    const original = await source.open();
    await makeChannel(original);
    await original.close();
    await copyHome(source, target);
    await expect(copyHome(source, target)).rejects.toThrow("is not empty");
  });

  describe("with rows of every kind", () => {
    let full: StoreHome;
    let filled: Filled;
    beforeAll(async () => {
      full = await createHomeOn(from);
      const original = await full.open();
      filled = await fillStore(original);
      await original.close();
    });
    afterAll(() => full.remove());

    it("when a secret cannot be opened, before any row is written", async () => {
      await expect(copyHome(full, target, { secrets })).rejects.toThrow("the secret was sealed with key");
      await expect(copyHome(full, target, { secrets: { source: undefined, target: box } })).rejects.toThrow(
        `bot ${filled.busy.botId} has a webhook secret, and the key that opens it is not known`,
      );
    });

    it.each([
      [
        "events",
        "UPDATE events SET payload = replace(payload, 'post 3', 'post 4') WHERE payload LIKE '%post 3%'",
      ],
      ["entries", "UPDATE entries SET event_key = event_key + 1 WHERE number = 4"],
      ["deliveries", "UPDATE deliveries SET attempt_count = attempt_count + 1 WHERE first_number = 4"],
      ["destinations", "UPDATE destinations SET delivered_count = delivered_count + 1"],
      ["attachments", "DELETE FROM attachments"],
      ["bots", "UPDATE bots SET token_hash = 'x' || token_hash"],
    ])("as finished when %s came out different", async (table, tampering) => {
      const key = createSecretBox([randomBytes(32)]);
      const tamper = async ({ phase, table, doneRows }: CopyProgress) => {
        if (phase === "verifying" && table === "bots" && doneRows === 0) await onHome(target, tampering);
      };
      await expect(
        copyHome(full, target, { secrets: { source: filled.secretBox, target: key }, onProgress: tamper }),
      ).rejects.toThrow(new RegExp(`^${table} differ: \\d+ rows with checksum [0-9a-f]{24} in the source`));
      await expect(target.open()).rejects.toThrow("unfinished copy");
    });
  });
});

describe("a copy", () => {
  it("needs an existing source", async () => {
    const source = await createHomeOn("sqlite");
    const target = await createHomeOn("sqlite");
    rmSync(join(source.dataDir, "botyard.db"), { force: true });
    await expect(copyHome(source, target)).rejects.toThrow("there is no botyard.db in");
    await source.remove();
    await target.remove();
  });

  it("says which database cannot be reached, without its password", async () => {
    const source = await createHomeOn("sqlite");
    await (await source.open()).close();
    const nowhere = { ...source, environment: { DATABASE_URL: "postgres://me:hush@127.0.0.1:1/nowhere" } };
    const refused = await copyHome(source, nowhere).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreUnavailable);
    expect((refused as Error).message).toMatch(/^postgres:\/\/127\.0\.0\.1:1\/nowhere cannot be reached: /);
    await source.remove();
  });
});

async function onHome({ dataDir, environment }: StoreHome, statement: string): Promise<void> {
  const url = environment.DATABASE_URL;
  if (url) {
    await onDatabase(url, statement);
    return;
  }
  const database = await openDatabase(join(dataDir, "botyard.db"), 1000);
  database.exec(statement);
  database.close();
}
