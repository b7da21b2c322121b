import { setTimeout as sleep } from "node:timers/promises";
import { verifyWebhook } from "@botyard/sdk";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver.js";

let api: RunningApi;
let mine: World;
let receiver: Receiver;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  mine = await makeWorld(api);
  receiver = await startReceiver();
  return () => receiver.close();
});

const call = (method: string, path: string, body?: object, token = mine.ownerToken) =>
  ask(api, method, `/v1/bot-api/bots/${mine.botId}/webhook${path}`, { token, body });
const put = async (body: object) => {
  const answer = await call("PUT", "", body);
  expectContract("putWebhook", answer);
  expect(answer.status).toBe(200);
  return answer.body;
};
const rotate = async (overlap?: string) => {
  const answer = await call("POST", `/secret${overlap === undefined ? "" : `?overlap=${overlap}`}`);
  expectContract("rotateWebhookSecret", answer);
  expect(answer.status).toBe(200);
  return answer.body as { secret_token: string; previous_until?: string };
};
const standardSecret = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString("base64")}`;
/** What the receiver gets next. */
const tested = async (): Promise<ReceivedRequest> => {
  expect((await call("POST", "/test")).body).toMatchObject({ delivered: true });
  const request = receiver.requests.at(-1);
  if (!request) throw new Error("no request");
  return request;
};
const verifies = ({ headers, body }: ReceivedRequest, secret: string): boolean => {
  const said = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  try {
    new Webhook(secret).verify(body, said);
    return true;
  } catch {
    return false;
  }
};

describe("headers of a webhook", () => {
  const headers = { Authorization: "Bearer 4f1c", "X-Tenant": "blue green" };

  it("are sent with each request, and their values never shown", async () => {
    const set = await put({ url: receiver.url, headers });
    expect(set.header_names).toEqual(["Authorization", "X-Tenant"]);
    expect(set.has_secret_token).toBe(false);
    const request = await tested();
    expect(request.headers).toMatchObject({ authorization: "Bearer 4f1c", "x-tenant": "blue green" });
    expect(request.headers).not.toHaveProperty("x-service-bot-api-signature");
    const shown = await call("GET", "");
    expect(shown.body.header_names).toEqual(["Authorization", "X-Tenant"]);
    expect(JSON.stringify(shown.body)).not.toContain("4f1c");
    const { target } =
      (await api.store.readStoredWebhook({ botId: mine.botId, ownerUserId: mine.owner })) ?? {};
    expect(JSON.stringify(target)).not.toContain("4f1c");
  });

  it("stay beside the secret when left out, and are removed alone", async () => {
    await put({ url: receiver.url, secret_token: "s3cret" });
    expect(await put({ url: receiver.url, headers })).toMatchObject({ has_secret_token: true });
    expect((await put({ url: `${receiver.url}/other` })).header_names).toHaveLength(2);
    expect((await put({ url: receiver.url, secret_token: "another" })).header_names).toHaveLength(2);
    expect((await tested()).headers).toMatchObject({
      authorization: "Bearer 4f1c",
      "x-service-bot-api-secret-token": "another",
    });
    const unsigned = await put({ url: receiver.url, secret_token: "" });
    expect(unsigned).toMatchObject({ has_secret_token: false, header_names: ["Authorization", "X-Tenant"] });
    await put({ url: receiver.url, secret_token: "s3cret" });
    const plain = await put({ url: receiver.url, headers: {} });
    expect(plain).not.toHaveProperty("header_names");
    expect(plain.has_secret_token).toBe(true);
    expect((await tested()).headers).not.toHaveProperty("authorization");
  });

  it("are removed when the webhook moves to another origin, and when it is removed", async () => {
    await put({ url: receiver.url, headers });
    expect(await put({ url: "https://elsewhere.example/hook" })).not.toHaveProperty("header_names");
    expect(await put({ url: receiver.url })).not.toHaveProperty("header_names");
    await put({ url: receiver.url, headers });
    await call("DELETE", "");
    expect(await put({ url: receiver.url })).not.toHaveProperty("header_names");
  });

  it("change nothing when they are the same", async () => {
    const before = await put({ url: receiver.url, secret_token: "s3cret", headers });
    const roundNow = async () =>
      (await api.store.readStoredWebhook({ botId: mine.botId, ownerUserId: mine.owner }))?.round;
    const round = await roundNow();
    expect(await put({ url: receiver.url, secret_token: "s3cret", headers })).toEqual(before);
    expect(await put({ url: receiver.url })).toEqual(before);
    expect(await roundNow()).toBe(round);
  });

  it.each([
    [{ Host: "evil.example" }, /"Host" is set by the service/],
    [{ "content-length": "0" }, /"content-length"/],
    [{ "Transfer-Encoding": "chunked" }, /"Transfer-Encoding"/],
    [{ "Accept-Encoding": "gzip" }, /"Accept-Encoding"/],
    [{ "x-request-id": "mine" }, /"x-request-id"/],
    [{ "Webhook-Signature": "v1,x" }, /"Webhook-Signature"/],
    [{ "X-Service-Bot-Api-Signature": "sha256=x" }, /"X-Service-Bot-Api-Signature"/],
    [{ traceparent: "00" }, /"traceparent"/],
    [{ "a b": "c" }, /"a b" is no name/],
    [{ "": "c" }, /"" is no name/],
    [{ "X-A": "b\r\nX-Injected: c" }, /value of "X-A"/],
    [{ "X-A": "" }, /value of "X-A"/],
    [{ "X-A": " b" }, /value of "X-A"/],
    [{ "X-A": "é" }, /value of "X-A"/],
    [{ "X-A": "1", "x-a": "2" }, /"x-a" is given twice/],
    [Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, "1"])), /at most 20/],
    [{ "X-A": "b".repeat(8_190) }, /at most 8192 bytes/],
    [{ "X-A": 1 }, /must be/],
    [["X-A"], /must be/],
    [null, /must be/],
  ])("are refused when they are %j", async (wrong, message) => {
    await put({ url: receiver.url, headers });
    expectFailure("putWebhook", await call("PUT", "", { url: receiver.url, headers: wrong }), 400, message);
    expect((await call("GET", "")).body.header_names).toEqual(["Authorization", "X-Tenant"]);
  });

  it("set by many at once are those of one of them, with its secret", async () => {
    for (let round = 0; round < 5; round += 1) {
      const names = ["a", "b", "c", "d"];
      await Promise.all(
        names.map((name) =>
          put({ url: receiver.url, secret_token: name, headers: { "X-Set-By": name }, max_batch: 1 }),
        ),
      );
      const request = await tested();
      expect(request.headers["x-set-by"]).toBe(request.headers["x-service-bot-api-secret-token"]);
    }
  });
});

describe("a rotated secret", () => {
  it("signs at once, and the one before it until the overlap ends", async () => {
    const old = standardSecret(1);
    await put({ url: receiver.url, secret_token: old });
    const earliest = Date.now() + 3_600_000;
    const { secret_token: made, previous_until: until = "" } = await rotate("1h");
    expect(Buffer.from(made.slice("whsec_".length), "base64")).toHaveLength(32);
    expect(Date.parse(until)).toBeGreaterThanOrEqual(earliest);
    expect((await call("GET", "")).body.previous_secret_until).toBe(until);
    const request = await tested();
    // These have room for one, and the receiver may not know the other yet.
    expect(request.headers["x-service-bot-api-secret-token"]).toBe(old);
    expect([made, old, standardSecret(2)].map((secret) => verifies(request, secret))).toEqual([
      true,
      true,
      false,
    ]);

    await put({ url: receiver.url, max_batch: 2 });
    expect(verifies(await tested(), old)).toBe(true);
    const { secret_token: latest } = await rotate("1h");
    expect(verifies(await tested(), old)).toBe(true);
    // A receiver that sets it knows it.
    expect(await put({ url: receiver.url, secret_token: latest })).not.toHaveProperty(
      "previous_secret_until",
    );
    const last = await tested();
    expect(last.headers["x-service-bot-api-secret-token"]).toBe(latest);
    expect([latest, made, old].map((secret) => verifies(last, secret))).toEqual([true, false, false]);
  });

  it("with 0s ends all before it, also those whose overlap has not ended", async () => {
    const old = standardSecret(1);
    await put({ url: receiver.url, secret_token: old });
    const { secret_token: second } = await rotate("1h");
    const { secret_token: third, ...more } = await rotate("0s");
    expect(more).toEqual({});
    const request = await tested();
    expect(request.headers["x-service-bot-api-secret-token"]).toBe(third);
    expect([third, second, old].map((secret) => verifies(request, secret))).toEqual([true, false, false]);
  });

  it("is refused while as many sign as may, and nothing is cut short", async () => {
    const secrets = [standardSecret(1)];
    await put({ url: receiver.url, secret_token: secrets[0] });
    for (let count = 0; count < 4; count += 1) secrets.push((await rotate("1h")).secret_token);
    const refused = await call("POST", "/secret?overlap=1h");
    expectFailure("rotateWebhookSecret", refused, 400, /^4 secrets/);
    expect(refused.headers.get("botyard-error")).toBe("too_many_secrets");
    const request = await tested();
    for (const secret of secrets) expect(verifies(request, secret)).toBe(true);
    expect(await rotate("0s")).not.toHaveProperty("previous_until");
  });

  it("of the form of Standard Webhooks is checked when it is set", async () => {
    const wrong = [
      "whsec_",
      "whsec_!!!",
      `whsec_${Buffer.alloc(23).toString("base64")}`,
      `whsec_${Buffer.alloc(65).toString("base64")}`,
    ];
    for (const secret_token of wrong) {
      const refused = await call("PUT", "", { url: receiver.url, secret_token });
      expectFailure("putWebhook", refused, 400, /^secret_token begins with whsec_/);
    }
    expect((await call("GET", "")).body.url).toBe("");
  });

  it("has no overlap with 0s, and a short one passes", async () => {
    const old = standardSecret(1);
    await put({ url: receiver.url, secret_token: old });
    expect(await rotate("0s")).not.toHaveProperty("previous_until");
    expect(verifies(await tested(), old)).toBe(false);
    const { secret_token: second } = await rotate("0s");
    const { previous_until: until = "" } = await rotate("300ms");
    await sleep(Date.parse(until) - Date.now() + 1);
    expect(verifies(await tested(), second)).toBe(false);
    expect((await call("GET", "")).body).not.toHaveProperty("previous_secret_until");
  });

  it("replaces none, and one that is not of Standard Webhooks, which does not sign beside it", async () => {
    await put({ url: receiver.url });
    const { secret_token: first, ...others } = await rotate();
    expect(others).toEqual({});
    expect(verifies(await tested(), first)).toBe(true);
    await put({ url: receiver.url, secret_token: "s3cret" });
    const { secret_token: second } = await rotate();
    const request = await tested();
    expect(String(request.headers["webhook-signature"]).split(" ")).toHaveLength(1);
    expect(verifies(request, second)).toBe(true);
  });

  it("made by several at once signs beside all of the others", async () => {
    const old = standardSecret(1);
    await put({ url: receiver.url, secret_token: old, headers: { "X-A": "b" } });
    const made = await Promise.all([rotate(), rotate(), rotate()]);
    const request = await tested();
    for (const { secret_token: secret } of made) expect(verifies(request, secret)).toBe(true);
    expect(verifies(request, old)).toBe(true);
    expect(request.headers["x-a"]).toBe("b");
  });

  it("at the same time as another URL belongs to the webhook that is set", async () => {
    await put({ url: receiver.url, secret_token: standardSecret(1) });
    const [, rotated] = await Promise.all([
      put({ url: `${receiver.url}/moved`, max_in_flight: 3 }),
      rotate(),
    ]);
    expect((await call("GET", "")).body).toMatchObject({ url: `${receiver.url}/moved`, max_in_flight: 3 });
    expect(verifies(await tested(), rotated.secret_token)).toBe(true);
  });

  it("is refused without a webhook, with a wrong overlap, and to others", async () => {
    expectFailure("rotateWebhookSecret", await call("POST", "/secret"), 400, /no webhook/);
    await put({ url: receiver.url, secret_token: "s3cret" });
    for (const overlap of ["25h", "2d", "-1h", "soon", "1", ""])
      expectFailure(
        "rotateWebhookSecret",
        await call("POST", `/secret?overlap=${overlap}`),
        400,
        /^overlap must be/,
      );
    const other = await makeWorld(api);
    expect((await call("POST", "/secret", undefined, other.ownerToken)).status).toBe(404);
    expect((await tested()).headers["x-service-bot-api-secret-token"]).toBe("s3cret");
  });

  it("is taken by a handler of the SDK that knows both, before and after the end of the overlap", async () => {
    await put({ url: receiver.url, secret_token: "s3cret" });
    const { secret_token: made } = await rotate("1h");
    const taken = async () => {
      const { headers, body } = await tested();
      const flat = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      return await verifyWebhook({ secret: ["s3cret", made], headers: flat, rawBody: body });
    };
    expect(await taken()).toMatchObject({ event_type: "webhook.test" });
    await put({ url: receiver.url, secret_token: made });
    expect(await taken()).toMatchObject({ event_type: "webhook.test" });
  });
});

describe("the limits of a webhook's requests", () => {
  it("are kept, shown when they are not the default, and brought back", async () => {
    expect(await put({ url: receiver.url })).not.toHaveProperty("max_in_flight");
    const limits = { max_in_flight: 64, max_per_second: 1 };
    expect(await put({ url: receiver.url, ...limits })).toMatchObject(limits);
    expect(await put({ url: "https://elsewhere.example/hook" })).toMatchObject(limits);
    expect((await call("GET", "")).body).toMatchObject(limits);
    const open = await put({ url: receiver.url, max_in_flight: 16, max_per_second: 0 });
    expect(open).not.toHaveProperty("max_in_flight");
    expect(open).not.toHaveProperty("max_per_second");
  });

  it.each([
    ["max_in_flight", [0, 65, 1.5, "2", null]],
    ["max_per_second", [-1, 1001, 0.5, "2", null]],
  ])("are refused when %s is out of range", async (field, wrong) => {
    await put({ url: receiver.url });
    for (const value of wrong) {
      const answer = await call("PUT", "", { url: receiver.url, [field]: value });
      expectFailure("putWebhook", answer, 400, new RegExp(`^${field} must be`));
    }
  });

  it("pause after failing for as long as auto_pause says, five days at first", async () => {
    expect(await put({ url: receiver.url })).not.toHaveProperty("auto_pause");
    expect(await put({ url: receiver.url, auto_pause: "36h" })).toMatchObject({ auto_pause: "36h" });
    expect(await put({ url: receiver.url, auto_pause: "off" })).toMatchObject({ auto_pause: "off" });
    expect(await put({ url: receiver.url, max_batch: 1 })).toMatchObject({ auto_pause: "off" });
    for (const wrong of ["", "soon", "0s", "999ms", "366d", "-1h", 5])
      expectFailure(
        "putWebhook",
        await call("PUT", "", { url: receiver.url, auto_pause: wrong }),
        400,
        /^auto_pause must be/,
      );
    expect(await put({ url: receiver.url, auto_pause: "120h" })).not.toHaveProperty("auto_pause");
    const paused = await call("POST", "/pause");
    expectContract("pauseWebhook", paused);
    expect(paused.body).toMatchObject({ pause_reason: "owner" });
  });

  it("set by two at once, one each, are both kept", async () => {
    await put({ url: receiver.url });
    await Promise.all([
      put({ url: receiver.url, max_in_flight: 5 }),
      put({ url: receiver.url, max_per_second: 7 }),
    ]);
    expect((await call("GET", "")).body).toMatchObject({ max_in_flight: 5, max_per_second: 7 });
  });
});
