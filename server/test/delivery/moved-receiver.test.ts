import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { createDeliveryWorld } from "../support/delivery-world.js";
import { startDnsServer } from "../support/dns-server.js";
import { engine } from "../support/engines.js";
import { eventually } from "../support/eventually.js";

const OLD_ADDRESS = "127.0.0.1";
/** All of 127.0.0.0/8 is loopback on Linux; elsewhere only its first address is there without being asked for. */
const NEW_ADDRESS = "127.0.0.2";

/** Accepts everything, and counts it. */
async function listenAt(
  address: string,
  port: number,
): Promise<{ server: Server; accepted(): number } | undefined> {
  let accepted = 0;
  const server = createServer((request, response) => {
    request.resume();
    accepted += 1;
    response.end();
  });
  const isUp = await new Promise<boolean>((resolve) => {
    server.on("error", () => resolve(false)).listen(port, address, () => resolve(true));
  });
  return isUp ? { server, accepted: () => accepted } : undefined;
}

it(`a receiver that moves to another address gets everything on ${engine.name}`, async ({ skip }) => {
  const old = await listenAt(OLD_ADDRESS, 0);
  if (!old) throw new Error("nothing can listen on loopback");
  const { port } = old.server.address() as AddressInfo;
  const moved = await listenAt(NEW_ADDRESS, port);
  if (!moved) {
    old.server.close();
    return skip();
  }
  let address = OLD_ADDRESS;
  const dns = await startDnsServer(() => [address]);
  const home = await engine.createHome();
  const world = createDeliveryWorld(await home.open());
  try {
    const bot = await world.createBot();
    await bot.putWebhook(`http://receiver.example:${port}/hook`);
    world.startDispatcher({ dnsServers: [dns.address], retrySchedule: Array.from({ length: 50 }, () => 50) });
    await bot.post(10);
    await bot.delivered(10);
    expect(old.accepted()).toBe(10);

    // The machine disappears first; the name changes later.
    old.server.close();
    old.server.closeAllConnections();
    await bot.post(10);
    await eventually("it is missed", async () => (await bot.update(11)).lastError === "connection refused");
    address = NEW_ADDRESS;
    await bot.delivered(20);
    expect(moved.accepted()).toBe(10);
  } finally {
    await world.close();
    await home.remove();
    await dns.close();
    for (const { server } of [old, moved]) {
      server.closeAllConnections();
      server.close();
    }
  }
});
