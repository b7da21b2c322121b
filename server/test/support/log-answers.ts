import { DELIVERY_STATES, type TrackedUpdate } from "#botyard/domain/events/update.js";
import type { BotRef, Store } from "#botyard/store/store.js";

const PAGE = 100;

/** What a store says of a bot's log and its deliveries; each event as the body of its post. */
export async function logAnswers(store: Store, ref: BotRef): Promise<object> {
  const { botId } = ref;
  const updates = await store.readUpdates(botId, 0, 10_000);
  const attempts: object[] = [];
  for (const { updateId } of updates) {
    const found = await store.listFailedAttempts(botId, updateId);
    if (found && found.length > 0) attempts.push({ updateId, found });
  }
  return {
    head: await store.readLogHead(botId),
    tail: await store.readLogTail(botId),
    stats: await store.readStats(ref),
    webhook: await store.readWebhook(ref),
    log: updates.map(({ updateId, payload }) => [updateId, bodyOf(payload)]),
    history: await pages((before) => store.listRecentUpdates(botId, PAGE, before)),
    errors: await pages(async (before) => (await store.listDeliveryErrors(botId, PAGE, before)) ?? []),
    states: Object.fromEntries(
      await Promise.all(DELIVERY_STATES.map(async (state) => [state, await inState(store, botId, state)])),
    ),
    attempts,
  };
}

async function inState(store: Store, botId: string, state: TrackedUpdate["state"]): Promise<object[]> {
  const found: object[] = [];
  let before: number | undefined;
  do {
    const { updates, next } = await store.listUpdatesInState(botId, state, PAGE, before);
    found.push(...updates.map(withBody));
    before = next ?? (updates.length === PAGE ? updates.at(-1)?.updateId : undefined);
  } while (before !== undefined);
  return found;
}

async function pages(read: (before?: number) => Promise<TrackedUpdate[]>): Promise<object[]> {
  const found: object[] = [];
  for (let page = await read(); page.length > 0; page = await read(page.at(-1)?.updateId))
    found.push(...page.map(withBody));
  return found;
}

function withBody({ payload, channelId: _channel, ...update }: TrackedUpdate): object {
  return { ...update, body: bodyOf(payload) };
}

const bodyOf = (payload: string): string => (JSON.parse(payload) as { body: string }).body;
