import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  botyardResult,
  type Environment,
  environmentOf,
  type ServiceProcess,
  startServiceProcess,
} from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

describe("the botyard command for owners", () => {
  const dataDir = temporaryFolder("cli");
  let service: ServiceProcess;
  let alice: Environment;

  beforeAll(async () => {
    service = await startServiceProcess(dataDir);
    alice = await environmentOf("alice", service, dataDir);
  });

  afterAll(() => service.stop());

  let botToken: string;

  it("creates a channel and lists it", async () => {
    const created = await botyardResult(
      ["channel", "create", "--slug", "news", "--title", "News", "--description", "What is new"],
      alice,
    );
    expect(created).toMatchObject({ code: 0, stderr: "" });
    expect(created.stdout).toMatch(
      /^id +slug +title +created +last activity\n[0-9a-f-]{36} +news +News +20\S+\n$/,
    );
    const listed = JSON.parse((await botyardResult(["channel", "list", "--json"], alice)).stdout);
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
    const { code, stdout, stderr } = await botyardResult(
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
    const { code, stdout } = await botyardResult(["bot", "attach", "Echo", "news"], alice);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^bot +channel +role\necho +news +moderator\n$/);
  });

  it("posts as the owner, or as a bot with its token", async () => {
    const asOwner = await botyardResult(
      ["post", "--channel", "news", "--body", "--from the owner", "--json"],
      alice,
    );
    expect(JSON.parse(asOwner.stdout)).toMatchObject({
      author_username: "alice",
      body: "--from the owner",
    });
    const asBot = await botyardResult(["post", "--channel", "news", "--body", "from the bot", "--json"], {
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

  it("disables the bot, so that its token is refused, and enables it again", async () => {
    const disabled = await botyardResult(["bot", "disable", "echo", "--json"], alice);
    expect(JSON.parse(disabled.stdout)).toHaveProperty("disabled_at");
    expect((await botyardResult(["bot", "list"], alice)).stdout).toMatch(/echo +Echo +disabled 20/);
    const refused = await botyardResult(
      ["post", "--channel", "news", "--body", "x", "--token", botToken],
      alice,
    );
    expect(refused).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("the service said 401: "),
    });

    const enabled = await botyardResult(["bot", "enable", "echo", "--json"], alice);
    expect(JSON.parse(enabled.stdout)).not.toHaveProperty("disabled_at");
    expect((await botyardResult(["bot", "list"], alice)).stdout).toMatch(/echo +Echo +enabled/);
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
    const { items } = JSON.parse((await botyardResult(["channel", "list", "--json"], alice)).stdout) as {
      items: { id: string }[];
    };
    expect(new Set(items.map(({ id }) => id)).size).toBe(121);
  });
});
