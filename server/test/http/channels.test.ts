import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApi, startApi } from "../support/api.js";
import { ask, makeWorld, type World } from "../support/api-client.js";
import { expectContract, expectFailure } from "../support/contract.js";
import { engine } from "../support/engines.js";

let api: RunningApi;
let world: World;

beforeAll(async () => {
  api = await startApi();
  world = await makeWorld(api);
});
afterAll(() => api.close());

describe("channels", () => {
  it("are created, read and edited by their holder", async () => {
    const token = world.ownerToken;
    const created = await ask(api, "POST", "/v1/channels", {
      token,
      body: { slug: "my-channel-1", title: "My channel", description: "about" },
    });
    expect(created.status).toBe(201);
    expectContract("createChannel", created);
    expect(created.body).toMatchObject({
      owner_user_id: world.owner,
      slug: "my-channel-1",
      description: "about",
    });

    const path = `/v1/channels/${created.body.id}`;
    const read = await ask(api, "GET", path, { token });
    expectContract("getChannel", read);
    expect(read.body).toEqual(created.body);

    const edit = (body: object) => ask(api, "PATCH", path, { token, body });
    expectFailure("editChannel", await edit({}), 400, /nothing to change/);
    expectFailure("editChannel", await edit({ title: "x", slug: "x" }), 400, /^slug cannot be changed/);
    expectFailure("editChannel", await edit({ external_id: "x" }), 400, /^external_id cannot be changed/);
    expect((await ask(api, "GET", path, { token })).body).toEqual(created.body);
    const edited = await ask(api, "PATCH", path, { token, body: { title: "Renamed" } });
    expect(edited.body).toEqual({ ...created.body, title: "Renamed" });
  });

  it("have a unique slug", async () => {
    const body = { slug: "taken-once", title: "x" };
    expect((await ask(api, "POST", "/v1/channels", { token: world.ownerToken, body })).status).toBe(201);
    // A slug is one cell's.
    const token = engine.name === "cells" ? world.ownerToken : await api.ownerToken("somebody else");
    expectFailure(
      "createChannel",
      await ask(api, "POST", "/v1/channels", { token, body }),
      400,
      /slug .* taken/,
    );
  });

  it("are listed oldest first, a page at a time", async () => {
    const token = await api.ownerToken("holder of three");
    for (const slug of ["page-a", "page-b", "page-c"]) {
      await ask(api, "POST", "/v1/channels", { token, body: { slug, title: slug } });
    }
    const slugs = (items: { slug: string }[]) => items.map(({ slug }) => slug);
    const first = await ask(api, "GET", "/v1/channels?limit=2", { token });
    expectContract("listChannels", first);
    expect(slugs(first.body.items)).toEqual(["page-a", "page-b"]);
    const rest = await ask(api, "GET", `/v1/channels?limit=2&after=${first.body.items[1].id}`, { token });
    expect(slugs(rest.body.items)).toEqual(["page-c"]);

    for (const after of ["nonsense", ""]) {
      const answer = await ask(api, "GET", `/v1/channels?after=${after}`, { token });
      expectFailure("listChannels", answer, 400, /after must be/);
    }
  });
});

describe("posts of an owner", () => {
  it("carry the token's preferred_username, else its sub, and reach every attached bot", async () => {
    const mine = await makeWorld(api);
    const path = `/v1/channels/${mine.channelId}/posts`;
    const named = await api.ownerToken(mine.owner, { preferred_username: "Ann" });
    const media = [{ kind: "image", url: "https://example.com/a.png" }];
    const first = await ask(api, "POST", path, { token: named, body: { body: "with a name", media } });
    expect(first.status).toBe(201);
    expectContract("createChannelPost", first);
    expect(first.body).toMatchObject({ author_username: "Ann", media });
    const second = await ask(api, "POST", path, {
      token: mine.ownerToken,
      body: { body: "without", media: [] },
    });
    expect(second.body).toMatchObject({ author_username: mine.owner });
    expect(second.body).not.toHaveProperty("media");

    const { body } = await ask(api, "GET", "/v1/bot-api/updates", { token: mine.botToken });
    expect(body.items.map((update: { payload: object }) => update.payload)).toEqual([
      {
        body: "with a name",
        channel_id: mine.channelId,
        post_id: first.body.id,
        author_username: "Ann",
        author: { type: "owner", id: mine.owner, username: "Ann" },
        media,
      },
      {
        body: "without",
        channel_id: mine.channelId,
        post_id: second.body.id,
        author_username: mine.owner,
        author: { type: "owner", id: mine.owner, username: mine.owner },
      },
    ]);
  });

  it("are listed newest first, a page at a time, unchanged", async () => {
    const { ownerToken: token, channelId, owner } = await makeWorld(api);
    const path = `/v1/channels/${channelId}/posts`;
    const made = [];
    for (const body of ["a", "b", "c"])
      made.unshift((await ask(api, "POST", path, { token, body: { body } })).body);
    const page = await ask(api, "GET", `${path}?limit=2`, { token });
    expectContract("listChannelPosts", page);
    expect(page.body.items).toEqual(made.slice(0, 2));
    const rest = await ask(api, "GET", `${path}?before=${made[1].id}`, { token });
    expect(rest.body.items).toEqual(made.slice(2));
    expect(made[2].author_username).toBe(owner);
    for (const before of [world.channelId, "nonsense"]) {
      const answer = await ask(api, "GET", `${path}?before=${before}`, { token });
      expectFailure("listChannelPosts", answer, 400, /before must be/);
    }
  });

  it("are accepted only in channels of their author", async () => {
    const { channelId } = await makeWorld(api);
    const path = `/v1/channels/${channelId}/posts`;
    const answer = await ask(api, "POST", path, { token: world.ownerToken, body: { body: "x" } });
    expectFailure("createChannelPost", answer, 404, /channel not found/);
  });
});
