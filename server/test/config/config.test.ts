import { createHash, generateKeyPairSync } from "node:crypto";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { variableRules } from "#botyard/config/schema.js";
import { loadClientSettings, loadConfig } from "#botyard/config.js";

const key = createHash("sha256").update("one").digest();
const otherKey = createHash("sha256").update("two").digest();
const publicKeyPem = generateKeyPairSync("ed25519").publicKey.export({
  type: "spki",
  format: "pem",
}) as string;
const secret = "a shared secret of more than 32 bytes";

describe("the configuration without any variable", () => {
  it("is the documented default", () => {
    expect(loadConfig({})).toEqual({
      host: "127.0.0.1",
      port: 8080,
      dataDir: resolve("data"),
      database: undefined,
      drainDelayMs: 0,
      ownerTokens: { trust: undefined, issuer: undefined, audience: undefined },
      secretKeys: undefined,
      deliveries: "on",
      webhooks: {
        reach: { allowPrivate: true, networks: [], hosts: undefined },
        proxyUrl: undefined,
        dnsServers: undefined,
        timeoutMs: 10_000,
        retrySchedule: [1000, 5000, 30_000, 120_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000],
        concurrency: 512,
      },
      caps: {
        botsPerOwner: 1000,
        channelsPerOwner: 10_000,
        attaching: { perHolder: 1000, perBot: 10_000, review: "off" },
        pollsPerBot: 100,
        waitingPosts: 256,
        botLoopPosts: 100,
        connections: 20_000,
      },
      maxPostCharacters: 4_096,
      trustedProxies: [],
      rateLimit: { burst: 1000, perSecond: 100 },
      platform: { tokens: [], rateLimit: { burst: 10_000, perSecond: 2_000 } },
      retentionDays: 30,
      auditRetentionDays: 90,
      metrics: undefined,
      logLevel: "info",
      logFormat: "auto",
      warnings: [],
    });
  });

  it("is the same when every variable is empty", () => {
    const empty = Object.fromEntries(Object.keys(variableRules).map((name) => [name, ""]));
    expect(loadConfig({ ...empty, SECRET_KEY_FILE: "" })).toEqual(loadConfig({}));
  });

  it("cannot be changed afterwards", () => {
    const config = loadConfig({ OWNER_JWT_SECRET: secret }) as { port: number; rateLimit: { burst: number } };
    expect(() => (config.port = 1)).toThrow(TypeError);
    expect(() => (config.rateLimit.burst = 1)).toThrow(TypeError);
  });
});

