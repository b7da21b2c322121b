import { afterEach, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;
afterEach(() => api.close());
const start = async (maxPostCharacters?: number): Promise<void> => {
  api = await startApi(maxPostCharacters === undefined ? {} : { maxPostCharacters });
  world = await makeWorld(api);
};

const as = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  ask(api, method, path, { token, ...(body === undefined ? {} : { body }) });
const asBot = (method: string, path: string, body?: unknown) =>
  as(world.botToken, method, `/v1/bot-api${path}`, body);
const asOwner = (method: string, path: string, body?: unknown) =>
  as(world.ownerToken, method, `/v1/channels/${world.channelId}${path}`, body);
const posts = () => `/channels/${world.channelId}/posts`;

/** Every way to give a text, by operation. */
async function everyWay(): Promise<Record<string, (body: string) => Promise<Answer>>> {
  const components = [[{ type: "button", id: "go", label: "Go" }]];
  const { body: post } = await asBot("POST", posts(), { body: "Go?", components });
  const pressed = await asOwner("POST", "/interactions", {
    kind: "component",
    component: { id: "go" },
    post: { id: post.id },
    user: { id: "zoe", username: "Zoe" },
  });
  const responses = `/interactions/${pressed.body.id}/responses`;
  return {
    createBotPost: (body) => asBot("POST", posts(), { body }),
    createChannelPost: (body) => asOwner("POST", "/posts", { body }),
    editBotPost: (body) => asBot("PATCH", `${posts()}/${post.id}`, { body }),
    editChannelPost: (body) => asOwner("PATCH", `/posts/${post.id}`, { body }),
    respondToInteraction: (body) => asBot("POST", responses, { type: "post", body }),
  };
}

const batchOf = (...bodies: string[]) =>
  as(world.ownerToken, "POST", "/v1/posts/batch", {
    posts: bodies.map((body) => ({ channel_id: world.channelId, body })),
  });

describe("the text of a post", () => {
  it.each([[undefined, 4_096] as const, [10_000, 10_000] as const])(
    "may have as many characters as are configured (%s), however it is given",
    async (configured, most) => {
      await start(configured);
      const refused = `body must be text of at most ${most} characters`;
      for (const [operationId, give] of Object.entries(await everyWay())) {
        const [right, ...wrong] = [
          await give("é".repeat(most)),
          await give("é".repeat(most + 1)),
          await give("x".repeat(40_000)),
        ];
        expect(right?.status, `${operationId} ${right?.text}`).toBeLessThan(300);
        for (const answer of wrong) {
          expectFailure(operationId, answer, 400, refused);
          expect(answer.headers.get("botyard-error")).toBe("invalid_input");
        }
      }
      const { items } = (await batchOf("🙂".repeat(most), "🙂".repeat(most + 1), "x".repeat(40_000))).body;
      expect(items).toMatchObject([
        { status: 201 },
        { status: 400, error: refused },
        { status: 400, error: refused },
      ]);
    },
  );

  it("is described alike, whatever is configured", async () => {
    await start();
    const plain = (await ask(api, "GET", "/openapi.json")).body;
    await api.close();
    await start(10_000);
    expect((await ask(api, "GET", "/openapi.json")).body).toEqual(plain);
    expect(plain.components.schemas.CreateChannelPostRequest.properties.body).toMatchObject({
      maxLength: 32_768,
      description: expect.stringContaining("MAX_POST_CHARACTERS"),
    });
    expectFailure("createBotPost", await asBot("POST", posts(), { body: 7 }), 400, /^body must be text$/);
    const unclean = await asBot("POST", posts(), { body: "\0" });
    expectFailure("createBotPost", unclean, 400, "body must not contain NUL characters");
  });

  it("has to fit into a request: 32,768 characters of four bytes are too many bytes, but not in a batch", async () => {
    await start(32_768);
    const longest = "🙂".repeat(32_768);
    const refused = await asBot("POST", posts(), { body: longest });
    expectFailure("createBotPost", refused, 400, "the body must be at most 64 KiB");
    expect(refused.headers.get("botyard-error")).toBe("body_too_large");
    expect((await asBot("POST", posts(), { body: "x".repeat(32_768) })).status).toBe(201);
    const { items } = (await batchOf(longest, longest, "x".repeat(32_769))).body;
    expect(items).toMatchObject([
      { status: 201, post: { body: longest } },
      { status: 201 },
      { status: 400, error: "body must be text of at most 32768 characters" },
    ]);
    const polled = await asBot("GET", "/updates");
    expect(polled.body.items[0].payload.body).toHaveLength(32_768);
    // One of them fills more than half of a page.
    const [newer] = (await asOwner("GET", "/posts")).body.items;
    expect(newer.body).toBe(longest);
    const [older] = (await asOwner("GET", `/posts?before=${newer.id}`)).body.items;
    expect(older).toMatchObject({ id: items[0].post.id, body: longest });
  });
});
