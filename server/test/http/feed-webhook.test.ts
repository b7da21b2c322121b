import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask, makeWorld } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { startApiForAll, PLATFORM_TOKEN as token } from "../support/every-operation.js";
import { switchFeedOn } from "../support/feed-world.js";

const PATH = "/v1/platform/feed/webhook";
const URL_SET = "https://chat.example.com/feed";

describe("the webhook of the feed", () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApiForAll();
    await switchFeedOn(api.store);
  });
  afterAll(() => api.close());

  const call = (method: string, body?: object) => ask(api, method, PATH, { token, ...(body && { body }) });
  const consumers = async (): Promise<string[]> => {
    const { body } = await ask(api, "GET", "/v1/platform/consumers", { token });
    return body.items.map(({ name }: { name: string }) => name);
  };

  it("is empty at first, then as put; what is left out stays", async () => {
    const none = await call("GET");
    expectContract("getFeedWebhook", none);
    expect(none.body).toMatchObject({ url: "", has_secret_token: false, pending_item_count: 0 });
    const { channelId, ownerToken } = await makeWorld(api);
    const set = await call("PUT", { url: URL_SET, secret_token: "s3cret", headers: { "X-Key": "k3y" } });
    expectContract("putFeedWebhook", set);
    expect(set.body).toMatchObject({ url: URL_SET, has_secret_token: true, max_batch: 100 });
    expect(set.body.header_names).toEqual(["X-Key"]);
    // The oldest that is kept is sent too.
    expect(set.body.pending_item_count).toBeGreaterThan(0);
    expect(set.text).not.toMatch(/s3cret|k3y/);
    expect(await consumers()).toEqual(["webhook"]);
    expect((await call("PUT", { url: URL_SET, max_batch: 1 })).body).toMatchObject({
      has_secret_token: true,
      max_batch: 1,
    });
    expect((await call("PUT", { url: `${URL_SET}/2` })).body).toMatchObject({
      has_secret_token: true,
      header_names: ["X-Key"],
      max_batch: 1,
    });
    expect((await call("PUT", { url: `${URL_SET}/2`, max_batch: 100 })).body.max_batch).toBe(100);
    await ask(api, "POST", `/v1/channels/${channelId}/posts`, { token: ownerToken, body: { body: "more" } });
    const read = (await call("GET")).body;
    expect(read.pending_item_count).toBe(set.body.pending_item_count + 1);
    expect(read.last_attempted_at).toBeUndefined();

    for (const _ of ["set", "not set"]) {
      const deleted = await ask(api, "DELETE", PATH, { token, rawBody: "{broken" });
      expectContract("deleteFeedWebhook", deleted);
      expect(deleted.body).toEqual({ status: "deleted" });
      expect((await call("GET")).body).toMatchObject({ url: "", has_secret_token: false, max_batch: 100 });
      expect(await consumers()).toEqual([]);
    }
  });

  it("refuses what a webhook refuses, with nothing changed", async () => {
    const bad = [
      [{}, /^url is required/],
      [{ url: "ftp://example.com/" }, /^url must/],
      [{ url: URL_SET, max_batch: 0 }, /^max_batch/],
      [{ url: URL_SET, max_batch: 101 }, /^max_batch/],
      [{ url: URL_SET, headers: { Host: "x" } }, /Host/],
      [{ url: URL_SET, secret_token: "ä" }, /^secret_token/],
    ] as const;
    for (const [body, message] of bad) expectFailure("putFeedWebhook", await call("PUT", body), 400, message);
    expect((await call("GET")).body.url).toBe("");
    expect(await consumers()).toEqual([]);
  });

  it("is the platform's alone", async () => {
    const { ownerToken, botToken } = await makeWorld(api);
    for (const other of [ownerToken, botToken])
      expectFailure("getFeedWebhook", await ask(api, "GET", PATH, { token: other }), 401);
  });

  it("needs a consumer of the feed", async () => {
    const consumer = (name: number) => `/v1/platform/feed?consumer=other${name}`;
    for (let name = 0; name < 16; name += 1) await ask(api, "GET", consumer(name), { token });
    expectFailure("putFeedWebhook", await call("PUT", { url: URL_SET }), 400, /16 consumers/);
    expect((await call("GET")).body.url).toBe("");
    for (let name = 0; name < 16; name += 1)
      await ask(api, "DELETE", `/v1/platform/consumers/other${name}`, { token });
  });

  it("is set and removed at the same time without a refusal, and is then one or the other", async () => {
    for (let round = 0; round < 20; round += 1) {
      const put = () => call("PUT", { url: `${URL_SET}/${round}` });
      const answers = await Promise.all([put(), call("DELETE"), put(), call("DELETE")]);
      for (const { status, text } of answers) expect(status, text).toBe(200);
    }
    const { url } = (await call("GET")).body;
    await call("DELETE");
    expect(["", `${URL_SET}/19`]).toContain(url);
    expect(await api.store.findWebhookLog("feed", "")).toBeUndefined();
  });

  it("is not there while the feed is off", async () => {
    await api.store.switchFeed(false);
    const answers = [await call("GET"), await call("PUT", { url: URL_SET }), await call("DELETE")];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.headers.get("botyard-error")).toBe("feed_off");
    }
  });
});
