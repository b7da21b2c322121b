import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN } from "../support/every-operation.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Owner, ownerAt } from "../support/load.js";
import { environmentOf } from "../support/program.js";

const AUDIT_ENTRY = "alert.audit_entry";

let home: StoreHome;
let service: InProcessService;
let owner: Owner;
beforeEach(async () => {
  home = await engine.createHome();
  service = await startInProcessService(home.dataDir, {
    ...home.environment,
    PLATFORM_TOKEN,
    PLATFORM_FEED: "true",
    PLATFORM_FEED_AUDIT: "true",
  });
  owner = ownerAt(await environmentOf("alice", service, home.dataDir));
});
afterEach(async () => {
  await service.stop();
  await home.remove();
});

const subscribe = (token: string, path: string, eventTypes: string[]) =>
  ask(service, "PUT", path, { token, body: { event_types: eventTypes } });

describe(`readers of the audit log of a service on ${engine.name}`, () => {
  it("are a consumer of a bot, and one of the feed, with the entries that the list has", async () => {
    const auditor = await owner.createBot("auditor", []);
    const set = await subscribe(owner.token, `/v1/bot-api/bots/${auditor.id}/subscription`, [AUDIT_ENTRY]);
    expectContract("putSubscription", set);
    const watched = await owner.createBot("watched", []);
    await ask(service, "PATCH", `/v1/bot-api/bots/${watched.id}`, {
      token: owner.token,
      body: { display_name: "Watched" },
    });
    const updates = await eventually("the entries", async () => {
      const answer = await ask(service, "GET", "/v1/bot-api/updates?consumer=siem", { token: auditor.token });
      expectContract("pollUpdates", answer);
      return answer.body.items.at(-1)?.payload.operation === "editBot" && answer.body.items;
    });
    const listed = (await owner.get<{ items: { operation: string }[] }>("/v1/owner/audit")).items;
    // From the subscription on; of what was written a moment before it, too, if that waits for the feed.
    expect(updates.length).toBeGreaterThanOrEqual(3);
    expect(updates.map(({ payload }: { payload: unknown }) => payload)).toEqual(
      listed.toReversed().slice(-updates.length),
    );
    expect(listed.map(({ operation }) => operation).slice(0, 3)).toEqual([
      "editBot",
      "createBot",
      "putSubscription",
    ]);
    const feed = await ask(service, "GET", "/v1/platform/feed?consumer=siem", { token: PLATFORM_TOKEN });
    expectContract("readFeed", feed);
    const told = feed.body.items.filter((item: { event_type: string }) => item.event_type === AUDIT_ENTRY);
    expect(told.map(({ payload }: { payload: unknown }) => payload)).toEqual(listed.toReversed());
    expect(told[0]).toMatchObject({ owner_user_id: "alice", by: { type: "owner", id: "alice" } });
  });

  it("are no bots that want it by themselves: their owner has to say so", async () => {
    const bot = await owner.createBot("curious", []);
    const self = (eventTypes: string[]) =>
      subscribe(bot.token, "/v1/bot-api/subscription", ["ticket.*", ...eventTypes]);
    for (const named of [AUDIT_ENTRY, "alert.*"])
      expectFailure("putMySubscription", await self([named]), 400, "let your owner subscribe you to it");
    await subscribe(owner.token, `/v1/bot-api/bots/${bot.id}/subscription`, ["alert.*"]);
    expect((await self([AUDIT_ENTRY])).status).toBe(200);
    expect((await self([])).status).toBe(200);
    expectFailure("putMySubscription", await self([AUDIT_ENTRY]), 400, "let your owner subscribe you to it");
    expect((await self(["*"])).status).toBe(200);
  });
});
