import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask, makeWorld, post } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { PLATFORM_TOKEN, startApiForAll } from "../support/every-operation.js";
import { startInProcessService } from "../support/in-process-service.js";
import { environmentOf } from "../support/program.js";
import { refuse, startReceiver } from "../support/receiver.js";

const PATH = "/v1/owner/alerts";
const URL_SET = "https://ops.example.com/alerts";

describe("the webhook for alerts", () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await startApiForAll();
  });
  afterAll(() => api.close());

  it("is empty at first, then as put, and is no bot's", async () => {
    const { ownerToken: token, owner } = await makeWorld(api);
    const call = (method: string, body?: object) => ask(api, method, PATH, { token, ...(body && { body }) });
    const none = await call("GET");
    expectContract("getAlerts", none);
    expect(none.body).toMatchObject({ url: "", has_secret_token: false });
    const wanted = { url: URL_SET, secret_token: "s3cret", event_types: ["webhook.paused"], max_batch: 10 };
    const set = await call("PUT", wanted);
    expectContract("putAlerts", set);
    expect(set.body).toMatchObject({
      url: URL_SET,
      has_secret_token: true,
      event_types: ["webhook.paused"],
      max_batch: 10,
    });
    expect((await call("GET")).body).toEqual(set.body);
    expect((await ask(api, "GET", "/v1/bot-api/bots", { token })).body.items).toHaveLength(1);
    const exported = await ask(api, "GET", "/v1/owner/export", { token });
    const [first, second] = exported.text.split("\n").map((line) => line && JSON.parse(line));
    expect(first).toMatchObject({ type: "alerts", webhook: { url: URL_SET } });
    expect(second).toMatchObject({ type: "bot", webhooks: [] });
    expect(exported.text).not.toContain("s3cret");
    const rest = await ask(api, "GET", `/v1/owner/export?after=${first.cursor}`, { token });
    expect(JSON.parse(rest.text.split("\n")[0] ?? "")).toEqual(second);

    for (const _ of ["set", "not set"]) {
      const deleted = await ask(api, "DELETE", PATH, { token, rawBody: "{broken" });
      expectContract("deleteAlerts", deleted);
      expect(deleted.body).toEqual({ status: "deleted" });
      expect((await call("GET")).body.url).toBe("");
    }
    await call("PUT", wanted);
    const erase = () => ask(api, "DELETE", "/v1/owner", { token, body: { confirm: owner } });
    await eventually("erased", async () => (await erase()).body.status === "deleted");
    expect((await call("GET")).body.url).toBe("");
  });

  it("refuses what a webhook refuses", async () => {
    const { ownerToken: token, owner } = await makeWorld(api);
    const bad = [
      [{}, /^url is required/],
      [{ url: "ftp://example.com/" }, /^url must/],
      [{ url: URL_SET, max_batch: 101 }, /^max_batch/],
      [{ url: URL_SET, event_types: ["webhook.fialing"] }, /^event_types has/],
      [{ url: URL_SET, event_types: ["channel.post_created"] }, /^event_types has none of what is told here/],
      [{ url: URL_SET, headers: { Host: "x" } }, /Host/],
    ] as const;
    for (const [body, message] of bad)
      expectFailure("putAlerts", await ask(api, "PUT", PATH, { token, body }), 400, message);
    expect(await api.store.findWebhookLog("alerts", owner)).toBeUndefined();
    expect((await ask(api, "GET", PATH, { token })).body.url).toBe("");
  });

  it("is set and removed at the same time without a refusal, and is then one or the other", async () => {
    const { ownerToken: token, owner } = await makeWorld(api);
    const call = (method: string, body?: object) => ask(api, method, PATH, { token, ...(body && { body }) });
    for (let round = 0; round < 30; round += 1) {
      const put = () => call("PUT", { url: `${URL_SET}/${round}` });
      const answers = await Promise.all([put(), call("DELETE"), put(), call("DELETE")]);
      for (const { status, text } of answers) expect(status, text).toBe(200);
    }
    const { url } = (await call("GET")).body;
    await call("DELETE");
    expect(["", `${URL_SET}/29`]).toContain(url);
    expect(await api.store.findWebhookLog("alerts", owner)).toBeUndefined();
  });

  it("is each owner's own, and the platform sets it for an owner", async () => {
    const [one, other] = [await makeWorld(api), await makeWorld(api)];
    const platform = { token: PLATFORM_TOKEN, headers: { "botyard-owner": one.owner } };
    const set = await ask(api, "PUT", PATH, { ...platform, body: { url: URL_SET } });
    expect(set.status, set.text).toBe(200);
    expect((await ask(api, "GET", PATH, { token: one.ownerToken })).body.url).toBe(URL_SET);
    expect((await ask(api, "GET", PATH, { token: other.ownerToken })).body.url).toBe("");
    expectFailure("getAlerts", await ask(api, "GET", PATH, { token: one.botToken }), 401);
    await ask(api, "DELETE", PATH, { token: other.ownerToken });
    expect((await ask(api, "GET", PATH, platform)).body.url).toBe(URL_SET);
  });
});

it(`a service on ${engine.name} tells it of each webhook of the owner's bots that is paused`, async () => {
  const home = await engine.createHome();
  const gone = await startReceiver(refuse(410));
  const alerted = await startReceiver();
  const service = await startInProcessService(home.dataDir, home.environment);
  try {
    const { BOTYARD_TOKEN: token = "" } = await environmentOf("owner", service, home.dataDir);
    const world = await makeWorld({ url: service.url, ownerToken: async () => token });
    const put = (path: string, url: string) => ask(service, "PUT", path, { token, body: { url } });
    expect((await put(PATH, alerted.url)).status).toBe(200);
    for (const path of ["webhook", "webhooks/audit"])
      expect((await put(`/v1/bot-api/bots/${world.botId}/${path}`, gone.url)).status).toBe(200);
    await post({ url: service.url } as RunningApi, world, "to both");
    await eventually("both alerts", () => alerted.requests.length >= 2);
    const bodies = alerted.requests.map(({ body }) => JSON.parse(body));
    expect(bodies.map(({ event_type }) => event_type)).toEqual(["webhook.paused", "webhook.paused"]);
    expect(new Set(bodies.map(({ update_id }) => update_id))).toEqual(new Set([1, 2]));
    expect(bodies.map(({ payload }) => payload.bot_id)).toEqual([world.botId, world.botId]);
    expect(new Set(bodies.map(({ payload }) => payload.webhook ?? "default"))).toEqual(
      new Set(["audit", "default"]),
    );
    await eventually("recorded", async () => {
      const { body } = await ask(service, "GET", PATH, { token });
      return body.pending_update_count === 0;
    });
  } finally {
    await service.stop();
    await Promise.all([gone.close(), alerted.close()]);
    await home.remove();
  }
});
