import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BotIdentity, type Channel, OwnerClient } from "@botyard/sdk";
import {
  type Environment,
  environmentOf,
  type ServiceProcess,
  startServiceProcess,
} from "../../../server/test/support/program.js";

/** The real service, as a process of its own. */
export interface RealService {
  url: string;
  port: number;
  /** The folder of its database and keys. */
  dataDir: string;
  ownerToken: string;
  owner: OwnerClient;
  /** The same service again, on the same data and port. */
  restart(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/** @param env settings beyond the usual ones */
export async function startService(env: Environment = {}): Promise<RealService> {
  const dataDir = mkdtempSync(join(tmpdir(), "botyard-sdk-"));
  const settings = { ...env, RATE_LIMIT_BURST: "1000000", RATE_LIMIT_PER_SECOND: "1000000" };
  let process: ServiceProcess = await startServiceProcess(dataDir, settings);
  const { url } = process;
  const port = Number(new URL(url).port);
  const { BOTYARD_TOKEN: ownerToken = "" } = await environmentOf("alice", process, dataDir, env);
  return {
    url,
    port,
    dataDir,
    ownerToken,
    owner: new OwnerClient(ownerToken, { url }),
    async restart() {
      process = await startServiceProcess(dataDir, { ...settings, PORT: String(port) });
    },
    async kill() {
      await process.stop("SIGKILL");
    },
    async stop() {
      await process.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

export interface World {
  bot: { id: string; username: string };
  token: string;
  channel: Channel;
  me: BotIdentity;
}

let worlds = 0;

/** A bot that is attached to a channel, with unique names. */
export async function makeWorld({ owner }: RealService): Promise<World> {
  worlds += 1;
  const number = worlds;
  const { bot, token } = await owner.createBot({ username: `bot-${number}` });
  const channel = await owner.createChannel({ slug: `channel-${number}`, title: "A channel" });
  await owner.attachBot(bot.id, channel.id);
  const { id, bot_user_id, username, display_name } = bot;
  return { bot, token: token.token, channel, me: { id, bot_user_id, username, display_name } };
}