describe("a good value", () => {
  it.each([
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0", webhooks: { reach: { allowPrivate: false } } }],
    [{ HOST: "::" }, { host: "::", webhooks: { reach: { allowPrivate: false } } }],
    [{ HOST: "::1" }, { webhooks: { reach: { allowPrivate: true } } }],
    [{ HOST: "localhost" }, { webhooks: { reach: { allowPrivate: true } } }],
    [{ HOST: "127.8.8.8" }, { webhooks: { reach: { allowPrivate: true } } }],
    [{ HOST: "bots.example" }, { host: "bots.example", webhooks: { reach: { allowPrivate: false } } }],
    [{ HOST: "127.0.0.1.example" }, { webhooks: { reach: { allowPrivate: false } } }],
    [{ PORT: "0" }, { port: 0 }],
    [{ PORT: "65535" }, { port: 65_535 }],
    [{ DATA_DIR: "/var/lib/botyard" }, { dataDir: resolve("/var/lib/botyard") }],
    [{ DATA_DIR: "elsewhere" }, { dataDir: resolve("elsewhere") }],
    [
      {
        DATABASE_URL: "postgres://bot:p%40ss@db.example:5433/yard?sslmode=require",
        DATABASE_POOL_SIZE: "200",
      },
      {
        database: {
          url: "postgres://bot:p%40ss@db.example:5433/yard?sslmode=require",
          name: "yard at db.example:5433",
          poolSize: 200,
        },
      },
    ],
    [
      { DATABASE_URL: "postgresql://db.example/yard" },
      { database: { name: "yard at db.example", poolSize: 10 } },
    ],
    [
      { DATABASE_URL: "postgres://db.example/yard", DATABASE_SCHEMA: "botyard_2" },
      { database: { name: "yard at db.example, schema botyard_2", schema: "botyard_2" } },
    ],
    [{ DATABASE_SCHEMA: "botyard" }, { warnings: ["DATABASE_SCHEMA has no effect without DATABASE_URL"] }],
    [{ DATABASE_URL: "postgres:///yard" }, { database: { name: "yard at localhost" } }],
    [
      { DATABASE_URL: "postgres://bot:p%40ss@one:5433,two,[::1]:7/yard?target_session_attrs=read-write" },
      { database: { name: "yard at one:5433,two,[::1]:7" } },
    ],
    [
      { DATABASE_URL: "postgres://bot@/yard?host=/run/postgresql" },
      { database: { name: "yard at /run/postgresql" } },
    ],
    [
      { DATABASE_URL: "postgresql://bot@%2Frun%2Fpostgresql/yard" },
      { database: { name: "yard at /run/postgresql" } },
    ],
    [
      { DATABASE_URL: "postgres:///yard?host=/run/postgresql" },
      { database: { name: "yard at /run/postgresql" } },
    ],
    [{ OWNER_JWT_ISSUER: "https://id.example" }, { ownerTokens: { issuer: "https://id.example" } }],
    [{ OWNER_JWT_AUDIENCE: "botyard" }, { ownerTokens: { audience: "botyard" } }],
    [{ WEBHOOK_ALLOW_PRIVATE: "false" }, { webhooks: { reach: { allowPrivate: false } } }],
    [{ WEBHOOK_ALLOW_PRIVATE: "0" }, { webhooks: { reach: { allowPrivate: false } } }],
    [{ WEBHOOK_ALLOW_PRIVATE: "true", HOST: "0.0.0.0" }, { webhooks: { reach: { allowPrivate: true } } }],
    [{ WEBHOOK_ALLOW_PRIVATE: "1", HOST: "0.0.0.0" }, { webhooks: { reach: { allowPrivate: true } } }],
    [
      { WEBHOOK_ALLOW_NETWORKS: "10.1.0.0/16, fd12::/48" },
      { webhooks: { reach: { allowPrivate: false, networks: ["10.1.0.0/16", "fd12::/48"] } } },
    ],
    [
      { WEBHOOK_ALLOW_NETWORKS: "10.1.0.0/16", WEBHOOK_ALLOW_PRIVATE: "true" },
      { webhooks: { reach: { allowPrivate: true } } },
    ],
    [
      { WEBHOOK_ALLOW_HOSTS: "Hooks.example.com., *.EXAMPLE.org,8.8.8.8, ::1,[fd12::0001],bücher.example" },
      {
        webhooks: {
          reach: {
            hosts: [
              "hooks.example.com",
              "*.example.org",
              "8.8.8.8",
              "::1",
              "fd12::1",
              "xn--bcher-kva.example",
            ],
          },
        },
      },
    ],
    [{ WEBHOOK_PROXY_URL: "http://me:x@proxy:3128" }, { webhooks: { proxyUrl: "http://me:x@proxy:3128" } }],
    [
      { WEBHOOK_DNS_SERVERS: "9.9.9.9, 127.0.0.1:5353,2620:fe::fe,[2620:fe::fe]:53" },
      { webhooks: { dnsServers: ["9.9.9.9", "127.0.0.1:5353", "2620:fe::fe", "[2620:fe::fe]:53"] } },
    ],
    [{ TRUSTED_PROXIES: "10.1.2.3, fd12::/48,::1" }, { trustedProxies: ["10.1.2.3", "fd12::/48", "::1"] }],
    [{ WEBHOOK_TIMEOUT_MS: "100" }, { webhooks: { timeoutMs: 100 } }],
    [{ WEBHOOK_TIMEOUT_MS: "120000" }, { webhooks: { timeoutMs: 120_000 } }],
    [
      { WEBHOOK_RETRY_SCHEDULE: "250ms, 5s,2m,1h,7d" },
      { webhooks: { retrySchedule: [250, 5000, 120_000, 3_600_000, 604_800_000] } },
    ],
    [{ WEBHOOK_RETRY_SCHEDULE: "0s" }, { webhooks: { retrySchedule: [0] } }],
    [
      { WEBHOOK_RETRY_SCHEDULE: Array(50).fill("1s").join(",") },
      { webhooks: { retrySchedule: Array(50).fill(1000) } },
    ],
    [{ WEBHOOK_CONCURRENCY: "1" }, { webhooks: { concurrency: 1 } }],
    [{ MAX_BOTS_PER_OWNER: "1" }, { caps: { botsPerOwner: 1 } }],
    [{ MAX_CHANNELS_PER_OWNER: "1000000" }, { caps: { channelsPerOwner: 1_000_000 } }],
    [{ MAX_CHANNELS_PER_BOT: "2" }, { caps: { attaching: { perHolder: 2 } } }],
    [{ MAX_CHANNELS_PER_LISTED_BOT: "3" }, { caps: { attaching: { perBot: 3 } } }],
    [{ BOT_REVIEW: "required" }, { caps: { attaching: { review: "required" } } }],
    [{ MAX_POLLS_PER_BOT: "3" }, { caps: { pollsPerBot: 3 } }],
    [{ MAX_WAITING_POSTS: "4" }, { caps: { waitingPosts: 4 } }],
    [{ MAX_BOT_LOOP_POSTS: "0" }, { caps: { botLoopPosts: 0 } }],
    [{ MAX_POST_CHARACTERS: "32768" }, { maxPostCharacters: 32_768 }],
    [{ MAX_CONNECTIONS: "10" }, { caps: { connections: 10 } }],
    [{ RATE_LIMIT_BURST: "5" }, { rateLimit: { burst: 5 } }],
    [{ RATE_LIMIT_PER_SECOND: "7" }, { rateLimit: { perSecond: 7 } }],
    [
      { PLATFORM_TOKEN: `${"a".repeat(32)}, ${"b".repeat(32)}` },
      { platform: { tokens: ["a".repeat(32), "b".repeat(32)] } },
    ],
    [{ PLATFORM_RATE_LIMIT_BURST: "5" }, { platform: { rateLimit: { burst: 5 } } }],
    [{ PLATFORM_RATE_LIMIT_PER_SECOND: "7" }, { platform: { rateLimit: { perSecond: 7 } } }],
    [{ RETENTION_DAYS: "3650" }, { retentionDays: 3650, postRetentionDays: undefined }],
    [{ POST_RETENTION_DAYS: "30" }, { postRetentionDays: 30 }],
    [{ AUDIT_RETENTION_DAYS: "1" }, { auditRetentionDays: 1 }],
    [{ METRICS_TOKEN: "0123456789abcdef" }, { metrics: { token: "0123456789abcdef", address: undefined } }],
    [{ METRICS_PORT: "9464" }, { metrics: { token: undefined, address: { host: "127.0.0.1", port: 9464 } } }],
    [{ METRICS_PORT: "0", METRICS_HOST: "::" }, { metrics: { address: { host: "::", port: 0 } } }],
    [{ LOG_LEVEL: "silent" }, { logLevel: "silent" }],
  ])("%j is accepted", (env, expected) => {
    expect(loadConfig(env)).toMatchObject(expected);
  });

  it.each(["silent", "fatal", "error", "warn", "info", "debug", "trace"])(
    "LOG_LEVEL %s is one of pino's",
    (level) => {
      expect(loadConfig({ LOG_LEVEL: level }).logLevel).toBe(level);
    },
  );
});

