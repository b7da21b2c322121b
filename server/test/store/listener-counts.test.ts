import { afterEach, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { engine, type StoreHome } from "../support/engines.js";
import { attach, makeAttachedBot, makeBot, makeChannel } from "../support/store-fixtures.js";

let home: StoreHome;
afterEach(() => home.remove());

it(`counts on ${engine.name} how many logs hear a channel's posts, and how many are attached`, async () => {
  home = await engine.createHome();
  const store = await home.open();
  const { channelId } = await makeAttachedBot(store);
  const empty = await makeChannel(store);
  const other = await makeBot(store);
  await attach(store, other, channelId);
  const count = async () => Object.fromEntries(await store.countListeners([channelId, empty, newId()]));
  expect(await count()).toEqual({
    [channelId]: { posts: 2, all: 2 },
    [empty]: { posts: 0, all: 0 },
  });

  await store.putSubscription(other, { eventTypes: ["*"], posts: "mentions", ownPosts: true });
  expect(await count()).toMatchObject({ [channelId]: { posts: 1, all: 2 } });
  await store.close();
});
