import { afterEach, expect, it } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";
import { aPost, makeAttachedBot, NOW, OWNER } from "../support/store-fixtures.js";

let home: StoreHome;
afterEach(() => home.remove());

it(`stores a post once on ${engine.name}, and calls all other listeners, when a listener throws`, async () => {
  home = await engine.createHome();
  const errors: unknown[] = [];
  const store = await home.open({ onListenerError: (error) => errors.push(error) });
  const { ref, botId, channelId } = await makeAttachedBot(store);
  const thrown = new Error("a listener fails");
  store.events.on("appended", () => {
    throw thrown;
  });
  const heard: number[] = [];
  store.events.on("appended", (heads) => heard.push(...heads.map(({ lastUpdateId }) => lastUpdateId)));
  store.events.once("laneChanged", () => {
    throw thrown;
  });

  const posts = [1, 2].map((n) => [aPost(channelId, `post ${n}`, { ownerUserId: OWNER })]);
  // At once, so that they share a transaction.
  expect(await Promise.all(posts.map((post) => store.appendPosts(post)))).toEqual([[true], [true]]);
  expect(await store.putWebhook(ref, { url: "https://example.com/", sealedSecret: null }, NOW)).toMatchObject(
    {
      url: "https://example.com/",
    },
  );
  expect((await store.readUpdates(botId, 0, 100)).map(({ updateId }) => updateId)).toEqual([1, 2]);
  expect(heard).toEqual([2]);
  expect(errors).toEqual([thrown, thrown]);
  await store.close();
});
