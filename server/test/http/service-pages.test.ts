import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "#botyard/process/version.js";
import { type RunningApi, startApi } from "../support/api.js";
import { ask } from "../support/api-client.js";
import { contract, contractText, operations } from "../support/contract.js";

let api: RunningApi;
let ready = true;

beforeAll(async () => {
  api = await startApi({ isReady: () => ready });
});
afterAll(() => api.close());

describe("health", () => {
  it("is public, also by HEAD", async () => {
    expect((await ask(api, "GET", "/livez")).body).toEqual({ status: "ok" });
    for (const path of ["/readyz", "/healthz"])
      expect((await ask(api, "GET", path)).body).toEqual({ status: "ready" });
    expect((await ask(api, "HEAD", "/readyz")).status).toBe(200);
  });

  it("is not ready while the service drains, but still alive", async () => {
    ready = false;
    for (const path of ["/readyz", "/healthz"]) {
      const answer = await ask(api, "GET", path);
      expect(answer.status).toBe(503);
      expect(answer.body).toEqual({ error: "the service is stopping" });
    }
    expect((await ask(api, "GET", "/livez")).status).toBe(200);
    ready = true;
  });
});

describe("the OpenAPI document", () => {
  it("is the committed one: after a change of the routes run npm run openapi", async () => {
    const { text } = await ask(api, "GET", "/openapi.json");
    expect(text).toBe(
      contractText.replace(`"x-service-version": "${VERSION}"`, '"x-service-version": "0.0.0-test"'),
    );
  });

  it("is of OpenAPI 3.1 and version v1, and every path begins with its version", () => {
    expect(contract).toMatchObject({ openapi: "3.1.0", info: { version: "v1" } });
    for (const { path } of operations) expect(path).toMatch(/^\/v1\//);
  });

  it("has the operations of the specification with exactly their statuses, and 503", () => {
    const specified = operations.filter((operation) => !operation["x-botyard-extension"]);
    expect(
      specified
        .map(
          ({ method, path, tags, responses }) =>
            `${tags.join()} ${method} ${path} ${Object.keys(responses).join()}`,
        )
        .sort(),
    ).toEqual(
      [
        // 400 for the parameters of a page, which the specification does not have.
        "owner GET /v1/bot-api/bots 200,400,401,429,503",
        "owner POST /v1/bot-api/bots 201,400,401,429,503",
        "owner GET /v1/bot-api/bots/{id} 200,401,404,429,503",
        "owner GET /v1/bot-api/bots/{id}/channels 200,401,404,429,503",
        "owner POST /v1/bot-api/bots/{id}/channels/{channelId} 200,400,401,404,429,503",
        "owner GET /v1/bot-api/bots/{id}/stats 200,401,404,429,503",
        "owner POST /v1/bot-api/bots/{id}/token 200,401,404,429,503",
        "owner GET /v1/bot-api/bots/{id}/updates 200,400,401,404,429,503",
        "owner GET /v1/bot-api/bots/{id}/webhook 200,401,404,429,503",
        "owner PUT /v1/bot-api/bots/{id}/webhook 200,400,401,404,429,503",
        "owner DELETE /v1/bot-api/bots/{id}/webhook 200,401,404,429,503",
        "owner GET /v1/bot-api/bots/{id}/webhook/errors 200,400,401,404,429,503",
        "owner POST /v1/bot-api/bots/{id}/webhook/replay 200,400,401,404,429,503",
        "bot-runtime GET /v1/bot-api/me 200,401,429,503",
        "bot-runtime GET /v1/bot-api/channels 200,401,429,503",
        "bot-runtime POST /v1/bot-api/channels/{id}/posts 201,400,401,403,429,503",
        "bot-runtime GET /v1/bot-api/updates 200,400,401,429,503",
      ].sort(),
    );
  });

  it("gives every operation a unique id and its credentials, and describes extensions as such", () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { tags, security, description, "x-botyard-extension": isExtension } of operations) {
      const owner = [{ ownerToken: [] }, { platformToken: [], platformOwner: [] }];
      const credentials: Record<string, unknown[]> = {
        owner: [owner],
        platform: [owner, [{ platformToken: [] }]],
        "bot-runtime": [[{ botToken: [] }]],
      };
      expect(credentials[tags[0] ?? ""]).toContainEqual(security);
      expect(description?.includes("extension of Botyard") ?? false).toBe(isExtension ?? false);
    }
  });

  it("requires no query parameter", () => {
    const required = operations.flatMap(({ parameters = [] }) =>
      parameters.filter((parameter) => parameter.in === "query" && parameter.required),
    );
    expect(required).toEqual([]);
  });

  it("names the components as the specification does", () => {
    const names =
      "Bot BotToken BotWithToken BotIdentity BotChannel AttachChannelResult BotPost BotUpdate OwnerUpdate WebhookConfig " +
      "WebhookError BotStats ReplayResult DeleteStatus Error CreateBotRequest PutWebhookRequest CreateChannelPostRequest";
    expect(Object.keys(contract.components.schemas)).toEqual(expect.arrayContaining(names.split(" ")));
  });
});

describe("the docs page", () => {
  it("loads only from its own origin, and everything it loads exists", async () => {
    const page = await ask(api, "GET", "/docs");
    expect(page.status).toBe(200);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(page.text).not.toMatch(/https?:\/\//);

    const sources = [...page.text.matchAll(/<script src="([^"]+)">/g)].map(([, source = ""]) => source);
    expect(sources).toHaveLength(2);
    for (const source of sources) {
      const script = await ask(api, "GET", source);
      expect(script.status).toBe(200);
      expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
      expect(script.text).toContain("createApiReference");
    }
    expect(page.text).not.toMatch(/<script>/);
  });
});
