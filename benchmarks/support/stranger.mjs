import { setTimeout as pause } from "node:timers/promises";
import { createBotsWithChannels } from "./busy-service.mjs";
import { percentile } from "./figures.mjs";
import { openHttpClient } from "./http-client.mjs";
import { pollUntilStopped } from "./pollers.mjs";
import { residentBytes } from "./proc.mjs";
import { startProgram } from "./processes.mjs";
import { SECRET } from "./signed-sender.mjs";
import { monotonicMs, stampOf } from "./stamp.mjs";
import { readAges, resetCounts } from "./watch-receiver.mjs";

/** Posts a second: few, so that what is measured is the service and not the load. */
const RATE = 25;

/**
 * An owner with one bot that posts, polls and has a webhook, like most.
 *
 * @returns `measure` posts for some seconds and returns the percentiles in milliseconds, and what else was seen
 */
export async function settleStranger(service, owner) {
  const receiver = await startProgram("receiver");
  const [bot] = await createBotsWithChannels(owner, 1, "stranger");
  await owner.setWebhooks([bot], `${receiver.url}/hook`, SECRET);
  const polls = pollUntilStopped(service.url, [bot]);
  const idle = [];

  return {
    async measure(seconds) {
      polls.takeAges();
      await resetCounts(receiver);
      const answersMs = [];
      let refused = 0;
      let peakBytes = 0;
      const endsAt = monotonicMs() + seconds * 1000;
      const sending = [];
      for (let at = monotonicMs(); at < endsAt; at += 1000 / RATE) {
        await pause(Math.max(0, at - monotonicMs()));
        sending.push(
          post(idle, service.url, bot.target, at).then(
            () => answersMs.push(monotonicMs() - at),
            () => (refused += 1),
          ),
        );
        peakBytes = Math.max(peakBytes, residentBytes(service.pid));
      }
      await Promise.all(sending);
      await pause(500);
      const hooks = await readAges(receiver);
      const polled = polls.takeAges();
      return {
        post: { p50: percentile(answersMs, 0.5), p99: percentile(answersMs, 0.99) },
        poll: { p50: percentile(polled, 0.5), p99: percentile(polled, 0.99) },
        webhook: { p50: hooks.p50 ?? Number.POSITIVE_INFINITY, p99: hooks.p99 ?? Number.POSITIVE_INFINITY },
        missing: sending.length - refused - hooks.ages,
        refused,
        peakBytes,
      };
    },
    async stop() {
      await polls.stop();
      await receiver.stop();
    },
  };
}

async function post(idle, url, { path, token }, at) {
  const client = idle.pop() ?? (await openHttpClient(url));
  const body = JSON.stringify({ body: `a stranger's post, sent at ${stampOf(at)}` });
  try {
    await client.send(
      `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  } finally {
    idle.push(client);
  }
}
