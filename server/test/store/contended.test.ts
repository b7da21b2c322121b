import { afterAll, beforeAll, expect, it } from "vitest";
import { editChannel } from "#botyard/operations/channels/edit-channel.js";
import { putDirectChannel } from "#botyard/operations/channels/put-direct-channel.js";
import { putExternalChannel } from "#botyard/operations/channels/put-external-channel.js";
import { Contended, type Store } from "#botyard/store/store.js";
import { openChannelWorld } from "../support/channel-world.js";
import { makeBot, OWNER } from "../support/store-fixtures.js";

const MANY = { most: 10, setBy: "service" } as const;

let opened: Awaited<ReturnType<typeof openChannelWorld>>;
/** A store in which another call always comes between. */
let contended: Store;

beforeAll(async () => {
  opened = await openChannelWorld();
  contended = {
    ...opened.store,
    editChannel: async () => "outdated",
    createChannel: async () => "external id taken",
    createDirectChannel: async () => "there",
  };
});
afterAll(() => opened.close());

it("says so when other calls edit a channel between each look and the change", async () => {
  const ref = { ownerUserId: OWNER, channelId: opened.world.channelId };
  await expect(editChannel(contended, ref, { title: "Later" })).rejects.toThrow(Contended);
});

it("says so when other calls make and delete a channel again and again", async () => {
  const draft = { ownerUserId: OWNER, externalId: "room-1", title: "Room", description: "" };
  await expect(putExternalChannel(contended, draft, MANY)).rejects.toThrow(Contended);
});

it("says so when other calls make and delete a direct channel again and again", async () => {
  const { botId } = await makeBot(opened.store);
  await expect(
    putDirectChannel(contended, { ownerUserId: OWNER, botId }, { perOwner: MANY }),
  ).rejects.toThrow(Contended);
});
