import { describe, expect, it } from "vitest";
import { withoutUsers } from "#botyard/domain/events/erase-user.js";
import { encodePost } from "#botyard/domain/events/post.js";

const ZOE = { type: "user", id: "zoe", username: "Zoë" } as const;
const ADA = { type: "user", id: "ada", username: "Ada" } as const;
const POST = { id: "p", channelId: "c", authorUsername: "Zoë", body: "hello" };
const erase = (payload: string, eventType: string | null = null) =>
  withoutUsers(payload, eventType, new Set(["zoe", "eve"]));

describe("an event without a user", () => {
  it("has nothing of what was written in their name", () => {
    const erased = erase(encodePost({ ...POST, author: ZOE, media: [{ url: "x" }] }));
    expect(erased?.isTheirs).toBe(true);
    expect(JSON.parse(erased?.payload ?? "")).toEqual({
      body: "",
      channel_id: "c",
      post_id: "p",
      author_username: "",
      deleted: true,
    });
    expect(erase(JSON.stringify({ text: "x", author: ZOE }), "ticket.opened")?.payload).toBe(
      '{"deleted":true}',
    );
    for (const user of ["zoe", { id: "zoe" }])
      expect(erase(JSON.stringify({ text: "x", user }), "ticket.opened")?.payload).toBe('{"deleted":true}');
    const pressed = { interaction_id: "i", user: { id: "zoe", username: "Zoë" }, command: { name: "say" } };
    expect(JSON.parse(erase(JSON.stringify(pressed), "interaction.created")?.payload ?? "")).toEqual({
      interaction_id: "i",
      user: { id: "", username: "" },
      deleted: true,
    });
  });

  it("has only the answered post's id when it answers them", () => {
    const answer = { ...POST, author: ADA, replyTo: { postId: "q", author: ZOE } };
    const erased = erase(encodePost(answer));
    expect(erased?.isTheirs).toBe(false);
    expect(erased?.payload).toBe(encodePost({ ...answer, replyTo: { postId: "q" } }));
  });

  it("is left alone when it is of others, or of an owner or a bot with the same id", () => {
    for (const author of [ADA, { ...ZOE, type: "owner" as const }, { ...ZOE, type: "bot" as const }])
      expect(erase(encodePost({ ...POST, body: '"zoe"', author }))).toBeUndefined();
    expect(erase(encodePost({ ...POST, replyTo: { postId: "zoe" } }))).toBeUndefined();
    expect(
      erase(
        JSON.stringify({ members: ["zoe"], user: "ada", of: { user: "zoe" }, author: null }),
        "room.opened",
      ),
    ).toBeUndefined();
    expect(erase(JSON.stringify({ user: "zoe" }), "channel.updated")).toBeUndefined();
  });
});
