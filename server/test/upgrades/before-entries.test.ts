import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "#botyard/config.js";
import { openStore } from "#botyard/open-store.js";
import type { BotRef, Store } from "#botyard/store/store.js";
import { engine } from "../support/engines.js";
import { logAnswers } from "../support/log-answers.js";
import { recordOutcomes } from "../support/store-fixtures.js";
import { createEmptyHome, type EmptyHome, putFixture, upgradeFixture } from "../support/upgrade-fixtures.js";

const ENGINE = engine.name === "sqlite" ? "sqlite" : "postgres";
/** After every retry in the fixture. */
const LATER = Date.UTC(2027, 0, 1);

interface Answers {
  ref: BotRef;
  states: Record<string, { updateId: number }[]>;
}

/**
 * The last database whose log was the table `updates`, made by the store of then, and what that store answered. Bots:
 * `mixed` has updates in all states. `requeueing` and `removed` got another webhook and lost theirs with 300 and 270 scheduled
 * updates, some of which were still to be requeued. `skipping` and `unsent` got another webhook that skipped 320, most of
 * which were still to be skipped; the answers of these and of `requeueing` are from when that was done. `skipped` did so with
 * fewer; `polling` never had a webhook.
 */
describe("a database whose log was the table updates", () => {
  const recorded = JSON.parse(upgradeFixture(`before-entries.${ENGINE}.json`).toString()) as Record<
    string,
    Answers
  >;
  let home: EmptyHome;
  let store: Store;

  beforeAll(async () => {
    home = await createEmptyHome(ENGINE);
    await putFixture(home, "before-entries");
    store = await openStore(loadConfig(home.environment), pino({ level: "silent" }));
  });
  afterAll(async () => {
    await store.close();
    await home.remove();
  });

  it.each(Object.keys(recorded))("answers the same about the log of %s", async (name) => {
    const { ref, ...answers } = recorded[name] as Answers;
    expect(await logAnswers(store, ref)).toEqual(answers);
  });

  it.each(["mixed", "requeueing", "skipping", "unsent", "skipped"])(
    "sends of %s what was pending or scheduled, and nothing else",
    async (name) => {
      const { ref, states } = recorded[name] as Answers;
      const waiting = [...(states["pending"] ?? []), ...(states["scheduled"] ?? [])];
      const numbers = waiting.map(({ updateId }) => updateId).sort((a, b) => a - b);
      expect((await sendAll(store, ref)).sort((a, b) => a - b)).toEqual(numbers);
      const { pending, scheduled } = (await store.readStats(ref)) ?? {};
      expect({ pending, scheduled }).toEqual({ pending: 0, scheduled: 0 });
    },
  );
});

/** @returns the numbers of all updates that were due, in that order */
async function sendAll(store: Store, { botId }: BotRef): Promise<number[]> {
  const sent: number[] = [];
  for (;;) {
    const [due] = await store.readDueUpdates([{ destinationId: botId, afterUpdateId: 0, limit: 50 }], LATER);
    const updates = due?.updates ?? [];
    if (updates.length === 0) return sent;
    sent.push(...updates.map(({ updateId }) => updateId));
    const attempts = updates.map(({ updateId, failureCount }) => ({
      updateId,
      failureCount,
      attemptedAt: LATER,
    }));
    await recordOutcomes(store, [{ destinationId: botId, nextFreshId: 1, attempts }]);
  }
}
