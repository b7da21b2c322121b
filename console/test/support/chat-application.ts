import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OwnerClient, PlatformClient } from "@botyard/sdk";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { type KillableService, startKillableService } from "../../../sdk/test/support/service.js";
import { eventually } from "../../../server/test/support/eventually.js";
import { type Environment, type Program, repository, run } from "../../../server/test/support/program.js";
import { sharedBrowser } from "./console.js";

const PLATFORM_TOKEN = "a-token-of-the-platform-0123456789";
const folder = join(repository, "examples/platform");

/** Limits against hanging: after an outage the bot and the product wait longer and longer between their tries. */
const PAGE_PATIENCE_MS = 60_000;
export const PATIENCE = { timeout: 3 * PAGE_PATIENCE_MS };

/** The chat application of examples/platform with the real service, and users of it in a real browser. */
export interface ChatApplication {
  readonly service: KillableService;
  /** The file of its database. */
  readonly database: string;
  /** Starts it again, at the same address. */
  restart(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** Starts a bot of the example. */
  startBot(name: string, token: string): void;
  /** A page of somebody who has just entered. */
  signIn(name: string, options?: BrowserContextOptions): Promise<Page>;
  /** The service's owner who stands for the user with this number. */
  ownerOf(user: number): OwnerClient;
  /** The service, as the application's operator sees it. */
  readonly platform: PlatformClient;
  /** Has it read the feed from the beginning, while it is stopped. */
  rewindFeed(): Promise<void>;
  /** Whether it has read the feed to the end. */
  isFeedRead(): Promise<boolean>;
}

/** One for all tests of a file. Afterwards no page may have had an error. */
export function useChatApplication(): ChatApplication {
  let service: KillableService;
  let url = "";
  let chat: Program;
  const tabs: BrowserContext[] = [];
  const programs: Program[] = [];
  const complaints: string[] = [];
  const data = mkdtempSync(join(tmpdir(), "botyard-platform-"));
  const database = join(data, "chat.db");

  const start = (name: string, env: Environment) => {
    const program = run(process.execPath, [join(folder, name)], { BOTYARD_URL: service.url, ...env });
    programs.push(program);
    return program;
  };
  const startChat = async () => {
    const PORT = url === "" ? "0" : new URL(url).port;
    chat = start("server.mjs", { PLATFORM_TOKEN, PORT, DATABASE: database });
    url = await eventually("it says where it is", () => /open (http:\S+)/.exec(chat.stdout())?.[1]);
  };

  const platform = () => new PlatformClient(PLATFORM_TOKEN, { url: service.url });

  beforeAll(async () => {
    service = await startKillableService({ PLATFORM_TOKEN, PLATFORM_FEED: "true" });
    await startChat();
  });
  afterAll(async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    for (const program of programs) await program.stop("SIGKILL");
    await service?.stop();
    rmSync(data, { recursive: true });
    expect(complaints).toEqual([]);
  });

  return {
    get service() {
      return service;
    },
    database,
    restart: startChat,
    stop: (signal) => chat.stop(signal),
    startBot(name, token) {
      start(name, { BOT_TOKEN: token });
    },
    async signIn(name, options) {
      const tab = await (await sharedBrowser()).newContext(options);
      tabs.push(tab);
      const page = await tab.newPage();
      page.setDefaultTimeout(PAGE_PATIENCE_MS);
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(url);
      await page.getByLabel("Your name").fill(name);
      await page.getByRole("button", { name: "Enter" }).click();
      await page.getByRole("button", { name: "Open a room" }).waitFor();
      return page;
    },
    get platform() {
      return platform();
    },
    ownerOf: (user) => platform().as(`user-${user}`),
    async rewindFeed() {
      const [first] = (await platform().readFeed({ limit: 1 })).items;
      await platform().moveFeedConsumer("chat", { cursor: first?.cursor ?? "", rewind: true });
    },
    async isFeedRead() {
      const { items } = await platform().listFeedConsumers();
      return items.every(({ lag }) => lag === 0);
    },
  };
}

/** Makes a bot in the room that the page shows. */
export async function addBot(page: Page, username: string): Promise<string> {
  const told = page.locator("output");
  const before = await told.textContent();
  await page.getByLabel("Username of a new bot").fill(username);
  await page.getByRole("button", { name: "Add a bot" }).click();
  return await eventually("the token is shown", async () => {
    const text = await told.textContent();
    const problem = await page.locator("#problem").textContent();
    if (problem) throw new Error(`the bot was not added: ${problem}`);
    return text === before ? undefined : /bot_\S+/.exec(text ?? "")?.[0];
  });
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message", { exact: true }).fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

export const messages = (page: Page) => page.getByRole("list", { name: "Messages" }).getByRole("listitem");
