import type { BotClient } from "../client/bot-client.js";
import { wait } from "../client/wait.js";

export interface ReaderOptions {
  /**
   * Whether it waits, before it reads anything, while another copy of the bot reads for the consumer, and takes over when that one has
   * stopped, or has not been heard of for 45 s. It then waits for the service too, as with `wait`. False unless given. Give it to all copies.
   */
  standby?: boolean;
  /** Called when another copy of the bot goes on reading for the same consumer. Unless given, it prints a line. */
  onSecondReader?(): void;
}

/** Three times within the time for which the service believes it. */
const TOLD_EVERY_MS = 15_000;
const STANDBY_EVERY_MS = 1_000;
/** Another reader that is heard of so often in a row is alive: one that was killed is forgotten after 45 s. */
const SIGNS_OF_LIFE = 4;
const ANOTHER = "botyard: another copy of this bot is running";

/** Does something once the service can be reached; undefined when the bot is stopped. */
export type Reach = <Result>(work: () => Promise<Result>) => Promise<Result | undefined>;

/** Reads, and tells the service now and then that this process does; with `standby`, once no other one does. */
export async function readAlone(
  api: BotClient,
  consumer: string,
  { standby, onSecondReader = () => console.error(ANOTHER) }: ReaderOptions,
  stopping: AbortSignal,
  reach: Reach,
  read: () => Promise<void>,
): Promise<void> {
  const poll = { consumer, reader: crypto.randomUUID(), limit: 1, retries: 0 };
  let hasTold = false;
  /** How often in a row another reader was heard of. */
  let signs = 0;
  const tell = async () => {
    const { otherReader } = await api.pollUpdates({ ...poll, signal: stopping });
    hasTold = true;
    signs = otherReader === undefined ? 0 : signs + 1;
    return signs;
  };
  while (standby && (await reach(tell))) {
    if (signs === 1) console.error(`${ANOTHER}: standing by`);
    await wait(STANDBY_EVERY_MS, stopping).catch(() => {});
  }
  // Its failures are told by the polls for updates.
  const timer = setInterval(() => {
    tell().then(
      () => signs === SIGNS_OF_LIFE && onSecondReader(),
      () => {},
    );
  }, TOLD_EVERY_MS);
  try {
    await read();
  } finally {
    clearInterval(timer);
    if (hasTold) await api.pollUpdates({ ...poll, leaving: true, timeoutMs: 2_000 }).catch(() => {});
  }
}
