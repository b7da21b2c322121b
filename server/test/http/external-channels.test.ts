import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { type Answer, ask, makeWorld, type World } from "../support/api-client.js";
import { expectFailure } from "../support/contract.js";

let api: RunningApi;
let world: World;
beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

const own = (method: string, path: string, body?: unknown, token = world.ownerToken): Promise<Answer> =>
  ask(api, method, path, { token, ...(body === undefined ? {} : { body }) });
const put = (externalId: string, body: unknown, token?: string): Promise<Answer> =>
  own("PUT", `/v1/channels/external/${encodeURIComponent(externalId)}`, body, token);
const get = (externalId: string): Promise<Answer> =>
  own("GET", `/v1/channels/external/${encodeURIComponent(externalId)}`);

describe("a channel with an external id", () => {
  it("is made by the first call and changed by those after it", async () => {
    const made = await put("room/1 ü", { title: "Room 1", metadata: { plan: "free" } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      external_id: "room/1 ü",
      title: "Room 1",
      description: "",
      metadata: { plan: "free" },
      slug: `c-${made.body.id}`,
    });
    const changed = await put("room/1 ü", { title: "Room one", description: "The first" });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...made.body, title: "Room one", description: "The first" },
    ]);
    expect((await get("room/1 ü")).body).toEqual(changed.body);
    const listed = await own("GET", `/v1/channels?external_id=${encodeURIComponent("room/1 ü")}`);
    expect(listed.body).toEqual({ items: [changed.body] });
    expect((await own("GET", "/v1/channels?external_id=none")).body).toEqual({ items: [] });
  });

  it("is one, however many make it at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => put("twins", { title: `Title ${index}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it("is one with its slug, too, however many make it at once", async () => {
    for (let round = 0; round < 10; round++) {
      const name = `slugged-${round}`;
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => put(name, { title: "Twins", slug: name })),
      );
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses, answers.map(({ text }) => text).join()).toEqual([200, 200, 200, 200, 200, 201]);
      expect(new Set(answers.map(({ body }) => body.slug))).toEqual(new Set([name]));
    }
  });

  it("is another owner's business only for that owner", async () => {
    await put("mine", { title: "Mine" });
    const token = await api.ownerToken("stranger");
    expect((await put("mine", { title: "Theirs" }, token)).status).toBe(201);
    expect((await get("mine")).body.title).toBe("Mine");
    expect((await get("nobody's")).status).toBe(404);
  });

  it.each(["caf%E9", "50%", "%zz", "%ed%a0%80"])(
    "is not named by %s, which is not percent-encoded UTF-8",
    async (path) => {
      await put(path, { title: "Its text is an external id like any other" });
      const url = `/v1/channels/external/${path}?x=%zz`;
      const message = "the external id in the path must be percent-encoded UTF-8: use encodeURIComponent";
      expectFailure("putExternalChannel", await own("PUT", url, { title: "Other" }), 400, message);
      expectFailure("getExternalChannel", await own("GET", url), 404, "channel");
      expect((await get(path)).body.title).toBe("Its text is an external id like any other");
    },
  );

  it("keeps its slug", async () => {
    expect((await put("slugged", { title: "A", slug: "slugged-room" })).body.slug).toBe("slugged-room");
    expect((await put("slugged", { title: "B", slug: "slugged-room" })).status).toBe(200);
    const other = await put("slugged", { title: "B", slug: "another-room" });
    expect([other.status, other.body.error]).toEqual([400, expect.stringContaining("slugged-room")]);
    const taken = await put("unslugged", { title: "C", slug: "slugged-room" });
    expect([taken.status, taken.body.error]).toEqual([400, expect.stringContaining("taken")]);
    expect((await get("unslugged")).status).toBe(404);
    const again = await own("POST", "/v1/channels", { slug: "x", title: "X", external_id: "slugged" });
    expect([again.status, again.body.error]).toEqual([400, expect.stringContaining("external_id")]);
  });

  it("is refused with what is too long or not clean", async () => {
    expect((await put("x".repeat(256), { title: "A" })).status).toBe(400);
    expect((await put("a\0b", { title: "A" })).status).toBe(400);
    expect((await put("x".repeat(255), { title: "A" })).status).toBe(201);
    for (const externalId of [".", ".."]) {
      const made = await own("POST", "/v1/channels", { slug: "dots", title: "x", external_id: externalId });
      expect([made.status, made.body.error]).toEqual([400, expect.stringContaining("external_id")]);
    }
    expect((await put("...", { title: "A" })).status).toBe(201);
    expect((await put("untitled", {})).body.error).toContain("title");
  });
});

