import { setTimeout as sleep } from "node:timers/promises";
import { administerCells, type CellsAdmin } from "#botyard/administer-cells.js";
import { newId } from "#botyard/domain/ids.js";
import { type Answer, type Ask, ask } from "./api-client.js";
import { databaseAt } from "./cells.js";
import { onDatabase } from "./engines.js";
import { createPostgresServer, makeFolder, type PostgresServer, UNSYNCED } from "./postgres-server.js";
import { type ServiceProcess, startServiceProcess } from "./program.js";

export const METRICS_TOKEN = "metrics-token-of-the-cells";
const PLATFORM_TOKEN = "platform-token-of-the-cells-0123456789";

/** Services on a directory and cells on PostgreSQL servers. The first server has the directory too. */
export interface CellsUnderFaults {
  servers: readonly PostgresServer[];
  admin(): Promise<CellsAdmin>;
  /** Instances by their place; one that was killed is replaced by the next. */
  instances: ServiceProcess[];
  restart(place: number): Promise<void>;
  /** Asks an instance as an owner, for the platform. */
  asOwner(owner: string, method: string, path: string, what?: Ask, place?: number): Promise<Answer>;
  /** The same as a bot. */
  asBot(token: string, method: string, path: string, what?: Ask, place?: number): Promise<Answer>;
  close(): Promise<void>;
}

/**
 * @param names of the cells
 * @param serverCount the cells are on these in turn; on one of their own each when left out
 */
export async function startCellsUnderFaults(
  names: readonly string[],
  instanceCount: number,
  serverCount = names.length,
): Promise<CellsUnderFaults> {
  const servers = await Promise.all(
    Array.from({ length: serverCount }, () => createPostgresServer(UNSYNCED)),
  );
  await Promise.all(servers.map((server) => server.start()));
  const urls = servers.map(({ url }) => `${url}/botyard`);
  await Promise.all(servers.map(({ url }) => onDatabase(`${url}/postgres`, "CREATE DATABASE botyard")));
  const [directory = ""] = urls;
  const admin = () => administerCells(databaseAt(directory), () => {});
  const first = await admin();
  for (const [index, name] of names.entries())
    await first.add(
      name,
      index === 0 ? undefined : urls[index % serverCount],
      index < serverCount ? undefined : `cell_${name}`,
      () => {},
    );
  await first.close();

  const folder = await makeFolder();
  const start = () =>
    startServiceProcess(folder, {
      DATABASE_URL: directory,
      PLATFORM_TOKEN,
      METRICS_TOKEN,
      RATE_LIMIT_PER_SECOND: "1000",
      RATE_LIMIT_BURST: "10000",
      WEBHOOK_ALLOW_PRIVATE: "true",
      PLATFORM_RATE_LIMIT_PER_SECOND: "10000",
      PLATFORM_RATE_LIMIT_BURST: "10000",
    });
  const instances: ServiceProcess[] = [await start()];
  for (let n = 1; n < instanceCount; n++) instances.push(await start());

  const at = (place: number): ServiceProcess => instances[place % instances.length] as ServiceProcess;
  return {
    servers,
    admin,
    instances,
    async restart(place) {
      await at(place).stop("SIGKILL");
      instances[place % instances.length] = await start();
    },
    asOwner: (owner, method, path, what = {}, place = 0) =>
      ask(at(place), method, path, {
        ...what,
        token: PLATFORM_TOKEN,
        headers: { "botyard-owner": owner, ...what.headers },
      }),
    asBot: (token, method, path, what = {}, place = 0) => ask(at(place), method, path, { ...what, token }),
    async close() {
      await Promise.all(instances.map((instance) => instance.stop("SIGKILL")));
      await Promise.all(servers.map((server) => server.remove()));
    },
  };
}

/** An owner with a bot in a channel, and what was acknowledged of their posts, in order. */
export interface PostingOwner {
  owner: string;
  botId: string;
  token: string;
  channelId: string;
  acknowledged: string[];
}

export async function makePostingOwner(
  world: CellsUnderFaults,
  owner: string,
  webhook: string,
): Promise<PostingOwner> {
  const call = async (method: string, path: string, body?: unknown): Promise<Answer["body"]> => {
    const answer = await world.asOwner(owner, method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const { bot, token } = await call("POST", "/v1/bot-api/bots", { username: `bot-${owner}` });
  const { id: channelId } = await call("POST", "/v1/channels", { slug: `channel-${owner}`, title: owner });
  await call("POST", `/v1/bot-api/bots/${bot.id}/channels/${channelId}`);
  await call("PUT", `/v1/bot-api/bots/${bot.id}/webhook`, { url: webhook });
  return { owner, botId: bot.id, token: token.token, channelId, acknowledged: [] };
}

/** Between an acknowledgement and the next post: as fast as they can, a few owners take all of a machine for all of a trial. */
const POST_EVERY_MS = 200;

/** Publishes posts one after the other, each until it is acknowledged, at whichever instance answers. */
export async function keepPosting(
  world: CellsUnderFaults,
  one: PostingOwner,
  isOver: () => boolean,
): Promise<void> {
  const path = `/v1/channels/${one.channelId}/posts`;
  for (let place = 0; !isOver(); ) {
    const body = newId();
    for (;;) {
      const answer = await world
        .asOwner(one.owner, "POST", path, { body: { body }, headers: { "idempotency-key": body } }, place)
        .catch(() => undefined);
      if (answer?.status === 201) break;
      if (answer && ![429, 503].includes(answer.status))
        throw new Error(`POST ${path}: ${answer.status} ${answer.text}, ${failuresOf(world).join()}`);
      place += 1;
      await sleep(50);
    }
    one.acknowledged.push(body);
    await sleep(POST_EVERY_MS);
  }
}

/** What instances have logged of their own errors. */
function failuresOf({ instances }: CellsUnderFaults): string[] {
  return instances.flatMap((one) =>
    one
      .stdout()
      .split("\n")
      .filter((line) => line.includes('"status":500')),
  );
}
