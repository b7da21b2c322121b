import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

describe("webhook URLs", () => {
  it("are given back as they were set", async () => {
    const path = `/v1/bot-api/bots/${world.botId}/webhook`;
    for (const url of ["http://127.0.0.1:9000", "HTTPS://Example.com:443/Path?q=ä"]) {
      const answer = await ask(api, "PUT", path, { token: world.ownerToken, body: { url } });
      expect(answer.body).toMatchObject({ url });
    }
  });

  const PRIVATE = [
    "http://localhost/",
    "http://LOCALHOST:8080/",
    "http://a.localhost/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://0x7f.0.0.1/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fe80::1]/",
    "http://[fd00::1]/",
  ];

  it("that lead inside are refused unless the service allows them", async () => {
    const strict = await startApi({ allowPrivateWebhooks: false });
    try {
      const mine = await makeWorld(strict);
      const path = `/v1/bot-api/bots/${mine.botId}/webhook`;
      for (const url of PRIVATE) {
        const refused = await ask(strict, "PUT", path, { token: mine.ownerToken, body: { url } });
        expectFailure("putWebhook", refused, 400, /^url must have a public address/);
      }
      const body = { url: "https://93.184.216.34:8443/hook" };
      expect((await ask(strict, "PUT", path, { token: mine.ownerToken, body })).status).toBe(200);
    } finally {
      await strict.close();
    }
    const path = `/v1/bot-api/bots/${world.botId}/webhook`;
    for (const url of PRIVATE) {
      const answer = await ask(api, "PUT", path, { token: world.ownerToken, body: { url } });
      expect(answer.status, url).toBe(200);
    }
  });
});