describe("metadata", () => {
  const bot = (): string => `/v1/bot-api/bots/${world.botId}`;

  it("are given back as they were given, until an empty object removes them", async () => {
    const metadata = { nested: { list: [1, "two", null, true] }, ключ: "значение" };
    for (const path of [bot(), `/v1/channels/${world.channelId}`]) {
      expect((await own("PATCH", path, { metadata })).body.metadata).toEqual(metadata);
      expect((await own("GET", path)).body.metadata).toEqual(metadata);
      expect((await own("PATCH", path, { description: "Other" })).body.metadata).toEqual(metadata);
      expect((await own("PATCH", path, { metadata: {} })).body).not.toHaveProperty("metadata");
    }
    const { body } = await own("POST", "/v1/bot-api/bots", { username: "with_metadata", metadata });
    expect(body.bot.metadata).toEqual(metadata);
  });

  it("are no business of bots", async () => {
    await own("PATCH", `/v1/channels/${world.channelId}`, { metadata: { secret: "of the owner" } });
    await own("PATCH", bot(), { metadata: { secret: "of the owner" } });
    for (const path of ["/v1/bot-api/me", "/v1/bot-api/me/channels"]) {
      expect((await own("GET", path, undefined, world.botToken)).text).not.toContain("of the owner");
    }
  });

  it("are refused when they are too large, too deep or no object", async () => {
    let deep: object = {};
    for (let depth = 0; depth < 70; depth++) deep = { deep };
    const bad = [{ text: "x".repeat(4090) }, deep, [], "text", null];
    for (const metadata of bad) {
      for (const path of [bot(), `/v1/channels/${world.channelId}`]) {
        const { status, body } = await own("PATCH", path, { metadata });
        expect([status, body.error]).toEqual([400, expect.stringContaining("metadata")]);
      }
    }
    for (const content of ['"__proto__":{"a":1}', '"price":1e400']) {
      const rawBody = `{"metadata":{${content}}}`;
      expect((await ask(api, "PATCH", bot(), { token: world.ownerToken, rawBody })).status).toBe(400);
    }
    expect((await own("PATCH", bot(), { metadata: { text: "x".repeat(4085) } })).status).toBe(200);
  });
});

describe("lists of bots", () => {
  it("come page by page if wished, and only those with a text", async () => {
    const token = await api.ownerToken("pager");
    const ids: string[] = [];
    for (const username of ["pager_one", "pager_two", "other_one"]) {
      ids.push((await own("POST", "/v1/bot-api/bots", { username }, token)).body.bot.id);
    }
    for (const path of ["/v1/bot-api/bots", "/v1/bot-api/overview"]) {
      const idsOf = async (query: string) =>
        (await own("GET", path + query, undefined, token)).body.items.map(
          (item: { id?: string; bot?: { id: string } }) => item.id ?? item.bot?.id,
        );
      expect(await idsOf("")).toEqual(ids);
      expect(await idsOf("?limit=2")).toEqual(ids.slice(0, 2));
      expect(await idsOf(`?limit=2&after=${ids[1]}`)).toEqual(ids.slice(2));
      expect(await idsOf("?search=ONE")).toEqual([ids[0], ids[2]]);
      for (const query of ["?after=x", "?limit=0", "?limit=101", "?search="]) {
        expect((await own("GET", path + query, undefined, token)).status, query).toBe(400);
      }
    }
  });
});

