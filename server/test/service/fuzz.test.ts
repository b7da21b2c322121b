import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, makeWorld } from "../support/api-client.js";
import { engine, type StoreHome } from "../support/engines.js";
import {
  BOT_ID,
  BOT_TOKEN,
  CHANNEL_ID,
  CONSUMER,
  FEED_CURSOR,
  type FuzzedRequest,
  fuzzedRequest,
  INTERACTION_ID,
  OWNER_TOKEN,
  PLATFORM_TOKEN,
  POST_ID,
} from "../support/fuzz/requests.js";
import { faultOf, send } from "../support/fuzz/send.js";
import { type ServiceProcess, startServiceProcess } from "../support/program.js";
import { residentBytes } from "../support/resident-memory.js";

/** Bounded by count; `npm run fuzz` does more of the same. */
const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 750);
const SEED = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
/** Requests that share a bot and a channel, which some of them delete or disable, and are under way at once. */
const BATCH = 25;
const PROGRESS_EVERY_MS = 5_000;
/** A limit against hanging, not a measurement: a request takes a millisecond or two. */
const PATIENCE_MS = 120_000 + REQUESTS * 100;
/** Allowed growth of memory between the first and the last third of requests: caches and heap. */
const MAX_GROWTH_BYTES = 128 * 1024 * 1024;

const TOKEN = "the-token-of-the-platform-0123456789";

let home: StoreHome;
let service: ServiceProcess;
let secret = "";
beforeAll(async () => {
  home = await engine.createHome();
  service = await startServiceProcess(home.dataDir, {
    ...home.environment,
    PLATFORM_TOKEN: TOKEN,
    PLATFORM_FEED: "true",
    RATE_LIMIT_BURST: "1000000",
    RATE_LIMIT_PER_SECOND: "1000000",
    LOG_LEVEL: "error",
  });
  secret = readFileSync(join(home.dataDir, "owner-jwt.secret"), "utf8").trim();
});
afterAll(async () => {
  await service.stop();
  await home.remove();
});

function ownerToken(userId: string): Promise<string> {
  const token = new SignJWT()
    .setProtectedHeader({ alg: "HS256" })
    .setSubject(userId)
    .setExpirationTime("12h");
  return token.sign(Buffer.from(secret));
}

it("answers every request by the OpenAPI document, and stays healthy", {
  timeout: PATIENCE_MS,
}, async () => {
  const runs = Math.ceil(REQUESTS / BATCH);
  const port = Number(new URL(service.url).port);
  let done = 0;
  let saidAt = Date.now();
  let early: number | undefined;
  const statuses = new Map<number, number>();

  const property = fc.asyncProperty(
    fc.array(fuzzedRequest, { minLength: BATCH, maxLength: BATCH }),
    async (requests) => {
      const world = await makeWorld({ url: service.url, ownerToken });
      const { body: post } = await ask(service, "POST", `/v1/bot-api/channels/${world.channelId}/posts`, {
        token: world.botToken,
        body: { body: "a post", components: [[{ type: "button", id: "yes", label: "Yes" }]] },
      });
      const { body: interaction } = await ask(
        service,
        "POST",
        `/v1/channels/${world.channelId}/interactions`,
        {
          token: world.ownerToken,
          body: {
            kind: "component",
            user: { id: "u", username: "u" },
            component: { id: "yes" },
            post: { id: post.id },
          },
        },
      );
      const { body: feed } = await ask(service, "GET", "/v1/platform/feed?consumer=main&limit=1", {
        token: TOKEN,
      });
      const fill = (text: string): string =>
        text
          .replaceAll(OWNER_TOKEN, world.ownerToken)
          .replaceAll(BOT_TOKEN, world.botToken)
          .replaceAll(PLATFORM_TOKEN, TOKEN)
          .replaceAll(FEED_CURSOR, feed.cursor)
          .replaceAll(BOT_ID, world.botId)
          .replaceAll(CHANNEL_ID, world.channelId)
          .replaceAll(CONSUMER, "main")
          .replaceAll(POST_ID, post.id)
          .replaceAll(INTERACTION_ID, interaction.id);
      const answers = await Promise.all(requests.map((request) => send(port, request, fill)));
      for (const [index, answer] of answers.entries()) {
        const request = requests[index];
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const fault = request && faultOf(request, answer);
        if (fault) throw new Error(`${fault} to ${shown(request)}\n${service.stdout()}`);
      }
      done += requests.length;
      if (done >= REQUESTS / 3) early ??= residentBytes(service);
      if (Date.now() - saidAt > PROGRESS_EVERY_MS) {
        saidAt = Date.now();
        console.error(
          `fuzzed ${done} of ${REQUESTS} requests, ${mebibytes(residentBytes(service))} resident`,
        );
      }
    },
  );

  console.error(`fuzzing with seed ${SEED} on ${engine.name}`);
  const { failed, errorInstance, counterexamplePath } = await fc.check(property, {
    numRuns: runs,
    seed: SEED,
    endOnFailure: true,
  });
  if (failed) {
    const why = errorInstance instanceof Error ? errorInstance.message : "interrupted";
    throw new Error(`seed ${SEED}, batch ${counterexamplePath}: ${why}`, { cause: errorInstance });
  }

  expect(service.child.exitCode).toBeNull();
  expect((await ask(service, "GET", "/readyz")).status).toBe(200);
  expect(service.stdout()).toBe("");
  // Valid, invalid, unauthorised and unknown requests: the fuzzing must produce each kind.
  for (const status of [200, 201, 400, 401, 404])
    expect(statuses.get(status), `status ${status}`).toBeGreaterThan(0);
  const late = residentBytes(service);
  if (early !== undefined && late !== undefined) expect(late - early).toBeLessThan(MAX_GROWTH_BYTES);
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  console.error(
    `answers by status: ${counts.join(", ")}; ${mebibytes(early)} resident early, ${mebibytes(late)} at the end`,
  );
});

/** A request in a line that can be read. */
function shown(request: FuzzedRequest): string {
  const { method, target, headers, body, framing } = request;
  return JSON.stringify(
    { method, target, headers, framing, body: body.toString("latin1") },
    (_, value: unknown) =>
      typeof value === "string" && value.length > 300 ? `${value.slice(0, 300)}… (${value.length})` : value,
  );
}

function mebibytes(bytes: number | undefined): string {
  return bytes === undefined ? "?" : `${Math.round(bytes / 1024 / 1024)} MiB`;
}
