import { Bot, type SeenStore, webhookHandler } from "@botyard/sdk";
import { fastifyWebhook, webhookHandler as nodeHandler } from "@botyard/sdk/node";
import { signWebhook } from "@botyard/sdk/testing";
import { describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";

const secret = "open-sesame";
const me = { id: "i", bot_user_id: "u", username: "echo", display_name: "Echo" };
const newBot = () => new Bot("bot_x", { url: "http://127.0.0.1:1", me });
const body = JSON.stringify({ update_id: 1, event_type: "x", payload: {}, created_at: "" });

/** A promise that a test resolves when it wants. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("a webhook handler", () => {
  it("handles an update once, however late the store answers", async () => {
    const [answered, handled] = [gate(), gate()];
    const known = new Set<number>();
    let asked = 0;
    const seen: SeenStore = {
      async has(id) {
        const was = known.has(id);
        asked += 1;
        if (asked > 1) await answered.opened;
        return was;
      },
      add: async (id) => void known.add(id),
    };
    let begun = 0;
    const bot = newBot().use(() => {
      begun += 1;
      return handled.opened;
    });
    const handle = webhookHandler(bot, { secret, seen });
    const deliver = async () => {
      const headers = await signWebhook({ secret, body });
      return (await handle(new Request("http://x", { method: "POST", headers, body }))).status;
    };
    const first = deliver();
    await eventually("it is being handled", () => begun === 1);
    const second = deliver();
    // Time in which the second one could ask the store.
    await new Promise((resolve) => setTimeout(resolve, 20));
    handled.open();
    expect(await first).toBe(200);
    answered.open();
    expect(await second).toBe(200);
    expect(begun).toBe(1);
  });

  it("requires a secret", () => {
    expect(() => webhookHandler(newBot(), { secret: "" })).toThrow("is its variable set?");
    expect(() => nodeHandler(newBot(), { secret: undefined })).toThrow(TypeError);
    expect(() => fastifyWebhook(newBot(), { secret: [], path: "/" })).toThrow(TypeError);
  });

  it("reads no more of a long body than the size of an update", async () => {
    let chunks = 0;
    const body = new ReadableStream({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(65_536));
        if (chunks === 100) controller.close();
      },
    });
    const request = new Request("http://x", { method: "POST", body, duplex: "half" });
    expect((await webhookHandler(newBot(), { secret })(request)).status).toBe(413);
    expect(chunks).toBeLessThan(30);
  });
});

describe("a webhook request that is refused", () => {
  it("is printed, at most once a minute", async () => {
    const lines: string[] = [];
    const { error } = console;
    console.error = (line: string) => lines.push(line);
    try {
      const handle = webhookHandler(newBot(), { secret: "one" });
      for (let i = 0; i < 3; i++) {
        const body = JSON.stringify({ update_id: 1 });
        const headers = await signWebhook({ secret: "another", body });
        const answer = await handle(new Request("http://bot", { method: "POST", body, headers }));
        expect(answer.status).toBe(401);
      }
      expect(lines).toEqual([expect.stringMatching(/^botyard: a webhook request was refused: /)]);
    } finally {
      console.error = error;
    }
  });
});
