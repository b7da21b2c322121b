import { Bot, type BotOptions, type Update } from "@botyard/sdk";

const me = { id: "bot-id", bot_user_id: "user-id", username: "echo", display_name: "Echo" };

/** A bot that handles what a test gives it. It sends no request: any would fail. */
export const newBot = (options: Partial<BotOptions> = {}) =>
  new Bot("bot_x", { url: "http://127.0.0.1:1", retries: 0, me, ...options });

type AuthorType = "bot" | "owner" | "user";

export function post(body: string, type: AuthorType = "owner"): Update<"channel.post_created"> {
  const author = { type, id: "alice", username: "alice" };
  return {
    update_id: 1,
    event_type: "channel.post_created",
    payload: { body, channel_id: "c", post_id: "p", author_username: "alice", author },
    created_at: "2026-01-01T00:00:00.000Z",
  };
}

export const event = (event_type: string) => ({ update_id: 2, event_type, payload: {}, created_at: "" });
