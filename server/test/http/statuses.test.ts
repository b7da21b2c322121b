import { afterAll, beforeAll, describe, it } from "vitest";
import type { RunningApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure, operations } from "../support/contract.js";
import {
  isForPlatform,
  isOfBotsChannel,
  noIds,
  operationsWith,
  pathOf,
  startApiForAll,
  tokenFor,
  validBodyOf,
} from "../support/every-operation.js";

/** Each operation on what does not exist, or is not the caller's. Failures of a request itself: `credentials.test.ts`. */

let api: RunningApi;
let mine: World;
let others: World;

beforeAll(async () => {
  api = await startApiForAll();
  mine = await makeWorld(api);
  others = await makeWorld(api);
});
afterAll(() => api.close());

/** Invalid ids of many kinds. */
const NO_IDS = [
  "00000000-0000-7000-8000-000000000000",
  "1",
  "' OR '1'='1",
  "x'; DROP TABLE bots; --",
  "../../etc/passwd",
  "%",
  "\u0000",
  "é🙂",
  "a".repeat(3000),
  "__proto__",
  "{id}",
];

/** Without a feed, as here, those of the platform are not found whatever they name: `feed.test.ts`. */
const mayNotFind = operationsWith(404).filter(
  (operation) => !isOfBotsChannel(operation) && !isForPlatform(operation),
);

describe.each(mayNotFind)("$operationId", (operation) => {
  it("gives 404 for what does not exist and for what is another owner's", async () => {
    for (const ids of [
      others,
      ...NO_IDS.map((id) => noIds(encodeURIComponent(id))),
      noIds("%zz"),
      noIds("%E0%A4"),
    ]) {
      const answer = await ask(api, operation.method, pathOf(operation, ids), {
        token: tokenFor(operation, mine),
        body: validBodyOf(operation, mine),
      });
      expectFailure(operation.operationId, answer, 404, /not found|there is no/);
    }
  });
});

describe.each(operations.filter(isOfBotsChannel))("$operationId", (operation) => {
  it("gives 403, never 404, for a channel that is unknown or not attached", async () => {
    for (const channelId of [others.channelId, ...NO_IDS.map(encodeURIComponent), "%zz"]) {
      const answer = await ask(api, operation.method, pathOf(operation, { botId: "", channelId }), {
        token: mine.botToken,
        body: validBodyOf(operation, mine),
      });
      expectFailure(operation.operationId, answer, 403, /not attached/);
    }
  });
});

describe.each(operations.filter(({ path }) => path.includes("{postId}")))("$operationId", (operation) => {
  it("gives 404 for a post that is unknown, or in another channel", async () => {
    const { body: other } = await ask(api, "POST", `/v1/channels/${others.channelId}/posts`, {
      token: others.ownerToken,
      body: { body: "x" },
    });
    for (const postId of [other.id, mine.channelId, ...NO_IDS.map(encodeURIComponent), "%zz"]) {
      const answer = await ask(api, operation.method, pathOf(operation, { ...mine, postId }), {
        token: tokenFor(operation, mine),
        body: validBodyOf(operation, mine),
      });
      expectFailure(operation.operationId, answer, 404, /not found|there is no/);
    }
  });
});
