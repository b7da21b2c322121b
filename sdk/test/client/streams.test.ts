import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { BotClient, OwnerClient, type Update } from "@botyard/sdk";
import { type FakeService, startFakeService } from "@botyard/sdk/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { type KillableService, makeWorld, startKillableService } from "../support/service.js";

let real: KillableService;
let fake: FakeService;
let ending: AbortController;
beforeAll(async () => {
  real = await startKillableService();
});
afterAll(() => real.stop());
beforeEach(async () => {
  fake = await startFakeService();
  ending = new AbortController();
});
afterEach(async () => {
  ending.abort();
  await fake.stop();
});

type Stream = AsyncGenerator<Update, void, undefined>;
interface Place {
  open(offset?: number): Stream;
  publish(body: string): Promise<unknown>;
}

const onReal = async (): Promise<Place> => {
  const { token, channel } = await makeWorld(real);
  const client = new BotClient(token, { url: real.url });
  return {
    open: (offset) => client.streamUpdates({ offset, signal: ending.signal }),
    publish: (body) => real.owner.createChannelPost(channel.id, { body }),
  };
};
const places: [string, () => Promise<Place>][] = [
  ["a bot of the real service", onReal],
  [
    "an owner of the real service",
    async () => {
      const { bot, channel } = await makeWorld(real);
      const owner = new OwnerClient(() => real.ownerToken, { url: real.url });
      return {
        open: (offset) => owner.streamBotUpdates(bot.id, { offset, signal: ending.signal }),
        publish: (body) => real.owner.createChannelPost(channel.id, { body }),
      };
    },
  ],
  [
    "a bot of the fake service",
    async () => {
      const { id } = fake.addChannel("news");
      const client = new BotClient(fake.token, { url: fake.url });
      return {
        open: (offset) => client.streamUpdates({ offset, signal: ending.signal }),
        publish: async (body) => fake.publish(id, body),
      };
    },
  ],
];

/** Reads a stream in the background. */
function follow(stream: Stream): { bodies: unknown[]; ended: Promise<void> } {
  const bodies: unknown[] = [];
  const ended = (async () => {
    for await (const { payload } of stream) bodies.push((payload as { body?: unknown }).body);
  })();
  ended.catch(() => {});
  return { bodies, ended };
}

describe.each(places)("%s", (_, open) => {
  it("streams the updates above an offset, then new ones, until it is ended", async () => {
    const place = await open();
    for (const body of ["one", "two", "three \u2028 🙂"]) await place.publish(body);
    const { bodies, ended } = follow(place.open(1));
    await eventually("the log is there", () => bodies.length === 2);
    await place.publish("four");
    await eventually("the new one is there", () => bodies.length === 3);
    ending.abort();
    await ended;
    expect(bodies).toEqual(["two", "three \u2028 🙂", "four"]);
  });

  it("streams new updates without an offset, and disconnects when the reader stops", async () => {
    const place = await open();
    await place.publish("before");
    const stream = place.open();
    const first = stream.next();
    let isThere = false;
    const posting = (async () => {
      // Posts before the stream is open are not in it.
      for (let n = 1; !isThere; n++) {
        await place.publish(`after ${n}`);
        await nextTurn();
      }
    })();
    const { value } = await first;
    isThere = true;
    await posting;
    expect((value as Update<"channel.post_created">).payload.body).toMatch(/^after/);
    await stream.return();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});

it("continues after the last update when the service is killed and restarted", async () => {
  const place = await onReal();
  const { bodies, ended } = follow(place.open());
  // The beginning of a stream has no update; a second stream opened after it shows that it is open.
  await place.publish("sync");
  await eventually("the stream is open", async () => {
    if (bodies.length === 0) await place.publish("sync");
    return bodies.length > 0;
  });
  await real.kill();
  await real.restart();
  await place.publish("after the restart");
  await eventually("it goes on", () => bodies.at(-1) === "after the restart");
  ending.abort();
  await ended;
});

describe("a stream", () => {
  type Reply = (response: ServerResponse) => void;
  const server = createServer((request, response) => {
    asked.push(request.headers);
    const reply = replies.shift();
    if (reply) reply(response);
    else response.writeHead(401, { "content-type": "application/json" }).end('{"error":"rotated"}');
  });
  let replies: Reply[] = [];
  let asked: IncomingHttpHeaders[] = [];
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const events =
    (text: string, end: (response: ServerResponse) => void = (response) => response.end()): Reply =>
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(text, () => end(response));
    };
  const update = (id: number, said = id) =>
    `id: ${id}\nevent: update\ndata: {"update_id":${said},"event_type":"x","payload":{"body":"${id}"}}\n\n`;
  const open = () => {
    const failures: string[] = [];
    const client = new BotClient("bot_x", { url, retries: 0 });
    const onStreamFailure = ({ error }: { error: unknown }) => failures.push((error as Error).name);
    let opened = 0;
    const onStreamOpen = () => (opened += 1);
    const updates = client.streamUpdates({ onStreamOpen, onStreamFailure });
    return { ...follow(updates), failures, opened: () => opened };
  };

  it("reconnects after the last update whatever ends it, until the service refuses", async () => {
    const cut = (response: ServerResponse) => response.destroy();
    replies = [
      // A stream that is lost before the first update continues where it began.
      events("retry: 2000\nid: 4\n\n", cut),
      events(`retry: 2000\r\nid: 4\r\n\r\n:\n\n${update(5)}id: 6\ndata: {"upd`, cut),
      events(update(6) + update(6)),
      (response) => response.writeHead(502, { "content-type": "text/html" }).end("<html>"),
      events(update(7) + update(8, 9)),
      events(update(8)),
    ];
    const { bodies, ended, failures, opened } = open();
    await expect(ended).rejects.toMatchObject({ name: "ServiceError", status: 401 });
    expect(bodies).toEqual(["5", "6", "7", "8"]);
    expect(asked.map((headers) => headers["last-event-id"])).toEqual([
      undefined,
      "4",
      "5",
      "6",
      "6",
      "7",
      "8",
    ]);
    expect(failures).toContain("AnswerError");
    expect(opened()).toBe(5);
    expect(asked[0]?.authorization).toBe("Bearer bot_x");
  });

  it("is not considered dead while its reader handles an update", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      replies = [events(update(1), (response) => (goOn = () => response.write(update(2))))];
      let goOn = (): unknown => expect.fail("nothing was asked");
      const stream = new BotClient("bot_x", { url, retries: 0 }).streamUpdates();
      expect((await stream.next()).value).toMatchObject({ update_id: 1 });
      vi.advanceTimersByTime(3_600_000);
      goOn();
      expect((await stream.next()).value).toMatchObject({ update_id: 2 });
      expect(asked).toHaveLength(1);
      await stream.return();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each<[string, Reply, object]>([
    [
      "JSON",
      (r) => r.writeHead(200, { "content-type": "application/json" }).end("{}"),
      { name: "AnswerError" },
    ],
    ["HTML", (r) => r.writeHead(200).end("<html>"), { name: "AnswerError" }],
    ["no update", events("id: 1\ndata: {}\n\n"), { name: "AnswerError" }],
    ["no number", events("id: x\n\n"), { name: "AnswerError" }],
    ["an endless line", events(`data: ${"x".repeat(1_100_000)}`), { name: "AnswerError" }],
  ])("is not begun when the service answers with %s", async (_, reply, error) => {
    replies = [reply];
    await expect(open().ended).rejects.toMatchObject(error);
  });
});