describe("the trust in owner tokens", () => {
  const trust = (env: Record<string, string>) => loadConfig(env).ownerTokens.trust;

  it("is a shared secret, as its bytes in UTF-8", () => {
    expect(trust({ OWNER_JWT_SECRET: "é".repeat(16) })).toEqual({
      kind: "secret",
      secret: Buffer.from("é".repeat(16)),
    });
  });

  it("is a public key, its line breaks written as \\n where the environment has none", () => {
    expect(trust({ OWNER_JWT_PUBLIC_KEY: publicKeyPem })).toEqual({ kind: "publicKey", pem: publicKeyPem });
    const oneLine = publicKeyPem.replaceAll("\n", "\\n");
    expect(trust({ OWNER_JWT_PUBLIC_KEY: oneLine })).toEqual({ kind: "publicKey", pem: publicKeyPem });
  });

  it("is a key set", () => {
    const url = "https://id.example/.well-known/jwks.json";
    expect(trust({ OWNER_JWKS_URL: url })).toEqual({ kind: "jwks", url: new URL(url) });
  });

  it("comes from one source only", () => {
    expect(() => trust({ OWNER_JWT_SECRET: secret, OWNER_JWKS_URL: "https://id.example/jwks" })).toThrow(
      "OWNER_JWT_SECRET and OWNER_JWKS_URL cannot be set together",
    );
  });
});

