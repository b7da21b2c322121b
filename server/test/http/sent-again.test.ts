import { verifyWebhook } from "@botyard/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, post, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { accept, type Receiver, refuse, startReceiver } from "../support/receiver.js";
import { recordOutcomes } from "../support/store-fixtures.js";

const PLATFORM = "a-token-of-the-platform-0123456789";

describe("an update that is sent again", () => {
  let api: RunningApi;
  let receiver: Receiver;
  let world: World;
  beforeAll(async () => {
    api = await startApi({
      platform: { tokens: [PLATFORM], rateLimit: { burst: 100_000, perSecond: 100_000 } },
    });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await api.close();
    await receiver.close();
  });
  beforeEach(async () => {
    receiver.requests.length = 0;
    receiver.answerWith(accept);
    world = await makeWorld(api);
    await send("webhook", "PUT", { url: receiver.url, secret_token: "s3cret" });
    for (const body of ["one", "two", "three"]) await post(api, world, body);
    // No dispatcher runs here.
    const attemptedAt = Date.now();
    const attempts = [
      { updateId: 1, failureCount: 0, attemptedAt },
      { updateId: 2, failureCount: 0, attemptedAt, failure: { error: "502 Bad Gateway" } },
    ];
    await recordOutcomes(api.store, [{ destinationId: world.botId, nextFreshId: 3, attempts }]);
  });

  const send = (verb: string, method = "POST", body?: object) =>
    ask(api, method, `/v1/bot-api/bots/${world.botId}/${verb}`, {
      token: world.ownerToken,
      ...(body === undefined ? {} : { body }),
    });
  const sendAgain = (updateId: number) => send(`updates/${updateId}/send-again`);
  const seen = () =>
    Promise.all(
      ["webhook", "stats", "updates", "timeline", "updates/1/attempts"].map(
        async (what) => (await send(what, "GET")).text,
      ),
    );

  it("arrives with the body it had, signed and marked, also while the webhook is paused, and changes nothing", async () => {
    await send("webhook/pause");
    await send("disable");
    const before = await seen();
    receiver.answerWith((response) => response.writeHead(202).end("got it again"));
    const answer = await sendAgain(1);
    expectContract("sendUpdateAgain", answer);
    expect(answer.body).toMatchObject({
      delivered: true,
      status: 202,
      error: "",
      response_body: "got it again",
    });
    expect(await seen()).toEqual(before);

    const [{ headers, body } = expect.fail("nothing arrived")] = receiver.requests;
    expect(headers["botyard-sent-again"]).toBe("true");
    const [delivered] = (await send("updates?before=2", "GET")).body.items;
    const { update_id, event_type, payload, created_at } = delivered;
    expect(JSON.parse(body)).toEqual({ update_id, event_type, payload, created_at });
    expect(await verifyWebhook({ secret: "s3cret", headers, rawBody: body })).toMatchObject({ update_id: 1 });
  });

  it("stays delivered when the receiver refuses it, or is gone", async () => {
    const before = await seen();
    receiver.answerWith(refuse(503));
    expect((await sendAgain(1)).body).toMatchObject({ delivered: false, error: "503 Service Unavailable" });
    receiver.answerWith((response) => response.destroy());
    const lost = await sendAgain(1);
    expectContract("sendUpdateAgain", lost);
    expect(lost.body).toMatchObject({ delivered: false, response_body: "" });
    expect(lost.body).not.toHaveProperty("status");
    expect(await seen()).toEqual(before);
  });

  it("is one that was delivered, of a bot of the owner's that has a webhook", async () => {
    expectFailure("sendUpdateAgain", await sendAgain(2), 400, "update 2 is failed");
    expectFailure("sendUpdateAgain", await sendAgain(3), 400, "update 3 is pending");
    expectFailure("sendUpdateAgain", await sendAgain(4), 404, "update not found");
    expectFailure("sendUpdateAgain", await sendAgain(0), 404, "update not found");
    const token = (await makeWorld(api)).ownerToken;
    const foreign = await ask(api, "POST", `/v1/bot-api/bots/${world.botId}/updates/1/send-again`, { token });
    expectFailure("sendUpdateAgain", foreign, 404, "bot not found");
    await send("webhook", "DELETE");
    expectFailure("sendUpdateAgain", await sendAgain(1), 400, "the bot has no webhook: set one first");
    expect(receiver.requests).toEqual([]);
  });

  it("goes to no webhook that the platform has taken out of service, nor does a test, whoever asks", async () => {
    const asPlatform = (method: string, path: string, body?: object) =>
      ask(api, method, path, { token: PLATFORM, body, headers: { "Botyard-Owner": world.owner } });
    const bot = `/v1/bot-api/bots/${world.botId}`;
    const withheld = async (asked: (path: string) => Promise<Answer>, reason: RegExp) => {
      for (const [path, operation] of [
        ["updates/1/send-again", "sendUpdateAgain"],
        ["webhook/test", "testWebhook"],
        ["webhooks/default/updates/1/send-again", "sendNamedWebhookUpdateAgain"],
      ] as const) {
        const refused = await asked(`${bot}/${path}`);
        expectFailure(operation, refused, 400, reason);
        expect(refused.headers.get("botyard-error")).toBe("bot_disabled");
      }
    };
    const byOwner = (path: string) => ask(api, "POST", path, { token: world.ownerToken });
    const byPlatform = (path: string) => asPlatform("POST", path);

    await asPlatform("POST", `${bot}/disable`);
    for (const asked of [byOwner, byPlatform]) await withheld(asked, /the platform disabled the bot/);
    await asPlatform("POST", `${bot}/enable`);
    const suspend = async (body: object) => {
      const path = `/v1/platform/owners/${encodeURIComponent(world.owner)}`;
      expect((await ask(api, "PUT", path, { token: PLATFORM, body })).status).toBe(200);
    };
    await suspend({ suspended: true, reason: "spam" });
    await withheld(byPlatform, /suspended the owner of the bot/);
    expect(receiver.requests).toEqual([]);
    await suspend({ suspended: false });
    expect((await sendAgain(1)).body.delivered).toBe(true);
  });

  it("is sent at most ten times a minute for each bot, refusals not counted", async () => {
    await sendAgain(2);
    for (let sent = 1; sent <= 10; sent++) expect((await sendAgain(1)).status).toBe(200);
    const refused = await sendAgain(1);
    expectFailure("sendUpdateAgain", refused, 429, "at most 10 updates of a bot sent again within a minute");
    expect(refused.headers.get("botyard-error")).toBe("too_many_sent_again");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(receiver.requests).toHaveLength(10);
    expect((await send("webhook/test")).status).toBe(200);
  });
});
