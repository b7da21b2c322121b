import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { AskAs } from "./leaving-owner.js";

/** The platform's token of a service in which makers are governed. */
export const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";
const ROOMS = 3;
const IMPORTED = 2;
const CHANGED = "changed";

interface Bodies {
  items: { body: string }[];
}
/** Another owner, whose listed bot is in rooms of the first one, and whom the platform suspends for a while. */
export interface GovernedMaker {
  /** Lists a bot, which the holder adds to many rooms at once, with imported posts; suspends its maker, and lifts that. */
  liveAndBeGoverned(): Promise<void>;
  /** Checks that each of these happened wholly if it was acknowledged, and wholly or not at all if not. */
  expectGoverned(): Promise<void>;
}

/**
 * @param holder the token of the owner of the rooms
 * @param tokenOf makes an owner's token
 */
export function beginGoverned(
  ask: AskAs,
  holder: string,
  tokenOf: (user: string) => Promise<string>,
): GovernedMaker {
  const maker = `maker-${randomUUID()}`;
  const acknowledged = new Set<string>();
  let made: { token: string; botId: string; extraId: string } | undefined;

  const rooms = Array.from({ length: ROOMS }, (_, index) => `room-${index}-of-${maker}`);
  const ownerPath = `/v1/platform/owners/${maker}`;
  const govern = (body: object) => ask("PUT", ownerPath, body, PLATFORM_TOKEN);
  /** In the order of their names: the first one is written to. */
  const findRooms = async (): Promise<string[]> => {
    const found = rooms.map((id) =>
      ask<{ items: { id: string }[] }>("GET", `/v1/channels?external_id=${id}`, undefined, holder),
    );
    return (await Promise.all(found)).flatMap(({ items }) => items.map(({ id }) => id));
  };

  return {
    async liveAndBeGoverned() {
      const token = await tokenOf(maker);
      const makeListed = async () => {
        const body = { username: `bot-${randomUUID()}` };
        const { bot } = await ask<{ bot: { id: string } }>("POST", "/v1/bot-api/bots", body, token);
        await ask("PATCH", `/v1/bot-api/bots/${bot.id}`, { visibility: "listed" }, token);
        return bot;
      };
      const [bot, extra] = [await makeListed(), await makeListed()];
      made = { token, botId: bot.id, extraId: extra.id };
      const channels = rooms.map((id) => ({ external_id: id, title: id, bots: [{ id: bot.id }] }));
      await ask("PUT", "/v1/channels/external", { channels }, holder);
      acknowledged.add("rooms");
      const changeAll = async (bots: object[]): Promise<void> => {
        const changed = rooms.map((id) => ({ external_id: id, title: CHANGED, bots }));
        await ask("PUT", "/v1/channels/external", { channels: changed }, holder);
      };
      await changeAll([{ id: bot.id, role: "member" }, { id: extra.id }]);
      acknowledged.add("changed");
      await changeAll([{ id: bot.id }]);
      acknowledged.add("extra taken out");
      const [room = ""] = await findRooms();
      for (let n = 0; n < IMPORTED; n++) {
        const post = { body: "imported", silent: true, created_at: "2020-01-01T00:00:00Z" };
        await ask("POST", `/v1/channels/${room}/posts`, post, holder);
        acknowledged.add(`imported ${n}`);
      }
      await ask("POST", `/v1/channels/${room}/posts`, { body: "said" }, holder);
      acknowledged.add("said");
      await govern({ suspended: true, reason: "spam" });
      acknowledged.add("suspended");
      await govern({ suspended: false });
      acknowledged.add("resumed");
      await ask("DELETE", `/v1/bot-api/bots/${bot.id}/channels/${room}`, undefined, token);
      acknowledged.add("left");
    },

    async expectGoverned() {
      if (!made) return;
      // A kill between its suspension and the end of that leaves the maker suspended.
      const { suspended } = await ask<{ suspended: boolean }>("GET", ownerPath, undefined, PLATFORM_TOKEN);
      if (acknowledged.has("resumed") || !acknowledged.has("said")) expect(suspended).toBe(false);
      await govern({ suspended: false });
      const path = `/v1/bot-api/bots/${made.botId}`;
      expect(await ask("GET", path, undefined, made.token)).not.toHaveProperty("disabled_at");

      const found = await findRooms();
      const attached = await ask<{ items: object[] }>("GET", `${path}/channels`, undefined, made.token);
      const left = found.length - attached.items.length;
      if (acknowledged.has("rooms")) expect(found).toHaveLength(ROOMS);
      expect(left).toBeGreaterThanOrEqual(acknowledged.has("left") ? 1 : 0);
      expect(left).toBeLessThanOrEqual(acknowledged.has("resumed") ? 1 : 0);

      await expectChanged(found, made.extraId);
      const [room = ""] = found;
      if (!acknowledged.has("rooms")) return;
      const kept = await ask<Bodies>("GET", `/v1/channels/${room}/posts`, undefined, holder);
      const heard = await ask<{ items: { payload: { body?: string } }[] }>(
        "GET",
        `${path}/updates`,
        undefined,
        made.token,
      );
      for (const said of ["imported", "said"]) {
        const count = [...acknowledged].filter((what) => what.startsWith(said)).length;
        const stored = kept.items.filter(({ body }) => body === said).length;
        const told = heard.items.filter(({ payload }) => payload.body === said).length;
        expect(stored).toBeGreaterThanOrEqual(count);
        expect(stored).toBeLessThanOrEqual(count + 1);
        expect(told).toBe(said === "imported" ? 0 : stored);
      }
    },
  };
  /** All rooms are as before a change in bulk or as after it; after it, if it was acknowledged. */
  async function expectChanged(found: readonly string[], extraId: string): Promise<void> {
    const seen = found.map(async (id) => {
      const { title } = await ask<{ title: string }>("GET", `/v1/channels/${id}`, undefined, holder);
      const { items } = await ask<{ items: { bot: { id: string }; role: string }[] }>(
        "GET",
        `/v1/channels/${id}/bots`,
        undefined,
        holder,
      );
      const hasExtra = items.some(({ bot }) => bot.id === extraId);
      const roles = items.filter(({ bot }) => bot.id !== extraId).map(({ role }) => role);
      return { isChanged: title === CHANGED, hasExtra, roles };
    });
    const all = await Promise.all(seen);
    // The bot may have left one.
    for (const values of [
      all.map(({ isChanged }) => isChanged),
      all.map(({ hasExtra }) => hasExtra),
      all.flatMap(({ roles }) => roles),
    ])
      expect(new Set<unknown>(values).size).toBeLessThanOrEqual(1);
    if (acknowledged.has("changed"))
      for (const { isChanged, roles } of all) {
        expect(isChanged).toBe(true);
        expect(roles.every((role) => role === "member")).toBe(true);
      }
    if (acknowledged.has("extra taken out")) expect(all.some(({ hasExtra }) => hasExtra)).toBe(false);
  }
}
