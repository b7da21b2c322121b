import { describe, expect, it } from "vitest";
import type { Answer } from "../support/api-client.js";
import { onListingWorld, place } from "../support/listing-world.js";

let maker: string;
let holder: string;
let stranger: string;
const { call, makeListed, makeRoom } = onListingWorld((world) => {
  ({ maker, holder, stranger } = world);
});

describe("what a listed bot does in the channel of another owner", () => {
  const audit = async (token: string, target: string) =>
    (await call(token, "GET", `/v1/owner/audit?target=${target}`)).body.items as {
      operation: string;
      by: { type: string; id: string; token_id: string };
      request_id: string;
    }[];

  it("is in the holder's audit log, without a word of its owner", async () => {
    const bot = await makeListed();
    const room = await makeRoom();
    await call(holder, "POST", place(bot.id, room), { role: "moderator" });
    const posted = await call(holder, "POST", `/v1/channels/${room}/posts`, { body: "to be moderated" });
    const path = `/v1/bot-api/channels/${room}/posts/${posted.body.id}`;
    expect((await call(bot.token, "DELETE", path)).status).toBe(200);
    expect((await call(maker, "DELETE", place(bot.id, room))).status).toBe(200);

    const seen = (await audit(holder, room)).slice(0, 2);
    expect(seen.map(({ operation, by }) => [operation, by.type, by.id])).toEqual([
      ["detachBot", "bot", bot.id],
      ["deleteBotPost", "bot", bot.id],
    ]);
    expect(JSON.stringify(seen)).not.toContain("maker");
    expect(seen.map(({ by }) => by.token_id)).toEqual(["", ""]);
    expect((await audit(maker, room)).map(({ operation, by }) => [operation, by.id])).toEqual([
      ["detachBot", "maker"],
      ["deleteBotPost", bot.id],
    ]);
    expect(await audit(stranger, room)).toEqual([]);
  });

  it("also that it has left, because its owner deleted it, and not in a channel of that owner", async () => {
    const bot = await makeListed();
    const rooms = [await makeRoom(), await makeRoom(), await makeRoom(maker)] as const;
    for (const room of rooms)
      await call(room === rooms[2] ? maker : holder, "POST", place(bot.id, room), { role: "moderator" });
    const deleted = await call(maker, "DELETE", `/v1/bot-api/bots/${bot.id}`);
    for (const room of rooms.slice(0, 2)) {
      const [seen] = await audit(holder, room);
      expect(seen).toMatchObject({
        operation: "deleteBot",
        by: { type: "bot", id: bot.id, token_id: "" },
        target: { type: "attachment", id: bot.id, channel_id: room },
        changes: { role: { before: "moderator" } },
      });
      expect(seen?.request_id).not.toBe(deleted.headers.get("x-request-id"));
    }
    expect((await audit(maker, bot.id)).map(({ operation }) => operation).slice(0, 2)).toEqual([
      "deleteBot",
      "attachBot",
    ]);
  });

  it("does not tell that bots are of one owner, who is erased", async () => {
    const [room, bots] = [await makeRoom(), [await makeListed(), await makeListed()]];
    for (const { id } of bots) await call(holder, "POST", place(id, room));
    const erased: Answer[] = [];
    while (erased.at(-1)?.body.status !== "deleted")
      erased.push(await call(maker, "DELETE", "/v1/owner", { confirm: "maker" }));
    const seen = (await audit(holder, room)).slice(0, 2);
    expect(seen.map(({ operation }) => operation)).toEqual(["detachBot", "detachBot"]);
    expect(new Set(seen.map(({ by }) => by.id))).toEqual(new Set(bots.map(({ id }) => id)));
    const ids = [
      ...seen.map(({ request_id: id }) => id),
      ...erased.map(({ headers }) => headers.get("x-request-id")),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});
