import type { Socket } from "node:net";
import { afterEach } from "vitest";
import type { AttemptResult, FailedResult, Sender } from "#botyard/delivery/sending/send-attempt.js";
import { type RawServer, startRawServer } from "./raw-server.js";
import { type Answer, type Receiver, startReceiver } from "./receiver.js";
import { makeSender } from "./senders.js";

/** A time-out that is never reached. */
const LONG_MS = 60_000;
/** A time-out that a test waits for. */
export const SHORT_MS = 150;

/** Makes senders and receivers that are closed after each test of the file. */
export function useSending() {
  const toClose: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const opened of toClose.splice(0)) await opened.close();
  });
  return {
    openSender(timeoutMs = LONG_MS): Sender {
      const sender = makeSender({ timeoutMs });
      toClose.unshift(sender);
      return sender;
    },
    async openReceiver(answer?: Answer): Promise<Receiver> {
      const receiver = await startReceiver(answer);
      toClose.push(receiver);
      return receiver;
    },
    async openRawServer(onConnection: (socket: Socket) => void): Promise<RawServer> {
      const server = await startRawServer(onConnection);
      toClose.push(server);
      return server;
    },
  };
}

/** Makes one attempt at a loopback port. */
export function send(
  sender: Sender,
  port: number,
  protocol = "http",
  secret?: string,
): Promise<AttemptResult> {
  const endpoint = { origin: `${protocol}://127.0.0.1:${port}`, path: "/hook?k=v", secret };
  return new Promise((resolve) => sender.send(endpoint, '{"update_id":1}', resolve));
}

/** The result of an attempt without an answer. */
export const failed = (error: string) => ({ accepted: false, error });

/** The result of an attempt that a receiver refused: its error begins with the status. */
export const refused = (error: string, more: Partial<FailedResult> = {}) => ({
  accepted: false,
  error,
  status: Number.parseInt(error, 10),
  ...more,
});
