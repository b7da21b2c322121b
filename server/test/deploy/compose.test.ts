import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ipaddr from "ipaddr.js";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "#botyard/config.js";
import { MAX_POLL_TIMEOUT_S, MAX_REQUEST_BODY_BYTES } from "#botyard/domain/limits.js";
import { deployFile, deployFolder, isPinned, notSettings, stagesOf } from "../support/deployment.js";
import { run } from "../support/program.js";
import { temporaryFolder } from "../support/temporary-folder.js";

interface Service {
  image: string;
  build?: { context: string; dockerfile: string };
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  networks?: { default: { ipv4_address: string } };
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
  networks: { default: { ipam: { config: { subnet: string; ip_range: string }[] } } };
}

const compose = parse(deployFile("compose.yaml"), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const instances = services.filter(([, { build }]) => build);
const [pool] = compose.networks.default.ipam.config;
const nginx = deployFile("nginx.conf");
const setting = (name: string) => new RegExp(`^\\s*${name} +([^;]+);`, "m").exec(nginx)?.[1] ?? "";

/** Needs no container engine; it checks what would otherwise fail at the first start. */
describe("compose.yaml", () => {
  it("runs two instances, a balancer and PostgreSQL 18", () => {
    expect(instances.map(([name]) => name)).toEqual(["botyard-1", "botyard-2"]);
    expect(compose.services.database?.image).toMatch(/^postgres:18\b/);
    expect(compose.services.balancer?.image).toMatch(/^nginx:/);
  });

  it("uses images that are pinned, or built here", () => {
    for (const [, { image, build }] of services) {
      if (!build) expect(isPinned(image), image).toBe(true);
      else expect(existsSync(join(deployFolder, build.context, build.dockerfile))).toBe(true);
    }
  });

  it("gives the instances settings that exist", () => {
    for (const [, { environment = {} }] of instances) {
      expect(Object.keys(environment)).toContain("DATABASE_URL_FILE");
      expect(notSettings(Object.keys(environment))).toEqual([]);
    }
  });

  it("makes the instances trust the load balancer, at an address that nothing else can have", () => {
    const address = compose.services.balancer?.networks?.default.ipv4_address ?? "";
    expect(ipaddr.parse(address).match(ipaddr.parseCIDR(pool?.subnet ?? ""))).toBe(true);
    expect(ipaddr.parse(address).match(ipaddr.parseCIDR(pool?.ip_range ?? ""))).toBe(false);
    for (const [, { environment = {} }] of instances) {
      expect(loadConfig({ TRUSTED_PROXIES: environment.TRUSTED_PROXIES }).trustedProxies).toEqual([address]);
    }
    expect(setting("proxy_set_header X-Forwarded-For")).toBe("$proxy_add_x_forwarded_for");
  });

  it("uses no more connections than the database has", () => {
    const postgresDefault = 100;
    const wanted = instances.map(([, { environment }]) => Number(environment?.DATABASE_POOL_SIZE) + 1);
    expect(wanted.reduce((sum, connections) => sum + connections, 0)).toBeLessThan(postgresDefault);
  });

  it("mounts only what exists", () => {
    const mounts = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume) => volume.split(":")[0] ?? ""),
    );
    expect(mounts.length).toBeGreaterThan(1);
    for (const mount of mounts) {
      if (mount.startsWith(".")) expect(existsSync(join(deployFolder, mount)), mount).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(mount);
    }
  });

  it("waits only for services with a health check", () => {
    const built = stagesOf(deployFile("Dockerfile"))
      .at(-1)
      ?.some(({ name }) => name === "HEALTHCHECK");
    for (const [name, { depends_on: needs = {} }] of services) {
      for (const [needed, { condition }] of Object.entries(needs)) {
        expect(condition, `${name} needs ${needed}`).toBe("service_healthy");
        const service = compose.services[needed];
        expect(service?.healthcheck ?? (service?.build && built), needed).toBeTruthy();
      }
    }
  });

  it("publishes ports on loopback only", () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports).toEqual([`127.0.0.1:8080:${setting("listen")}`]);
  });

  it("finds its secrets where each service looks for them", () => {
    for (const [name, { environment = {}, secrets = [] }] of services) {
      const read = Object.entries(environment).filter(([variable]) => variable.endsWith("_FILE"));
      expect(read.map(([, path]) => path).sort(), name).toEqual(
        secrets.map((s) => `/run/secrets/${s}`).sort(),
      );
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
    }
  });
});

