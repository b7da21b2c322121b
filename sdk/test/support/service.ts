import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BotIdentity, type Channel, OwnerClient } from "@botyard/sdk";
import { startInProcessService } from "../../../server/test/support/in-process-service.js";
import {
  type Environment,
  environmentOf,
  startServiceProcess,
} from "../../../server/test/support/program.js";

/** The real service, with data of its own. */
export interface RealService {
  url: string;
  port: number;
  /** The folder of its database and keys. */
  dataDir: string;
  ownerToken: string;
  owner: OwnerClient;
  /** Stops it for now. Its data stays. */
  halt(): Promise<void>;
  /** The same service again, on the same data and port. */
  restart(): Promise<void>;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

/** The real service, as a process of its own. */
export interface KillableService extends RealService {
  kill(): Promise<void>;
}

/**
 * Starts the service within this process, which spares the processor time of starting one.
 *
 * @param env settings beyond the usual ones
 */
export async function startService(env: Environment = {}): Promise<RealService> {
  return (await startBy(startInProcessService, env)).service;
}

/** @param env settings beyond the usual ones */
export async function startKillableService(env: Environment = {}): Promise<KillableService> {
  const { service, current } = await startBy(startServiceProcess, env);
  return Object.assign(service, {
    async kill() {
      await current().stop("SIGKILL");
    },
  });
}

interface Instance {
  url: string;
  stop(): Promise<unknown>;
}

async function startBy<Started extends Instance>(
  start: (dataDir: string, settings: Environment) => Promise<Started>,
  env: Environment,
): Promise<{ service: RealService; current(): Started }> {
  const dataDir = mkdtempSync(join(tmpdir(), "botyard-sdk-"));
  const settings = { ...env, RATE_LIMIT_BURST: "1000000", RATE_LIMIT_PER_SECOND: "1000000" };
  let instance = await start(dataDir, settings);
  const { url } = instance;
  const port = Number(new URL(url).port);
  const { BOTYARD_TOKEN: ownerToken = "" } = await environmentOf("alice", instance, dataDir, env);
  const service: RealService = {
    url,
    port,
    dataDir,
    ownerToken,
    owner: new OwnerClient(ownerToken, { url }),
    async halt() {
      await instance.stop();
    },
    async restart() {
      instance = await start(dataDir, { ...settings, PORT: String(port) });
    },
    async stop() {
      await instance.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
  return { service, current: () => instance };
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
