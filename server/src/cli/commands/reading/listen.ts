import { randomBytes } from "node:crypto";
import type { Update } from "@botyard/sdk";
import type { Command } from "commander";
import { loadClientSettings } from "../../../config.js";
import { UsageError } from "../../errors.js";
import { type FollowOptions, follow, followCommand, type SavedPosition } from "../../following/follow.js";
import { say, write } from "../../output/print.js";
import { printable } from "../../output/text.js";

interface ListenOptions extends FollowOptions {
  forwardTo: string;
  secretToken?: string;
  retry: boolean;
}

/** The service's default for `WEBHOOK_TIMEOUT_MS`. */
const TIMEOUT_MS = 10_000;
const CHANNELS_AT_ONCE = 16;
const SECRET = /^[!-~]{1,256}$/;

/** `botyard listen`: forwards updates to a receiver without a public address, like a webhook. */
export function addListen(program: Command): void {
  followCommand(program, "listen")
    .description("forward a bot's updates to a receiver on this machine, signed as the service signs them")
    .requiredOption("--forward-to <url>", "where the receiver listens")
    .option(
      "--secret-token <text>",
      "what to sign with (better BOTYARD_SECRET_TOKEN; else that of the last run, at first a new one)",
    )
    .option("--no-retry", "continue after a failed attempt instead of repeating it")
    .addHelpText(
      "after",
      `
The first run begins with the next update, later ones where the last run ended. The position and the secret are kept in
~/.botyard/positions, in a file that only you can read; the secret is shown when it is made. One run for each bot at a time.

Failed attempts are repeated after 1 s, then after longer and longer waits up to 60 s, until one is answered
with a status below 300; updates of other channels are forwarded meanwhile.

Examples:
  BOTYARD_TOKEN=bot_… botyard listen --forward-to http://localhost:3000/hook
  BOTYARD_TOKEN=bot_… BOTYARD_SECRET_TOKEN=open-sesame botyard listen --forward-to http://localhost:3000/hook`,
    )
    .action(listen);
}

async function listen(options: ListenOptions): Promise<void> {
  const url = receiverUrl(options.forwardTo);
  const given = givenSecret(options);
  await follow(options, {
    command: "listen",
    firstStart: "now",
    isAlone: true,
    concurrency: CHANNELS_AT_ONCE,
    prepare(bot, saved, file) {
      const secret = given ?? secretOf(saved, file);
      bot.use(async ({ update }) => {
        const startedAt = performance.now();
        const outcome = await forward(url, secret, update);
        const ms = Math.round(performance.now() - startedAt);
        print({ update, ms, ...outcome }, options);
        if (!outcome.ok) throw new Error(outcome.status);
      });
      // The failure is already printed. Without "skip" the update is repeated.
      bot.catch(() => (options.retry ? undefined : "skip"));
      return { secret_token: secret };
    },
  });
}

interface Outcome {
  ok: boolean;
  /** The status line of the answer, or why there was none. */
  status: string;
}

async function forward(url: string, secret: string, update: Update): Promise<Outcome> {
  const { signWebhook } = await import("@botyard/sdk/testing");
  const body = JSON.stringify(update);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...(await signWebhook({ secret, body })), "User-Agent": "botyard-listen" },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return { ok: response.ok, status: `${response.status} ${response.statusText}`.trim() };
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: { code?: string } };
    if (name === "TimeoutError") return { ok: false, status: `timed out after ${TIMEOUT_MS / 1000} s` };
    return {
      ok: false,
      status: cause?.code === "ECONNREFUSED" ? "connection refused" : (cause?.code ?? message),
    };
  }
}

function print(done: Outcome & { update: Update; ms: number }, { json, retry }: ListenOptions): void {
  const { update, ok, status, ms } = done;
  const { update_id, event_type } = update;
  if (json) {
    write(`${JSON.stringify({ update_id, event_type, ok, status, ms })}\n`);
    return;
  }
  const after = ok ? "" : retry ? ", will be repeated" : ", given up";
  const line = `${ok ? "✓" : "✗"} #${update_id}  ${event_type}  ${status}  ${ms} ms${after}`;
  write(`${printable(line)}\n`);
}

function receiverUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text;
  throw new UsageError(`--forward-to must be an address such as http://localhost:3000/hook, not "${text}"`);
}

/** @throws UsageError when it cannot be a secret */
function givenSecret(options: ListenOptions): string | undefined {
  const given = options.secretToken ?? loadClientSettings().secretToken;
  if (given === undefined || SECRET.test(given)) return given;
  throw new UsageError("the secret token must have 1 to 256 visible ASCII characters");
}

/**
 * The secret of the last run, so that the receiver need not be configured anew each time.
 *
 * @throws Error naming the position file when it has none that can be one
 */
function secretOf(saved: SavedPosition | undefined, file: string): string {
  const kept: unknown = saved?.secret_token;
  if (kept === undefined) {
    const secret = randomBytes(24).toString("base64url");
    say(`signing with secret_token ${secret}`);
    return secret;
  }
  if (typeof kept !== "string" || !SECRET.test(kept))
    throw new Error(`the secret_token in ${file} is damaged: repair it, or delete the file to start over`);
  say(`signing with the secret_token in ${file}`);
  return kept;
}
