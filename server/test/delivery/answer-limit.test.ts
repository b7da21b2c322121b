import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { limitAnswers } from "#botyard/delivery/sending/answer-limit.js";
import { type RawServer, startRawServer } from "../support/raw-server.js";

const MAX_BYTES = 20_000;
const POURED_BYTES = 500_000;

let server: RawServer;
afterEach(() => server.close());

it("hands out little more than an attempt may receive, however much has arrived", async () => {
  server = await startRawServer((socket) => {
    socket.once("data", () => socket.write(Buffer.alloc(POURED_BYTES)));
  });
  const connector = limitAnswers(
    (_, callback) => {
      const socket = connect(server.port, "127.0.0.1", () => callback(null, socket));
    },
    () => MAX_BYTES,
  );
  const socket = await new Promise<ReturnType<typeof connect>>((resolve) => {
    connector({ hostname: "127.0.0.1", protocol: "http:", port: String(server.port) }, (_, opened) => {
      if (opened) resolve(opened);
    });
  });
  let readBytes = 0;
  socket.on("readable", () => {
    for (let piece = socket.read(); piece !== null; piece = socket.read()) readBytes += piece.length;
  });
  const failed = once(socket, "error");
  socket.write("request");
  expect((await failed)[0]).toMatchObject({ code: "ANSWER_TOO_LARGE" });
  expect(readBytes).toBeGreaterThan(MAX_BYTES);
  expect(readBytes).toBeLessThanOrEqual(MAX_BYTES + 4_096);
});
