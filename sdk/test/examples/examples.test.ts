import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OwnerClient } from "@botyard/sdk";
import { SignJWT } from "jose";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../server/test/support/eventually.js";
import { type Environment, type Program, repository, run } from "../../../server/test/support/program.js";
import { requestOf } from "../support/receivers.js";
import { makeWorld, type RealService, startService, type World } from "../support/service.js";

const OWNER_JWT_SECRET = "a secret that only this service has";
const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";
const SECRET_TOKEN = "open-sesame";
const examples = join(repository, "examples");

describe("the example", () => {
  let service: RealService;
  let world: World;
  let folder: string;
  let env: Environment;
  const programs: Program[] = [];

  beforeAll(async () => {
    service = await startService({ OWNER_JWT_SECRET, PLATFORM_TOKEN });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    world = await makeWorld(service);
    folder = mkdtempSync(join(tmpdir(), "botyard-examples-"));
    env = { BOT_TOKEN: world.token, BOTYARD_URL: service.url, SECRET_TOKEN };
  });
  afterEach(async () => {
    for (const program of programs.splice(0)) await program.stop("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  const start = (name: string, args: string[] = [], more: Environment = {}) => {
    const program = run(process.execPath, [join(examples, name), ...args], { ...env, ...more });
    programs.push(program);
    return program;
  };
  const result = async (...args: Parameters<typeof start>) => {
    const program = start(...args);
    return { code: await program.exit, stdout: program.stdout(), stderr: program.stderr() };
  };
  const bodies = async () => {
    const { items } = await service.owner.listChannelPosts(world.channel.id);
    return items.map(({ body }) => body).toReversed();
  };
  const publish = (body: string) => service.owner.createChannelPost(world.channel.id, { body });
  const setWebhook = (url: string) =>
    service.owner.putWebhook(world.bot.id, { url, secret_token: SECRET_TOKEN });

  it("echo-polling echoes, stops cleanly, and continues where it stopped", async () => {
    const first = start("echo-polling.mjs");
    await publish("one");
    await eventually("the echo", async () => (await bodies()).includes("echo: one"));
    first.child.kill("SIGTERM");
    expect({ code: await first.exit, stderr: first.stderr() }).toEqual({ code: 0, stderr: "" });

    const second = start("echo-polling.mjs");
    await publish("two");
    await eventually("the second echo", async () => (await bodies()).includes("echo: two"));
    await second.stop();
    expect(await bodies()).toEqual(["one", "echo: one", "two", "echo: two"]);
  });

  it("assistant answers", async () => {
    start("assistant/main.mjs", [], { STOPS: join(folder, "stops") });
    await eventually("it has said what it hears", async () => {
      return !(await service.owner.getSubscription(world.bot.id)).is_default;
    });
    await publish(`@${world.bot.username} why?`);
    await eventually("the answer", async () =>
      (await bodies()).some((body) => /You asked: .*\n.*not know/.test(body)),
    );
    await publish("/stop");
    await eventually("the stop", async () => (await bodies()).some((body) => body.startsWith("Stopped, ")));
  });

  it.skipIf(!process.getBuiltinModule?.("node:sqlite"))("order-bot takes an order", async () => {
    start("order-bot/main.mjs", [], { DATABASE: join(folder, "orders.db") });
    await publish("/order tea");
    await eventually("the question", async () =>
      (await bodies()).some((body) => body.startsWith("Which size")),
    );
    await publish("small");
    await eventually("the order", async () => (await bodies()).includes("Order 1: tea, small."));
  });

  it("summary-bot keeps its summary", async () => {
    start("summary-bot/main.mjs", [], { TASKS: join(folder, "tasks") });
    await eventually("it has said what it hears", async () => {
      return !(await service.owner.getSubscription(world.bot.id)).is_default;
    });
    const { id } = await publish("todo: milk");
    await eventually("the summary", async () => (await bodies()).includes("To do:\n- milk"));
    await service.owner.deleteChannelPost(world.channel.id, id);
    await eventually("the change", async () => (await bodies()).includes("Nothing to do."));
    expect(await bodies()).toEqual(["Nothing to do."]);
  });

  it("stream-answer writes its answer to posts that mention it, and hears no others", async () => {
    start("stream-answer.mjs");
    const mention = `@${world.bot.username} and what is it like?`;
    await eventually("it has said what it hears", async () => {
      return !(await service.owner.getSubscription(world.bot.id)).is_default;
    });
    await publish("not for it");
    for (const wanted of ["once", "2 times"]) {
      await publish(mention);
      const answer = `You have asked me ${wanted}. I am only an example, so I say: ${mention}`;
      await eventually("the whole answer", async () => (await bodies()).includes(answer));
    }
    expect(await bodies()).toHaveLength(5);
    // Its answers mention it too, but it does not hear itself.
    expect(await service.owner.getBotStats(world.bot.id)).toMatchObject({ total_updates: 2 });
  });

  it("echo-express echoes posts by webhook", async () => {
    const port = await freePort();
    const program = start("echo-express.mjs", [], { PORT: port });
    await eventually("it listens", () => program.stdout().includes("listening on"));
    await setWebhook(`http://127.0.0.1:${port}/hook`);
    await publish("one");
    await eventually("the echo", async () => (await bodies()).includes("echo: one"));
    expect(program.stderr()).toBe("");
  });

  it("echo-fetch echoes posts by webhook", async () => {
    Object.assign(process.env, env);
    const module = (await import(join(examples, "echo-fetch.mjs"))) as {
      default: { fetch(request: Request): Promise<Response> };
    };
    const server = createServer((incoming, outgoing) => {
      void requestOf(incoming)
        .then(module.default.fetch)
        .then(async (response) => outgoing.writeHead(response.status).end(await response.text()));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    await setWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
    await publish("one");
    await eventually("the echo", async () => (await bodies()).includes("echo: one"));
    server.close();
    server.closeAllConnections();
  });

  it("rss-publisher publishes each item of a feed once, including items added later", async () => {
    const PUBLISHED_FILE = join(folder, "published.json");
    const feed = join(examples, "feed.xml");
    const wanted = [
      'The ferry "Möwe" is back\nhttps://harbour.example/ferry',
      "Bridge closed on Monday & Tuesday\nhttps://harbour.example/bridge",
    ];
    const first = await result("rss-publisher.mjs", [feed, world.channel.slug], { PUBLISHED_FILE });
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(await bodies()).toEqual(wanted);

    const item = "<item><title>Fog</title><link>https://harbour.example/fog</link></item>";
    const longer = join(folder, "feed.xml");
    writeFileSync(longer, readFileSync(feed, "utf8").replace("<item>", `${item}<item>`));
    const second = await result("rss-publisher.mjs", [longer, world.channel.slug], { PUBLISHED_FILE });
    expect(second).toMatchObject({ code: 0, stdout: "published Fog\n" });
    expect(await bodies()).toEqual([...wanted, "Fog\nhttps://harbour.example/fog"]);

    expect(await result("rss-publisher.mjs", [feed, "nowhere"])).toMatchObject({ code: 1 });
    expect(await result("rss-publisher.mjs")).toMatchObject({ code: 2 });
  });

  it("host-platform mirrors rooms and messages, and only new ones in the next run", async () => {
    const rooms = join(examples, "rooms.json");
    const first = await result("host-platform.mjs", [rooms], { PLATFORM_TOKEN });
    expect(first).toEqual({
      code: 0,
      stdout: "kitchen: 2 messages mirrored\nworkshop: 0 messages mirrored\n",
      stderr: "",
    });
    const [kitchen, ...others] = JSON.parse(readFileSync(rooms, "utf8"));
    kitchen.title = "The kitchen";
    kitchen.messages.push({ number: 3, author: "alice", text: "Thanks." });
    const changed = join(folder, "rooms.json");
    writeFileSync(changed, JSON.stringify([kitchen, ...others]));
    const second = await result("host-platform.mjs", [changed], { PLATFORM_TOKEN });
    expect(second.stdout).toBe("kitchen: 1 messages mirrored\nworkshop: 0 messages mirrored\n");

    const alice = new OwnerClient(await tokenOf("alice"), { url: service.url });
    const channel = await alice.getExternalChannel("kitchen");
    expect(channel.title).toBe("The kitchen");
    const posts = (await alice.listChannelPosts(channel.id)).items;
    expect(posts.map(({ author_username, body }) => `${author_username}: ${body}`)).toEqual([
      "alice: Thanks.",
      "bob: I do.",
      "alice: Who has the kettle?",
    ]);
  });
});

async function tokenOf(user: string): Promise<string> {
  const key = new TextEncoder().encode(OWNER_JWT_SECRET);
  const token = new SignJWT({}).setProtectedHeader({ alg: "HS256" }).setSubject(user);
  return await token.setExpirationTime("1h").sign(key);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return String(port);
}
