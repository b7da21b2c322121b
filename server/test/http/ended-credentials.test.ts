import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Unauthenticated } from "#botyard/domain/errors.js";
import { createUpdatePolls } from "#botyard/polling/update-polls.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, post, type World } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";

let api: RunningApi;
let world: World;
beforeEach(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterEach(() => api.close());

const bot = (): string => `/v1/bot-api/bots/${world.botId}`;
const endings = {
  "a rotation": () => ask(api, "POST", `${bot()}/token`, { token: world.ownerToken }),
  "disabling the bot": () => ask(api, "POST", `${bot()}/disable`, { token: world.ownerToken }),
  "deleting the bot": () => ask(api, "DELETE", bot(), { token: world.ownerToken }),
};

describe("polls that wait", () => {
  it.each(Object.entries(endings))("end with 401 at %s, at once", async (_name, end) => {
    const waiting = Array.from({ length: 3 }, () =>
      ask(api, "GET", "/v1/bot-api/updates?timeout=30", { token: world.botToken }),
    );
    await eventually("they wait", () => api.polls.waiting === 3);
    const startedAt = performance.now();
    expect((await end()).status).toBe(200);
    for (const { status, body, headers } of await Promise.all(waiting)) {
      expect(status).toBe(401);
      expect(body).toEqual({ error: expect.stringContaining("token") });
      expect(headers.get("www-authenticate")).toBe("Bearer");
    }
    expect(performance.now() - startedAt).toBeLessThan(20_000);
    expect(api.polls.waiting).toBe(0);
  });

  it("continue when their bot changes but not its token", async () => {
    const waiting = ask(api, "GET", "/v1/bot-api/updates?timeout=30", { token: world.botToken });
    await eventually("it waits", () => api.polls.waiting === 1);
    await ask(api, "PATCH", bot(), { token: world.ownerToken, body: { description: "another" } });
    api.store.events.emit("credentialsChanged", world.botId);
    api.store.events.emit("hintsLost");
    await ask(api, "PUT", `${bot()}/webhook`, {
      token: world.ownerToken,
      body: { url: "http://127.0.0.1:9/" },
    });
    expect(api.polls.waiting).toBe(1);
    await post(api, world, "hello");
    const { status, body } = await waiting;
    expect([status, body.items.length]).toEqual([200, 1]);
  });

  it.each(Object.entries(endings))("hear of %s at their end when no hint came", async (_name, end) => {
    // As on another instance: the store emits nothing for this poll.
    const deaf = createUpdatePolls(
      { ...api.store, events: new (api.store.events.constructor as new () => typeof api.store.events)() },
      10,
    );
    const confirm = async () => {
      const token = await ask(api, "GET", "/v1/bot-api/me", { token: world.botToken });
      if (token.status === 401) throw new Unauthenticated("ended");
    };
    const request = { from: 0, limit: 100, timeoutMs: 300 };
    const waiting = deaf.poll(world.botId, request, undefined, confirm);
    const refused = expect(waiting).rejects.toThrow(Unauthenticated);
    await end();
    await refused;
    deaf.close();
  });
});

it("answers that contain a token are not cached", async () => {
  const created = await ask(api, "POST", "/v1/bot-api/bots", {
    token: world.ownerToken,
    body: { username: "another" },
  });
  const rotated = await ask(api, "POST", `${bot()}/token`, { token: world.ownerToken });
  for (const { headers } of [created, rotated]) expect(headers.get("cache-control")).toBe("no-store");
});
