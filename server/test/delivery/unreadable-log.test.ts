import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { expect, it } from "vitest";
import { createUnreadableLog, openTarget } from "#botyard/delivery/sending/endpoint.js";
import { createSecretBox } from "#botyard/domain/secret-box.js";

it("a secret that cannot be opened is logged once a minute for each webhook, however often it is read", () => {
  const lines: string[] = [];
  const logUnreadable = createUnreadableLog(pino({}, { write: (line) => lines.push(line) }));
  const sealedSecret = createSecretBox([randomBytes(32)]).seal("secret", "echo");
  const box = createSecretBox([randomBytes(32)]);
  for (const destinationId of ["echo", "mirror", "echo", "mirror"]) {
    const { endpoint, error } = openTarget(
      { url: "http://a.test/hook", sealedSecret },
      { destinationId, botId: "echo" },
      box,
      logUnreadable,
    );
    expect({ endpoint, error }).toEqual({
      endpoint: undefined,
      error: "webhook secret cannot be decrypted",
    });
  }
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ["echo", "mirror"].map((destinationId) =>
      expect.objectContaining({ event: "webhook_unreadable", destinationId, botId: "echo", host: "a.test" }),
    ),
  );
});
