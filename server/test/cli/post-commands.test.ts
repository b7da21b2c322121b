import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandResult } from "../support/command.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { botyard, type Environment, environmentOf, run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command for posts and events", () => {
  const dataDir = temporaryFolder("cli");
  let service: InProcessService;
  let alice: Environment;
  let botToken: string;

  beforeAll(async () => {
    service = await startInProcessService(dataDir);
    alice = await environmentOf("alice", service, dataDir);
    await commandResult(["channel", "create", "--slug", "news", "--title", "News"], alice);
    const bot = await commandResult(["bot", "create", "--username", "echo", "--json"], alice);
    botToken = (JSON.parse(bot.stdout) as { token: { token: string } }).token.token;
    await commandResult(["bot", "attach", "echo", "news"], alice);
  });

  afterAll(() => service.stop());

  /** The command, with this text on its stdin. */
  const piped = async (text: string, args: readonly string[]) => {
    const words = [process.execPath, botyard, ...args];
    const program = run("bash", ["-c", 'printf %s "$1" | "${@:2}"', "bash", text, ...words], alice);
    const code = await program.exit;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };

  it("posts as the owner, or as a bot with its token", async () => {
    const asOwner = await commandResult(
      ["post", "--channel", "news", "--body", "--from the owner", "--json"],
      alice,
    );
    expect(JSON.parse(asOwner.stdout)).toMatchObject({
      author_username: "alice",
      body: "--from the owner",
    });
    const asBot = await commandResult(["post", "--channel", "news", "--body", "from the bot", "--json"], {
      ...alice,
      BOTYARD_TOKEN: botToken,
    });
    expect(JSON.parse(asBot.stdout)).toMatchObject({ author_username: "echo", body: "from the bot" });
    const updates = await fetch(`${service.url}/v1/bot-api/updates`, {
      headers: { authorization: `Bearer ${botToken}` },
    });
    const { items } = (await updates.json()) as { items: { payload: { body: string } }[] };
    expect(items.map(({ payload }) => payload.body)).toEqual(["--from the owner", "from the bot"]);
  });

  it("posts what it reads from stdin, and media", async () => {
    const media = JSON.stringify([{ kind: "photo", width: 3 }]);
    const { stdout } = await piped("first line\nsecond line\n", [
      "post",
      "--channel",
      "news",
      "--body",
      "-",
      "--media",
      media,
      "--json",
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ body: "first line\nsecond line", media: JSON.parse(media) });
    const refused = await commandResult(["post", "--channel", "news", "--body", "x", "--media", "{}"], alice);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--media must be a JSON array"),
    });
  });

  it("publishes once with a key, shows, edits and erases a post, as an owner and as a bot", async () => {
    const asBot = { ...alice, BOTYARD_TOKEN: botToken };
    for (const env of [alice, asBot]) {
      const publish = (body: string) =>
        commandResult(
          ["post", "create", "--channel", "news", "--body", body, "--idempotency-key", "k", "--json"],
          env,
        );
      const { id } = JSON.parse((await publish("first")).stdout) as { id: string };
      expect(JSON.parse((await publish("other")).stdout)).toMatchObject({ id, body: "first" });
      const edit = ["post", "edit", "news", id];
      const edited = await commandResult([...edit, "--body", "second", "--if-revision", "1"], env);
      expect(edited.stdout).toMatch(/^revision +2$/m);
      const late = await commandResult([...edit, "--body", "third", "--if-revision", "1"], env);
      expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("has revision 2, not 1") });
      const nothing = await commandResult(edit, env);
      expect(nothing).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("--body, --media or --components"),
      });
      expect((await commandResult(["post", "show", "news", id], env)).stdout).toMatch(/^body +second$/m);
      const refused = await commandResult(["post", "delete", "news", id], env);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("add --yes to") });
      const erased = await commandResult(["post", "delete", "news", id, "--yes"], env);
      expect(erased.stdout).toMatch(/ deleted\n$/);
      const gone = await commandResult(["post", "show", "news", id], env);
      expect(gone).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/post not found in this channel\n$/),
      });
    }
  });

  it("emits custom events, and says which of them a bot hears", async () => {
    const emitted = await commandResult(
      ["channel", "emit", "news", "ticket.opened", "--payload", '{"ticket": 42}', "--json"],
      alice,
    );
    expect(JSON.parse(emitted.stdout)).toMatchObject({
      event_type: "ticket.opened",
      payload: { ticket: 42 },
    });
    const toBot = await commandResult(["bot", "emit", "echo", "command.start"], alice);
    expect(toBot.stdout).toMatch(/ command\.start +20/);
    const noObject = await commandResult(["bot", "emit", "echo", "a.b", "--payload", "[]"], alice);
    expect(noObject).toMatchObject({ code: 2, stderr: expect.stringContaining("must be a JSON object") });

    const subscription = (...args: string[]) => commandResult(["bot", "subscription", ...args], alice);
    expect((await subscription("show", "echo")).stdout).toMatch(/^subscription +none$/m);
    const wanted = ["--event", "ticket.*", "--event", "bot.detached", "--posts", "mentions"];
    const preview = await subscription("preview", "echo", "news", ...wanted);
    expect(preview.stdout).toMatch(/^yes +ticket\.opened .*ticket.*42/m);
    expect(preview.stdout).toMatch(/^no +channel\.post_created /m);
    for (const [typed, meant] of [
      ["channel.post_create", "channel.post_created"],
      ["post_edited", "channel.post_edited"],
      ["custum", "custom"],
    ] as const)
      expect(await subscription("set", "echo", "--event", typed)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`no event is of the kind "${typed}": did you mean ${meant}?`),
      });
    expect(await subscription("set", "echo", "--event", "custom", "--event", "ticket.*")).toMatchObject({
      code: 0,
    });
    const set = await subscription("set", "echo", ...wanted, "--no-own-posts");
    expect(set.stdout).toMatch(/^events +ticket\.\*, bot\.detached$/m);
    const own = await commandResult(["bot", "subscription", "show", "--json"], {
      ...alice,
      BOTYARD_TOKEN: botToken,
    });
    expect(JSON.parse(own.stdout)).toEqual({
      is_default: false,
      event_types: ["ticket.*", "bot.detached"],
      posts: "mentions",
      own_posts: false,
    });
    const bySelf = await commandResult(["bot", "subscription", "set", "--event", "a.b"], {
      ...alice,
      BOTYARD_TOKEN: botToken,
    });
    expect(bySelf.stdout).toMatch(/^events +a\.b$/m);
    expect((await subscription("show", "echo")).stdout).toMatch(/^events +a\.b$/m);
    expect(await subscription("set", "echo")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("say which events"),
    });
    expect(await subscription("show")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("which bot"),
    });
    expect((await subscription("remove", "echo")).stdout).toMatch(/ deleted\n$/);
  });
});