describe("the bots of a channel", () => {
  it("are set all at once", async () => {
    const token = await api.ownerToken("setter");
    const { body: channel } = await put("bots", { title: "Bots" }, token);
    const path = `/v1/channels/${channel.id}/bots`;
    const ids: string[] = [];
    for (const username of ["set_one", "set_two", "set_three"]) {
      ids.push((await own("POST", "/v1/bot-api/bots", { username }, token)).body.bot.id);
    }
    const [one, two, three] = ids;
    const set = (botIds: unknown) => own("PUT", path, { bot_ids: botIds }, token);
    expect((await set([one, two])).body).toEqual({ attached: [one, two], detached: [], role_changed: [] });
    expect((await set([two, three])).body).toEqual({ attached: [three], detached: [one], role_changed: [] });
    expect((await set([two, three])).body).toEqual({ attached: [], detached: [], role_changed: [] });
    const { body } = await own("GET", path, undefined, token);
    expect(body.items).toMatchObject([
      { bot: { id: two }, role: "moderator" },
      { bot: { id: three }, role: "moderator" },
    ]);
    expect((await own("GET", `${path}?limit=1&after=${two}`, undefined, token)).body.items).toHaveLength(1);
    const foreign = await set([one, world.botId]);
    expect([foreign.status, foreign.body.error]).toEqual([400, expect.stringContaining(world.botId)]);
    expect((await own("GET", path, undefined, token)).body).toEqual(body);
    expect((await set([one, one])).status).toBe(400);
    expect((await own("PUT", path, { bot_ids: [] })).status).toBe(404);
    expect((await own("GET", path)).status).toBe(404);
  });

  it("are those of one call when several are made at once", async () => {
    const token = await api.ownerToken("racing-setter");
    const { body: channel } = await put("raced", { title: "Raced" }, token);
    const path = `/v1/channels/${channel.id}/bots`;
    const ids: string[] = [];
    for (const username of ["raced_a", "raced_b", "raced_c", "raced_d"]) {
      ids.push((await own("POST", "/v1/bot-api/bots", { username }, token)).body.bot.id);
    }
    const sets = [ids.slice(0, 2), ids.slice(2)];
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 8 }, (_, n) => own("PUT", path, { bot_ids: sets[n % 2] }, token));
      expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
      const { body } = await own("GET", path, undefined, token);
      expect(sets).toContainEqual(body.items.map(({ bot }: { bot: { id: string } }) => bot.id));
    }
    expect((await own("PUT", path, { bot_ids: ["x"] }, token)).body.error).toBe('"x" is no id of a bot');
  });

  it("are set with their roles", async () => {
    const token = await api.ownerToken("role-setter");
    const { body: channel } = await put("roles", { title: "Roles" }, token);
    const path = `/v1/channels/${channel.id}/bots`;
    const ids: string[] = [];
    for (const username of ["role_one", "role_two"]) {
      ids.push((await own("POST", "/v1/bot-api/bots", { username }, token)).body.bot.id);
    }
    const [one, two] = ids;
    const set = (body: unknown) => own("PUT", path, body, token);
    const roles = async () =>
      (await own("GET", path, undefined, token)).body.items.map(({ role }: { role: string }) => role);
    const first = await set({ bots: [{ id: one }, { id: two, role: "reader" }] });
    expect(first.body).toEqual({ attached: [one, two], detached: [], role_changed: [] });
    expect(await roles()).toEqual(["moderator", "reader"]);
    // Without a role each keeps its own.
    expect((await set({ bot_ids: ids })).body.role_changed).toEqual([]);
    expect((await set({ bots: [{ id: one }, { id: two }] })).body.role_changed).toEqual([]);
    expect(await roles()).toEqual(["moderator", "reader"]);
    const changed = await set({
      bots: [
        { id: one, role: "reader" },
        { id: two, role: "reader" },
      ],
    });
    expect(changed.body).toEqual({ attached: [], detached: [], role_changed: [one] });
    expect(await roles()).toEqual(["reader", "reader"]);
    for (const wrong of [
      {},
      { bot_ids: [], bots: [] },
      { bots: [{ id: one }, { id: one, role: "reader" }] },
      { bots: [{ id: one, role: "owner" }] },
      { bots: [one] },
      { bots: [{}] },
    ]) {
      expect((await set(wrong)).status, JSON.stringify(wrong)).toBe(400);
    }
    expect(await roles()).toEqual(["reader", "reader"]);
  });
});
