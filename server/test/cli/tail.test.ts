import { describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { eventually } from "../support/eventually.js";
import { interrupt, linesOf, useFollowedBot } from "../support/followed-bot.js";
import { botyard, type Environment } from "../support/program.js";
import { startReceiver } from "../support/receiver.js";

const under = useFollowedBot("tail");

describe("tail", () => {
  it("prints updates as they are recorded, and in the next run those since", async () => {
    await under.publish("before");
    const first = under.start("tail");
    await eventually("the post before is printed", () => linesOf(first).length === 1);
    await under.publish("one\ntwo\u{1B}[2J");
    await eventually("the one after too", () => linesOf(first).length === 2);
    expect(linesOf(first)).toEqual([
      expect.stringMatching(
        new RegExp(`^20\\S+Z {2}#1 {2}channel.post_created {2}${under.world.owner}: before$`),
      ),
      expect.stringContaining(`${under.world.owner}: one\u{FFFD}two\u{FFFD}[2J`),
    ]);
    expect(first.stderr()).toBe(`${under.world.username}: beginning with the oldest update (Ctrl-C ends)\n`);
    expect(await interrupt(first)).toBe(0);

    await under.publish("since");
    const second = under.start("tail", "--json");
    await eventually("only the new one is printed", () => linesOf(second).length === 1);
    expect(second.stderr()).toContain("going on after update 2");
    expect(JSON.parse(linesOf(second)[0] as string)).toMatchObject({
      update_id: 3,
      payload: { body: "since" },
    });
    await interrupt(second);

    const again = under.start("tail", "--json", "--from", "2");
    await eventually("those after the first are printed", () => linesOf(again).length === 2);
    expect(await interrupt(again)).toBe(0);
  });

  it("begins where it is told", async () => {
    for (const body of ["one", "two", "three"]) await under.publish(body);
    const fromTwo = under.start("tail", "--from", "2");
    await eventually("the second and the third are printed", () => linesOf(fromTwo).length === 2);
    expect(fromTwo.stderr()).toContain("beginning after update 1");
    await interrupt(fromTwo);

    const fromNow = under.start("tail", "--from", "now");
    await eventually("it is ready", () => fromNow.stderr().includes("beginning after update 3"));
    await under.publish("four");
    await eventually("the next one is printed", () => linesOf(fromNow).length === 1);
    await interrupt(fromNow);

    const fromStart = under.start("tail", "--from", "start");
    await eventually("all are printed", () => linesOf(fromStart).length === 4);
    await interrupt(fromStart);
  });

  it("prints the log in its order, whatever the channels", async () => {
    const asOwner = { token: under.world.ownerToken };
    const made = await ask(under.service, "POST", "/v1/channels", {
      ...asOwner,
      body: { slug: `other-${under.world.botId}`, title: "Other" },
    });
    expect(made.status).toBe(201);
    const path = `/v1/bot-api/bots/${under.world.botId}/channels/${made.body.id}`;
    expect((await ask(under.service, "POST", path, asOwner)).status).toBe(200);
    for (let i = 0; i < 4; i++) {
      await under.publish(`here ${i}`);
      await under.publish(`here again ${i}`);
      const posts = `/v1/channels/${made.body.id}/posts`;
      await ask(under.service, "POST", posts, { ...asOwner, body: { body: `there ${i}` } });
    }
    const all = under.start("tail", "--from", "start", "--json");
    await eventually("all are printed", () => linesOf(all).length === 12);
    const numbers = linesOf(all).map((line) => JSON.parse(line).update_id);
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    await interrupt(all);
  });

  it("reads along where another keeps the position", async () => {
    const first = under.start("tail");
    await eventually("it is ready", () => first.stderr().includes("(Ctrl-C ends)"));
    const second = under.start("tail", "--json");
    await eventually("the other too", () => second.stderr().includes("(Ctrl-C ends)"));
    expect(second.stderr()).toContain("this one reads along and keeps no position");
    await under.publish("one");
    await eventually("both print it", () => linesOf(first).length + linesOf(second).length === 2);
    await interrupt(second);
    await interrupt(first);
  });

  it("ends when nobody reads it any more, on Linux without another update", async () => {
    await under.publish("one");
    await under.publish("two");
    const piped = under.startProgram("bash", ["-c", `"${process.execPath}" "${botyard}" tail | head -1`]);
    let isOver = false;
    void piped.exit.then(() => {
      isOver = true;
    });
    await eventually("it has ended", async () => {
      if (process.platform !== "linux") await under.publish("more");
      return isOver;
    });
    expect(await piped.exit).toBe(0);
    expect(linesOf(piped)).toEqual([expect.stringContaining("one")]);
    expect(piped.stderr()).toBe(`${under.world.username}: beginning with the oldest update (Ctrl-C ends)\n`);
  });

  it("ends with 2 for an owner's token, 1 for a refused bot token, 3 when nothing answers", async () => {
    const with_ = (changes: Environment) => commandResult(["tail"], { ...under.env, ...changes });
    expect(await with_({ BOTYARD_TOKEN: under.world.ownerToken })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs the token of a bot"),
    });
    expect(await with_({ BOTYARD_TOKEN: `bot_${"x".repeat(43)}` })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the service said 401"),
    });
    const gone = await startReceiver();
    await gone.close();
    expect(await with_({ BOTYARD_URL: new URL(gone.url).origin })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("is the service running"),
    });
  });
});
