import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engine, type StoreHome } from "../support/engines.js";
import { eventually } from "../support/eventually.js";
import { type FaultProxy, type NetworkFault, startFaultProxy } from "../support/fault-proxy.js";
import { type Owner, ownerAt } from "../support/load.js";
import * as faults from "../support/network-faults.js";
import { environmentOf, type ServiceProcess, startServiceProcess } from "../support/program.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { residentBytes } from "../support/resident-memory.js";

const TIMEOUT_MS = 1_500;
const TIMED_OUT = "timed out after 1.5 s";
const NOT_HTTP = "invalid HTTP answer";
/** Receivers send gigabytes meanwhile; keeping one of them would be eight times this. */
const MAX_GROWTH_BYTES = 128 * 1024 * 1024;

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/** What a receiver does, and the attempt's error; `accepted` where the answer still counts. */
type Shape = readonly [does: string, fault: NetworkFault, outcome: string];

const OVER_HTTP: readonly Shape[] = [
  ["resets the connection as it is made", faults.reset, "connection reset"],
  ["resets it at the request", faults.resetOnRequest, "connection reset"],
  ["hangs up as the connection is made", faults.hangUp, "connection closed without an answer"],
  ["hangs up at the request", faults.hangUpOnRequest, "connection closed without an answer"],
  ["hangs up in the status line", faults.sayAndHangUp("HTTP/1.1 20"), "connection closed without an answer"],
  [
    "accepts and hangs up in the body",
    faults.sayAndHangUp("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
    "accepted",
  ],
  ["accepts and hangs up between chunks", faults.sayAndHangUp(`${CHUNKED}2\r\nok\r\n`), "accepted"],
  [
    "refuses and hangs up in the body",
    faults.sayAndHangUp("HTTP/1.1 503 \r\ncontent-length: 9\r\n\r\nhalf"),
    "503 Service Unavailable",
  ],
  ["stalls", faults.stall, TIMED_OUT],
  ["stalls and takes nothing", faults.takeNothing, TIMED_OUT],
  ["stalls in the status line", faults.say("HTTP/1.1 2"), TIMED_OUT],
  [
    "accepts and stalls in the body",
    faults.say("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
    "accepted",
  ],
  [
    "refuses and stalls in the body",
    faults.say("HTTP/1.1 502 \r\ncontent-length: 9\r\n\r\nhalf"),
    "502 Bad Gateway",
  ],
  ["drips its status line", faults.drip("HTTP/1.1 200 ", "O"), TIMED_OUT],
  ["drips header fields", faults.drip("HTTP/1.1 200 OK\r\n", "x: y\r\n"), TIMED_OUT],
  ["accepts and drips its body", faults.drip(CHUNKED, "1\r\nx\r\n"), "accepted"],
  ["drips blank lines", faults.drip("", "\r\n"), TIMED_OUT],
  ["answers 100 Continue for ever", faults.drip("", "HTTP/1.1 100 Continue\r\n\r\n"), NOT_HTTP],
  [
    "answers 103 Early Hints for ever",
    faults.drip("", "HTTP/1.1 103 Early Hints\r\n\r\n"),
    "too many informational answers",
  ],
  ["answers garbage", faults.say("\u0000\u00ff}garbage{\r\n\r\n"), NOT_HTTP],
  ["answers a gigabyte of garbage", faults.pour("\u0000"), NOT_HTTP],
  ["answers with another protocol", faults.say("220 mail.example ESMTP\r\n"), NOT_HTTP],
  [
    "names two lengths",
    faults.say("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
    NOT_HTTP,
  ],
  ["sends a gigabyte of header fields", faults.pour("HTTP/1.1 200 OK\r\nx: "), "answer headers too large"],
  [
    "refuses in a gigabyte",
    faults.pour(`HTTP/1.1 500 Internal Server Error\r\ncontent-length: ${2 ** 30}\r\n\r\n`),
    "500 Internal Server Error",
  ],
  ["refuses and hangs up", faults.sayAndHangUp("HTTP/1.1 503 \r\n\r\n"), "503 Service Unavailable"],
  ["accepts in a gigabyte", faults.pour(`HTTP/1.1 200 OK\r\ncontent-length: ${2 ** 30}\r\n\r\n`), "accepted"],
  ["accepts in a gigabyte without a length", faults.pour("HTTP/1.1 200 OK\r\n\r\n"), "accepted"],
  ["accepts before it has read the body", faults.sayUnread(OK), "accepted"],
  ["accepts before it is asked", faults.sayUnasked(OK), "accepted"],
  ["accepts and hangs up", faults.sayAndHangUp(OK), "accepted"],
];

const OVER_TLS: readonly Shape[] = [
  ["resets the connection instead of a handshake", faults.resetOnRequest, "connection reset"],
  ["never shakes hands", faults.stall, TIMED_OUT],
  ["speaks no TLS", faults.breakHandshake("HTTP/1.1 400 Bad Request\r\n\r\n"), "TLS handshake failed"],
  [
    "refuses the handshake",
    faults.breakHandshake("\u0015\u0003\u0003\u0000\u0002\u0002\u0028"),
    "TLS handshake failed",
  ],
  [
    "breaks off the handshake",
    faults.breakHandshake("\u0016\u0003\u0003\u0001\u0000\u0002"),
    "connection reset",
  ],
];

const CERTIFICATES = [
  ["expired", "TLS certificate has expired"],
  ["not-yet-valid", "TLS certificate is not valid yet"],
  ["wrong-name", "TLS certificate is not for this host"],
  ["self-signed", "TLS certificate is self-signed"],
] as const;

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const keysOf = (name: string): { key: string; cert: string } => ({
  key: readFileSync(fixture(`${name}.key.pem`), "utf8"),
  cert: readFileSync(fixture(`${name}.cert.pem`), "utf8"),
});

describe("misbehaving receivers", () => {
  let home: StoreHome;
  let service: ServiceProcess;
  let owner: Owner;
  let channelId: string;
  const proxies = new Map<string, FaultProxy>();
  const receivers: Receiver[] = [];
  const bots = new Map<string, string>();

  const aReceiver = async (certificate?: string): Promise<Receiver> => {
    const receiver = await startReceiver(undefined, certificate ? keysOf(certificate) : undefined);
    receivers.push(receiver);
    return receiver;
  };
  const aBot = async (name: string, url: string): Promise<void> => {
    const { id } = await owner.createBot(`bot-${bots.size}`, [channelId]);
    await owner.setWebhook(id, url);
    bots.set(name, id);
  };

  beforeAll(async () => {
    home = await engine.createHome();
    service = await startServiceProcess(home.dataDir, {
      ...home.environment,
      NODE_EXTRA_CA_CERTS: fixture("authority.cert.pem"),
      WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS),
      WEBHOOK_RETRY_SCHEDULE: "1h",
      LOG_LEVEL: "error",
    });
    owner = ownerAt(await environmentOf("alice", service, home.dataDir));
    channelId = await owner.createChannel("channel");
    const plain = await aReceiver();
    const secure = await aReceiver("good");
    for (const [does, fault] of OVER_HTTP) {
      const proxy = await startFaultProxy(plain.port);
      proxy.breakWith(fault);
      proxies.set(does, proxy);
      await aBot(does, `http://127.0.0.1:${proxy.port}/hook`);
    }
    for (const [does, fault] of OVER_TLS) {
      const proxy = await startFaultProxy(secure.port);
      proxy.breakWith(fault);
      proxies.set(does, proxy);
      await aBot(does, `https://127.0.0.1:${proxy.port}/hook`);
    }
    for (const [certificate] of CERTIFICATES) await aBot(certificate, (await aReceiver(certificate)).url);
  });

  afterAll(async () => {
    await service.stop("SIGKILL");
    for (const opened of [...proxies.values(), ...receivers]) await opened.close();
    await home.remove();
  });

  const statsOf = (botId: string) => owner.get<Record<string, number>>(`/v1/bot-api/bots/${botId}/stats`);
  const updateOf = async (botId: string) => {
    const { items } = await owner.get<{ items: Record<string, unknown>[] }>(
      `/v1/bot-api/bots/${botId}/updates?limit=1`,
    );
    return items[0];
  };
  const ended = (name: string): Promise<Record<string, unknown>> =>
    eventually(`the attempt at a receiver that ${name} ends`, async () => {
      const update = await updateOf(bots.get(name) ?? "");
      return update?.["webhook_attempt_count"] ? update : undefined;
    });

  it("end an attempt with the right error text, all at once in bounded memory; once repaired, they get everything", {
    timeout: 120_000,
  }, async () => {
    const before = residentBytes(service);
    const posted = await fetch(`${service.url}/v1/channels/${channelId}/posts`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      // As large as a post may be, so that a receiver can leave most of it unread.
      body: JSON.stringify({ body: "€".repeat(4096) }),
    });
    expect(posted.status).toBe(201);

    const shapes = [...OVER_HTTP, ...OVER_TLS].map(([does, , outcome]) => [does, outcome] as const);
    const outcomes: Record<string, unknown> = {};
    for (const [does] of [...shapes, ...CERTIFICATES]) {
      const update = await ended(does);
      outcomes[does] = update["delivered_webhook_at"] ? "accepted" : update["last_delivery_error"];
      expect(update["webhook_attempt_count"], does).toBe(1);
      expect(update["next_retry_at"] === null, does).toBe(outcomes[does] === "accepted");
    }
    expect(outcomes).toEqual(Object.fromEntries([...shapes, ...CERTIFICATES]));
    const after = residentBytes(service);
    if (before !== undefined && after !== undefined) expect(after - before).toBeLessThan(MAX_GROWTH_BYTES);

    for (const proxy of proxies.values()) proxy.heal();
    for (const [does, outcome] of shapes) {
      const botId = bots.get(does) ?? "";
      const { requeued } = await owner.call<{ requeued: number }>(
        "POST",
        `/v1/bot-api/bots/${botId}/webhook/replay`,
      );
      expect(requeued, does).toBe(outcome === "accepted" ? 0 : 1);
      await eventually(`the receiver that ${does} is mended`, async () => {
        const stats = await statsOf(botId);
        return stats["delivered_updates"] === 1 && stats["total_updates"] === 1;
      });
      expect(
        (await owner.get<Record<string, unknown>>(`/v1/bot-api/bots/${botId}/webhook`))[
          "last_delivery_error"
        ],
      ).toBe("");
    }
    expect(service.child.exitCode).toBeNull();
    expect(service.stdout()).toBe("");
  });
});
