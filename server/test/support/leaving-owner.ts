import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { eventually } from "./eventually.js";

/** Sends a request that succeeds. @param as the token */
export type AskAs = <Answer>(
  method: string,
  path: string,
  body: object | undefined,
  as: string,
) => Promise<Answer>;

/** Another owner of the service, who comes and goes with everything they have. */
export interface LeavingOwner {
  /** Makes a bot, a channel and events, and erases it all. */
  liveAndLeave(): Promise<void>;
  /** Erases what is left where an earlier call was cut off, and checks that nothing is. */
  expectGone(): Promise<void>;
}

/** @param tokenOf makes an owner's token */
export function beginLeaving(ask: AskAs, tokenOf: (user: string) => Promise<string>): LeavingOwner {
  const user = `user-${randomUUID()}`;
  let token: string | undefined;

  const erase = async (as: string): Promise<void> => {
    await eventually("everything of the other owner is erased", async () => {
      const { status } = await ask<{ status: string }>("DELETE", "/v1/owner", { confirm: user }, as);
      return status === "deleted";
    });
  };

  return {
    async liveAndLeave() {
      const as = await tokenOf(user);
      const slug = `c-${randomUUID()}`;
      const { id } = await ask<{ id: string }>("POST", "/v1/channels", { slug, title: slug }, as);
      const username = `bot-${randomUUID()}`;
      const { bot } = await ask<{ bot: { id: string } }>("POST", "/v1/bot-api/bots", { username }, as);
      const path = `/v1/bot-api/bots/${bot.id}`;
      await ask("POST", `${path}/channels/${id}`, undefined, as);
      await ask("POST", `/v1/channels/${id}/posts`, { body: "a post" }, as);
      await ask("POST", `${path}/events`, { event_type: "a.b", payload: { post_id: "none" } }, as);
      token = as;
      await erase(as);
    },

    async expectGone() {
      if (token === undefined) return;
      await erase(token);
      const { items } = await ask<{ items: unknown[] }>("GET", "/v1/bot-api/bots", undefined, token);
      expect(items).toEqual([]);
    },
  };
}
