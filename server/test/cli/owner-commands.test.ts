import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask } from "../support/api-client.js";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { type Environment, environmentOf } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command for owners", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;
  let alice: Environment;

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
    alice = await environmentOf("alice", service, dataDir);
  });

  afterAll(() => service.stop());

  let botToken: string;

  const channelId = async (): Promise<string> =>
    (await ask(service, "GET", "/v1/channels", { token: alice.BOTYARD_TOKEN ?? "" })).body.items[0].id;

  it("creates a channel and lists it", async () => {
    const created = await commandResult(
      ["channel", "create", "--slug", "news", "--title", "News", "--description", "What is new"],
      alice,
    );
    expect(created).toMatchObject({ code: 0, stderr: "" });
    expect(created.stdout).toMatch(
      /^id +slug +title +created +last activity\n[0-9a-f-]{36} +news +News +20\S+\n$/,
    );
    const listed = JSON.parse((await commandResult(["channel", "list", "--json"], alice)).stdout);
    expect(listed).toEqual({
      items: [
        expect.objectContaining({
          slug: "news",
          title: "News",
          description: "What is new",
          owner_user_id: "alice",
        }),
      ],
    });
  });

  it("creates a bot and prints its token on stdout, the warning on stderr", async () => {
    const { code, stdout, stderr } = await commandResult(
      ["bot", "create", "--username", "echo", "--display-name", "Echo", "--json"],
      alice,
    );
    const answer = JSON.parse(stdout) as { bot: object; token: { token: string } };
    expect(code).toBe(0);
    expect(answer.bot).toMatchObject({ username: "echo", display_name: "Echo", owner_user_id: "alice" });
    expect(answer.token.token).toMatch(/^bot_/);
    expect(stderr).toBe("keep the token safe: it is not shown again\n");
    botToken = answer.token.token;
  });

  it("attaches the bot, named by its username, to the channel, named by its slug", async () => {
    const { code, stdout } = await commandResult(["bot", "attach", "Echo", "news"], alice);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bot +channel +role\necho +news +moderator\n$/);
    const asReader = await commandResult(["bot", "attach", "echo", "news", "--role", "reader"], alice);
    expect(asReader.stdout).toMatch(/\necho +news +reader\n$/);
    const back = await commandResult(["bot", "attach", "echo", "news", "--role", "moderator"], alice);
    expect(back.stdout).toMatch(/\necho +news +moderator\n$/);
    const wrong = await commandResult(["bot", "attach", "echo", "news", "--role", "owner"], alice);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("moderator, member, reader") });
  });

  it("shows and edits a channel, and lists its posts page by page", async () => {
    const edited = await commandResult(["channel", "edit", "news", "--title", "All news"], alice);
    expect(edited.stdout).toMatch(/^slug +news$/m);
    expect((await commandResult(["channel", "show", "news"], alice)).stdout).toMatch(/^title +All news$/m);
    for (let index = 0; index < 101; index++)
      await ask(service, "POST", `/v1/bot-api/channels/${await channelId()}/posts`, {
        token: botToken,
        body: { body: `post ${index}` },
      });
    const { stdout } = await commandResult(["channel", "posts", "news", "--limit", "102", "--json"], alice);
    const { items } = JSON.parse(stdout) as { items: { id: string; body: string }[] };
    expect(items.map(({ body }) => body).slice(0, 101)).toEqual(
      Array.from({ length: 101 }, (_, index) => `post ${100 - index}`),
    );
    const last = await commandResult(
      ["channel", "posts", "news", "--limit", "1", "--before", items[0]?.id ?? ""],
      alice,
    );
    expect(last.stdout).toMatch(/echo +post 99\n$/);
    const nothing = await commandResult(["channel", "edit", "news"], alice);
    expect(nothing).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--title, --description or --metadata"),
    });
  });

  it("tells a bot who it is and where it may post", async () => {
    const asBot = { ...alice, BOTYARD_TOKEN: botToken };
    expect((await commandResult(["me"], asBot)).stdout).toMatch(/^username +echo$/m);
    expect((await commandResult(["channel", "list"], asBot)).stdout).toMatch(/ news +All news /);
    expect(await commandResult(["me"], alice)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs the token of a bot"),
    });
    expect(await commandResult(["bot", "list"], asBot)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs the token of an owner"),
    });
  });

  it("shows, edits, detaches and attaches a bot", async () => {
    const edited = await commandResult(["bot", "edit", "echo", "--description", "Repeats"], alice);
    expect(edited.stdout).toMatch(/^description +Repeats$/m);
    expect((await commandResult(["bot", "show", "ECHO"], alice)).stdout).toMatch(/^state +enabled$/m);
    expect((await commandResult(["bot", "channels", "echo"], alice)).stdout).toMatch(
      / news +All news +moderator /,
    );
    const detached = await commandResult(["bot", "detach", "echo", "news"], alice);
    expect(detached.stdout).toMatch(/echo +news +detached\n$/);
    expect(await commandResult(["bot", "channels", "echo"], alice)).toMatchObject({
      stdout: "",
      stderr: "(none)\n",
    });
    await commandResult(["bot", "attach", "echo", "news"], alice);
  });

  it("takes metadata of bots and channels wherever their fields are given", async () => {
    const metadata = { plan: "free", seats: [1, { of: 2 }] };
    const given = ["--metadata", JSON.stringify(metadata), "--json"];
    const room = ["channel", "put", "room-7", "--title", "Room"];
    for (const args of [
      room,
      ["channel", "create", "--slug", "tagged", "--title", "Tagged"],
      ["channel", "edit", "news"],
      ["bot", "edit", "echo"],
      ["bot", "create", "--username", "tagged"],
    ]) {
      const { code, stdout, stderr } = await commandResult([...args, ...given], alice);
      expect(code, stderr).toBe(0);
      const answer = JSON.parse(stdout);
      expect((answer.bot ?? answer).metadata, args.join(" ")).toEqual(metadata);
    }
    const kept = await commandResult([...room, "--json"], alice);
    expect(JSON.parse(kept.stdout).metadata).toEqual(metadata);
    const removed = await commandResult([...room, "--metadata", "{}", "--json"], alice);
    const { slug, ...left } = JSON.parse(removed.stdout);
    expect(left).not.toHaveProperty("metadata");
    for (const wrong of ["[]", "null", "plan=free"]) {
      expect(await commandResult([...room, "--metadata", wrong], alice)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--metadata must be a JSON object"),
      });
    }
    for (const made of [
      ["channel", "delete", "tagged"],
      ["channel", "delete", slug],
      ["bot", "delete", "tagged"],
    ])
      await commandResult([...made, "--yes"], alice);
  });

  it("gives the direct channel with a bot, for a user or for nobody", async () => {
    const direct = (...args: string[]) => commandResult(["channel", "direct", "echo", ...args], alice);
    const made = await direct("--user", "user-7", "--username", "Zoe");
    expect(made.stdout).toMatch(/^title +Zoe$/m);
    expect(made.stdout).toMatch(/^direct +with the bot [\da-f-]+ for Zoe \(user-7\)$/m);
    const again = JSON.parse((await direct("--user", "user-7", "--json")).stdout);
    expect(made.stdout).toContain(again.id);
    expect((await direct("--title", "Desk")).stdout).toMatch(/^title +Desk$/m);
    expect(await direct("--username", "Zoe")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--username goes with --user"),
    });
    for (const { slug } of [again, JSON.parse((await direct("--json")).stdout)])
      await commandResult(["channel", "delete", slug, "--yes"], alice);
  });

  it("deletes a channel", async () => {
    await commandResult(["channel", "create", "--slug", "passing", "--title", "Passing"], alice);
    expect(await commandResult(["channel", "delete", "passing"], alice)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("add --yes to"),
    });
    const deleted = await commandResult(["channel", "delete", "passing", "--yes"], alice);
    expect(deleted.stdout).toMatch(/ passing +deleted\n$/);
    expect(await commandResult(["channel", "show", "passing"], alice)).toMatchObject({ code: 1 });
  });

  it("names similar bots and channels when there is none of a name", async () => {
    const bot = await commandResult(["bot", "show", "echoo"], alice);
    expect(bot).toMatchObject({
      code: 1,
      stderr: 'botyard: you have no bot "echoo"; did you mean echo?\n',
    });
    const channel = await commandResult(["channel", "show", "new"], alice);
    expect(channel).toMatchObject({ code: 1, stderr: expect.stringMatching(/did you mean news\?\n$/) });
  });

  it("asks before it replaces a token or deletes, and needs --yes without a terminal", async () => {
    for (const command of [
      ["bot", "rotate-token", "echo"],
      ["bot", "delete", "echo"],
      ["webhook", "remove", "echo"],
    ]) {
      const result = await commandResult(command, alice);
      expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("add --yes to") });
    }
    const rotated = await commandResult(["bot", "rotate-token", "echo", "--yes", "--json"], alice);
    const { token } = JSON.parse(rotated.stdout) as { token: string };
    expect(rotated.stderr).toBe("keep the token safe: it is not shown again\n");
    expect((await ask(service, "GET", "/v1/bot-api/me", { token: botToken })).status).toBe(401);
    expect((await ask(service, "GET", "/v1/bot-api/me", { token })).status).toBe(200);
    botToken = token;

    await commandResult(["bot", "create", "--username", "passing"], alice);
    const deleted = await commandResult(["bot", "delete", "passing", "--yes"], alice);
    expect(deleted.stdout).toMatch(/ passing +deleted\n$/);
    expect(await commandResult(["bot", "show", "passing"], alice)).toMatchObject({ code: 1 });
  });

  it("disables the bot, so that its token is refused, and enables it again", async () => {
    const disabled = await commandResult(["bot", "disable", "echo", "--json"], alice);
    expect(JSON.parse(disabled.stdout)).toHaveProperty("disabled_at");
    expect((await commandResult(["bot", "list"], alice)).stdout).toMatch(/echo +Echo +disabled 20/);
    const refused = await commandResult(
      ["post", "--channel", "news", "--body", "x", "--token", botToken],
      alice,
    );
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("the service said 401: "),
    });

    const enabled = await commandResult(["bot", "enable", "echo", "--json"], alice);
    expect(JSON.parse(enabled.stdout)).not.toHaveProperty("disabled_at");
    expect((await commandResult(["bot", "list"], alice)).stdout).toMatch(/echo +Echo +enabled/);
  });

  it("lists channels beyond one page of the API", { timeout: 120_000 }, async () => {
    const create = (index: number) =>
      fetch(`${service.url}/v1/channels`, {
        method: "POST",
        headers: { authorization: `Bearer ${alice.BOTYARD_TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ slug: `more-${index}`, title: "More" }),
      });
    const answers = await Promise.all(Array.from({ length: 120 }, (_, index) => create(index)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const { items } = JSON.parse((await commandResult(["channel", "list", "--json"], alice)).stdout) as {
      items: { id: string }[];
    };
    expect(new Set(items.map(({ id }) => id)).size).toBe(121);
  });
});
