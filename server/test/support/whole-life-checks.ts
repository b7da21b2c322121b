import { expect } from "vitest";
import type { ReceivedRequest, Receiver } from "./receiver.js";

/** An update, as the owner's list of updates shows it. */
export interface Row {
  update_id: number;
  event_type: string;
  payload: { post_id: string; body?: string };
  delivered_webhook_at?: string;
  webhook_attempt_count: number;
  next_retry_at: string | null;
}

export type Stats = Record<
  | "total_updates"
  | "pending_updates"
  | "scheduled_retries"
  | "delivered_updates"
  | "terminal_failed_updates"
  | "skipped_updates",
  number
>;

/** Checks for gaps, repetitions and missing acknowledged posts. */
export function expectWhole(rows: readonly Row[], posted: readonly string[]): void {
  expect(rows.map(({ update_id }) => update_id)).toEqual(rows.map((_, index) => index + 1));
  // Edits and deletions are of posts that are there already.
  const created = rows.filter(({ event_type: kind }) => !/^channel\.post_(edited|deleted)$/.test(kind));
  const logged = new Set(created.map(({ payload }) => payload.post_id));
  expect(logged.size).toBe(created.length);
  expect(posted.filter((id) => !logged.has(id))).toEqual([]);
}

/** Checks the counters against the rows. Deliveries between the two reads change no sum. */
export function expectCounted(rows: readonly Row[], stats: Stats): void {
  const { total_updates, pending_updates, scheduled_retries, delivered_updates } = stats;
  const undone = stats.terminal_failed_updates + stats.skipped_updates;
  expect(pending_updates + scheduled_retries + delivered_updates + undone).toBe(total_updates);
  expect(total_updates).toBe(rows.length);
  expect(delivered_updates).toBeGreaterThanOrEqual(rows.filter((row) => row.delivered_webhook_at).length);
}

/** One kill can leave at most one attempt at an update unrecorded. */
export function expectSentAsRecorded(rows: readonly Row[], receiver: Receiver): void {
  for (const { update_id, webhook_attempt_count } of rows) {
    const received = timesReceived(receiver, update_id);
    expect(received).toBeGreaterThanOrEqual(webhook_attempt_count);
    expect(received).toBeLessThanOrEqual(webhook_attempt_count + 1);
  }
}

export function timesReceived(
  { requests }: { requests: readonly ReceivedRequest[] },
  updateId: number,
): number {
  return requests.filter((request) => request.updateId === updateId).length;
}

interface AuditEntry {
  operation: string;
  target: { type: string; channel_id?: string };
  changes: { role?: { before?: string; after?: string } };
}

/** Checks that the audit log has each change of a bot that there is, and none that there is not. */
export async function expectAudited(
  ask: <Answer>(method: string, path: string) => Promise<Answer>,
  botId: string,
): Promise<void> {
  const { items: bots } = await ask<{ items: { id: string }[] }>("GET", "/v1/bot-api/bots");
  const isThere = bots.some(({ id }) => id === botId);
  const { items } = await ask<{ items: AuditEntry[] }>("GET", `/v1/owner/audit?target=${botId}`);
  const count = (operation: string) => items.filter((entry) => entry.operation === operation).length;
  expect([count("createBot"), count("deleteBot")]).toEqual([1, isThere ? 0 : 1]);
  if (!isThere) return;
  const attached = await ask<{ items: unknown[] }>("GET", `/v1/bot-api/bots/${botId}/channels`);
  const steps = items.map(({ changes: { role } }) => (role?.after ? 1 : 0) - (role?.before ? 1 : 0));
  expect(steps.reduce<number>((sum, step) => sum + step, 0)).toBe(attached.items.length);
}