describe("DRAIN_DELAY", () => {
  it("is a duration of at most five minutes", () => {
    expect(loadConfig({ DRAIN_DELAY: "5m" }).drainDelayMs).toBe(300_000);
    for (const text of ["6m", "5", "-1s", "soon"])
      expect(() => loadConfig({ DRAIN_DELAY: text })).toThrow(
        `DRAIN_DELAY must be a duration of at most 5m, such as 5s, not "${text}"`,
      );
  });
});

describe("SECRET_KEY", () => {
  it("is base64, base64url or hex, the first of several encrypting", () => {
    const keys = `${key.toString("base64")}, ${otherKey.toString("hex")},${otherKey.toString("base64url")}`;
    expect(loadConfig({ SECRET_KEY: keys }).secretKeys).toEqual([key, otherKey, otherKey]);
  });
});

describe("a misspelt variable", () => {
  it("gets a warning with the right name", () => {
    const env = { WEBHOOK_TIMEOUT: "5000", OWNER_JWT_SECRETS: "x", OWNER_JWT_SECRET: secret, PATH: "/bin" };
    expect(loadConfig(env).warnings).toEqual([
      "WEBHOOK_TIMEOUT is not a setting and is ignored; did you mean WEBHOOK_TIMEOUT_MS?",
      "OWNER_JWT_SECRETS is not a setting and is ignored; did you mean OWNER_JWT_SECRET?",
    ]);
  });

  it("is never one of the documented ones", () => {
    const all = Object.fromEntries(Object.entries(variableRules).map(([name]) => [name, ""]));
    expect(loadConfig({ ...all, SECRET_KEY_FILE: "" }).warnings).toEqual([]);
  });
});

describe("keys of one instance on a shared database", () => {
  const DATABASE_URL = "postgres://db.example/yard";
  const SECRET_KEY = key.toString("hex");

  it.each([
    [{ DATABASE_URL }, "SECRET_KEY and OWNER_JWT_SECRET"],
    [{ DATABASE_URL, SECRET_KEY }, "OWNER_JWT_SECRET"],
    [{ DATABASE_URL, OWNER_JWKS_URL: "https://id.example/jwks" }, "SECRET_KEY"],
  ])("%j gets a warning that names %s", (env, names) => {
    expect(loadConfig(env).warnings).toEqual([
      `instances that share DATABASE_URL must be given the same ${names}; this one uses its own of DATA_DIR`,
    ]);
  });

  it("get no warning without a shared database, or when all keys are shared", () => {
    expect(loadConfig({}).warnings).toEqual([]);
    expect(loadConfig({ DATABASE_URL, SECRET_KEY, OWNER_JWT_SECRET: secret }).warnings).toEqual([]);
  });
});

describe("the settings of the command", () => {
  it("are the local service and no token, or what the environment says", () => {
    expect(loadClientSettings({})).toEqual({ url: "http://127.0.0.1:8080", token: undefined });
    expect(loadClientSettings({ BOTYARD_URL: "https://bots.example", BOTYARD_TOKEN: "t" })).toEqual({
      url: "https://bots.example",
      token: "t",
    });
  });
});
