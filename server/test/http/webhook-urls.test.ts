import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";
import { MALFORMED_URLS, PRIVATE_URLS, TREACHEROUS_NAMES } from "../support/hostile-urls.js";
import { PUBLIC_ONLY } from "../support/senders.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

describe("webhook URLs", () => {
  it("are returned as they were set", async () => {
    const path = `/v1/bot-api/bots/${world.botId}/webhook`;
    for (const url of ["http://127.0.0.1:9000", "HTTPS://Example.com:443/Path?q=ä"]) {
      const answer = await ask(api, "PUT", path, { token: world.ownerToken, body: { url } });
      expect(answer.body).toMatchObject({ url });
    }
  });

  it("to private addresses are refused unless the service allows them", async () => {
    const strict = await startApi({ reach: PUBLIC_ONLY });
    try {
      const mine = await makeWorld(strict);
      const path = `/v1/bot-api/bots/${mine.botId}/webhook`;
      for (const url of PRIVATE_URLS) {
        const refused = await ask(strict, "PUT", path, { token: mine.ownerToken, body: { url } });
        expectFailure("putWebhook", refused, 400, /^url must have a public address/);
      }
      // Names are checked when connecting.
      for (const name of Object.keys(TREACHEROUS_NAMES)) {
        const answer = await ask(strict, "PUT", path, {
          token: mine.ownerToken,
          body: { url: `http://${name}/` },
        });
        expect(answer.status, name).toBe(200);
      }
      const body = { url: "https://93.184.216.34:8443/hook" };
      expect((await ask(strict, "PUT", path, { token: mine.ownerToken, body })).status).toBe(200);
    } finally {
      await strict.close();
    }
    const path = `/v1/bot-api/bots/${world.botId}/webhook`;
    for (const url of PRIVATE_URLS) {
      const answer = await ask(api, "PUT", path, { token: world.ownerToken, body: { url } });
      expect(answer.status, url).toBe(200);
    }
  });

  it("that are invalid are refused by every service", async () => {
    const path = `/v1/bot-api/bots/${world.botId}/webhook`;
    for (const url of MALFORMED_URLS) {
      const refused = await ask(api, "PUT", path, { token: world.ownerToken, body: { url } });
      expectFailure("putWebhook", refused, 400, /^url must/);
    }
  });

  it("of hosts that are not listed are refused", async () => {
    const listing = await startApi({ reach: { ...PUBLIC_ONLY, hosts: ["hooks.example.com"] } });
    try {
      const { botId, ownerToken: token } = await makeWorld(listing);
      const put = (url: string) =>
        ask(listing, "PUT", `/v1/bot-api/bots/${botId}/webhook`, { token, body: { url } });
      expect((await put("https://hooks.example.com/x")).status).toBe(200);
      expectFailure("putWebhook", await put("https://example.com/x"), 400, /^url must have one of the hosts/);
      expectFailure("putWebhook", await put("http://127.0.0.1/x"), 400, /^url must have one of the hosts/);
    } finally {
      await listing.close();
    }
  });
});
