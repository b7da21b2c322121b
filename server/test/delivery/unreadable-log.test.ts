import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { expect, it } from "vitest";
import { createUnreadableLog, openTarget } from "#botyard/delivery/sending/endpoint.js";
import { createSecretBox } from "#botyard/domain/secret-box.js";

it("a secret that cannot be opened is logged once a minute for each bot, however often it is read", () => {
  const lines: string[] = [];
  const logUnreadable = createUnreadableLog(pino({}, { write: (line) => lines.push(line) }));
  const sealedSecret = createSecretBox([randomBytes(32)]).seal("secret", "echo");
  const box = createSecretBox([randomBytes(32)]);
  for (const botId of ["echo", "news", "echo", "news"]) {
    const { endpoint, error } = openTarget(
      { url: "http://a.test/hook", sealedSecret },
      { destinationId: botId, botId },
      box,
      logUnreadable,
    );
    expect({ endpoint, error }).toEqual({
      endpoint: undefined,
      error: "webhook secret cannot be decrypted",
    });
  }
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ["echo", "news"].map((botId) =>
      expect.objectContaining({ event: "webhook_unreadable", botId, host: "a.test" }),
    ),
  );
});
