import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { createMetrics } from "#botyard/metrics/metrics.js";
import { type ApiChanges, type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld } from "../support/api-client.js";

const TOKEN = "a token of the metrics, 1234567890".replaceAll(" ", "-");

let api: RunningApi;
const metrics = createMetrics("0.0.0-test", pino({ level: "silent" }));
const access = { token: TOKEN, scrape: metrics.scrape, contentType: metrics.contentType };
const start = async (changes: ApiChanges = { metrics: access }): Promise<void> => {
  api = await startApi(changes);
};
afterEach(() => api.close());

const get = (token?: string): Promise<Answer> => ask(api, "GET", "/metrics", token ? { token } : {});

describe("/metrics", () => {
  it("is 404 unless it is configured", async () => {
    await start({});
    const answer = await get(TOKEN);
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({ error: "there is no GET at this path: see /docs" });
  });

  it("is in Prometheus's format, with the token", async () => {
    await start();
    const { status, headers, text } = await get(TOKEN);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toContain('botyard_build_info{version="0.0.0-test"} 1\n');
  });

  it("is refused to everybody else, owners and bots included", async () => {
    await start();
    const { ownerToken, botToken } = await makeWorld(api);
    for (const token of [undefined, ownerToken, botToken, TOKEN.slice(1), `${TOKEN}x`, "x"]) {
      const answer = await get(token);
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(Object.keys(answer.body)).toEqual(["error"]);
      expect(answer.text).not.toContain(TOKEN);
    }
  });

  it("limits guesses of its token by address, and affects nobody else", async () => {
    await start({ metrics: access, rateLimit: { burst: 3, perSecond: 0.01 } });
    const statuses: number[] = [];
    for (const token of ["a", "b", undefined, "c"]) statuses.push((await get(token)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    for (let count = 0; count < 5; count++) expect((await get(TOKEN)).status).toBe(200);
    expect(JSON.stringify(api.logLines)).not.toContain(TOKEN);
  });

  it("is no part of the API that the OpenAPI document describes", async () => {
    await start();
    expect((await ask(api, "GET", "/openapi.json")).text).not.toContain("/metrics");
  });
});