describe("compose.sqlite.yaml", () => {
  const { services, volumes } = parse(deployFile("compose.sqlite.yaml")) as Compose;
  const service = services["botyard"];
  const image = stagesOf(deployFile("Dockerfile")).at(-1) ?? [];
  const instruction = (name: string) => image.find((one) => one.name === name)?.text;

  it("runs the one image, built here, and nothing else", () => {
    expect(Object.keys(services)).toEqual(["botyard"]);
    const { context = "", dockerfile = "" } = service?.build ?? {};
    expect(existsSync(join(deployFolder, context, dockerfile))).toBe(true);
    expect(service?.image).toBe(compose.services["botyard-1"]?.image);
  });

  it("keeps the data folder in a volume, and opens to this machine only", () => {
    const [mount = ""] = service?.volumes ?? [];
    const [volume = "", folder] = mount.split(":");
    expect(Object.keys(volumes)).toEqual([volume]);
    expect(folder).toBe(instruction("VOLUME"));
    expect(service?.ports).toEqual([`127.0.0.1:8080:${instruction("EXPOSE")}`]);
    expect(service?.environment ?? {}).toEqual({});
  });
});

describe("make-secrets.sh", () => {
  const folder = temporaryFolder("deploy");
  const secret = (name: string) => readFileSync(join(folder, "secrets", name), "utf8").trim();

  beforeAll(async () => {
    cpSync(join(deployFolder, "make-secrets.sh"), join(folder, "make-secrets.sh"));
    expect(await run("sh", [join(folder, "make-secrets.sh")]).exit).toBe(0);
  });

  it("makes exactly the files that compose.yaml mounts", () => {
    const made = readdirSync(join(folder, "secrets")).map((file) => `./secrets/${file}`);
    expect(made.sort()).toEqual(
      Object.values(compose.secrets)
        .map(({ file }) => file)
        .sort(),
    );
  });

  it("makes secrets that the service accepts, and the right database URL", () => {
    const { database, secretKeys, ownerTokens } = loadConfig({
      DATABASE_URL_FILE: join(folder, "secrets/database-url"),
      SECRET_KEY_FILE: join(folder, "secrets/secret-key"),
      OWNER_JWT_SECRET_FILE: join(folder, "secrets/owner-jwt-secret"),
    });
    const url = new URL(database?.url ?? "");
    const { POSTGRES_USER, POSTGRES_DB } = compose.services.database?.environment ?? {};
    expect([url.hostname, url.username, url.pathname]).toEqual([
      "database",
      POSTGRES_USER,
      `/${POSTGRES_DB}`,
    ]);
    expect(url.password).toBe(secret("database-password"));
    expect(secretKeys).toHaveLength(1);
    expect(ownerTokens.trust?.kind).toBe("secret");
  });

  it("keeps existing secrets", async () => {
    const before = secret("secret-key");
    await run("sh", [join(folder, "make-secrets.sh")]).exit;
    expect(secret("secret-key")).toBe(before);
  });
});

describe("nginx.conf", () => {
  it("forwards to the instances, at their port", () => {
    const [exposed] =
      stagesOf(deployFile("Dockerfile"))
        .at(-1)
        ?.filter(({ name }) => name === "EXPOSE") ?? [];
    const upstreams = [...nginx.matchAll(/^\s*server ([\w-]+):(\d+)/gm)].map(([, host, port]) => ({
      host,
      port,
    }));
    expect(upstreams).toEqual(instances.map(([host]) => ({ host, port: exposed?.text })));
  });

  it("allows long polls, and bodies larger than the service's limit", () => {
    expect(Number.parseInt(setting("proxy_read_timeout"), 10)).toBeGreaterThan(MAX_POLL_TIMEOUT_S);
    expect(setting("proxy_buffering")).toBe("off");
    expect(setting("client_max_body_size")).toBe("1m");
    expect(MAX_REQUEST_BODY_BYTES).toBeLessThan(2 ** 20);
  });
});
