import type { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AnswerMemory } from "../../fairness/answer-memory.js";
import { eraseOwner } from "../../operations/upkeep/erase-owner.js";
import { type ExportItem, exportOwner } from "../../operations/upkeep/export-owner.js";
import type { Api, AppOptions } from "../api.js";
import { isOwnerStillValid } from "../credentials/authentication.js";
import { readAsSent } from "../event-stream.js";
import { createMinuteLimit } from "../limits/minute-limit.js";
import { sendRefusal } from "../refusal.js";
import { answer, ref } from "../schemas/document/component.js";
import { failures } from "../schemas/document/failures.js";
import {
  END_LINE,
  EraseOwnerRequest,
  EraseStatusBody,
  ExportQuery,
  encodeItem,
  exportLines,
  markOf,
  positionOf,
} from "../schemas/owner.js";
import { extension } from "../surface.js";
import { ownerActor } from "./refs.js";

/** An interrupted export is continued by another call, so an export may need several. */
const EXPORTS_PER_MINUTE = 10;
const RETRY_AFTER_EXPORT_S = 5;

/** `/v1/owner` and `/v1/owner/export` */
export function addOwnerRoutes(app: Api, { store, fairness, ownerTokens, answerMemory }: AppOptions): void {
  const limit = createMinuteLimit(EXPORTS_PER_MINUTE, "exports", "too_many_exports");
  const admit = oneAtATime();

  app.get(
    "/v1/owner/export",
    {
      schema: extension({
        operationId: "exportOwner",
        summary: "Export everything you have",
        description:
          "Streams the webhook for alerts, bots with their subscriptions and webhooks, channels with their posts and other events, attachments, updates with the state of their delivery, and the audit log, as JSON lines; no tokens and no secrets. An export that broke off goes on with `after`. One at a time, and at most 10 within a minute.",
        querystring: ExportQuery,
        response: { 200: exportLines, ...failures(400) },
      }),
    },
    async (request, reply) => {
      const { userId } = request.owner;
      const mark = markOf(userId);
      const after = request.query.after === undefined ? undefined : positionOf(request.query.after, mark);
      const release = admit(reply, userId);
      if (!release) return reply;
      if (!limit.admit(reply, userId)) {
        release();
        return reply;
      }
      /** The first page is read before the answer begins, so that a failure of the store gets an error status. */
      const pages = after === "end" ? none() : exportOwner(store, userId, after);
      const first = await pages.next().catch((error: unknown) => {
        release();
        throw error;
      });
      const isAuthorized = () => isOwnerStillValid(ownerTokens, request);
      const lines = readAsSent(linesOf(first, pages, mark, isAuthorized, answerMemory), request.method);
      lines.once("close", release);
      watchSocket(request, lines);
      return sendLines(reply, lines);
    },
  );

  app.delete(
    "/v1/owner",
    {
      schema: extension({
        operationId: "eraseOwner",
        summary: "Erase everything you have",
        description:
          "Deletes all your bots with their logs, and all your channels with their posts and events. A call works for some seconds; as long as it answers `erasing`, call again. It cannot be undone.",
        body: ref(EraseOwnerRequest),
        response: { 200: answer(EraseStatusBody, "How far it has got."), ...failures(400) },
      }),
    },
    async (request) => ({
      status: await eraseOwner(store, fairness.turns, ownerActor(request), request.body.confirm),
    }),
  );
}

/** @returns admits one export of each owner at this instance; undefined when it has sent the 429 */
function oneAtATime() {
  const running = new Set<string>();
  return (reply: FastifyReply, userId: string): (() => void) | undefined => {
    if (running.has(userId)) {
      reply.header("retry-after", RETRY_AFTER_EXPORT_S);
      const message = `you have an export running: try again in ${RETRY_AFTER_EXPORT_S} s`;
      sendRefusal(reply, "export_running", message);
      return undefined;
    }
    running.add(userId);
    return () => running.delete(userId);
  };
}

function sendLines(reply: FastifyReply, lines: Readable): FastifyReply {
  return reply
    .header("content-type", "application/x-ndjson")
    .header("cache-control", "no-store")
    .header("x-accel-buffering", "no")
    .send(lines);
}

/** Node emits no `close` for an answer that waits behind another one when the connection breaks. */
function watchSocket({ raw: { socket } }: FastifyRequest, lines: Readable): void {
  const end = (): void => {
    lines.destroy();
  };
  if (socket.destroyed) return end();
  socket.setMaxListeners(0).once("close", end);
  lines.once("close", () => socket.off("close", end));
}

/** Ends without the last line when the token has expired; the client continues with another token. */
async function* linesOf(
  first: IteratorResult<ExportItem[], void>,
  pages: AsyncGenerator<ExportItem[], void>,
  ownerMark: string,
  isAuthorized: () => Promise<boolean>,
  memory: AnswerMemory,
): AsyncGenerator<string> {
  let release = (): void => {};
  try {
    for (let page = first; !page.done; page = await pages.next()) {
      if (!(await isAuthorized())) return;
      const text = page.value.map((item) => encodeItem(item, ownerMark)).join("");
      release = memory.hold(Buffer.byteLength(text));
      yield text;
      release();
    }
    yield END_LINE;
  } finally {
    release();
  }
}

async function* none(): AsyncGenerator<ExportItem[], void> {}
