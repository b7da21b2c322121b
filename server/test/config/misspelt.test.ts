import { describe, expect, it } from "vitest";
import { variableRules } from "#botyard/config/schema.js";
import { loadConfig } from "#botyard/config.js";

const ADDRESS = "tcp://10.0.0.7:443";
/** What platforms, images and other programs set beside a service. */
const OF_OTHERS: Record<string, string> = {
  // Kubernetes, for services named like settings or parts of them, and Docker's links
  ...Object.fromEntries(
    ["KUBERNETES", "BOTYARD", "WEBHOOK", "METRIC", "DATABASE", "POSTGRES", "PLATFORM", "LOG"].flatMap(
      (name) => [
        [`${name}_PORT`, ADDRESS],
        [`${name}_PORT_8080_TCP`, ADDRESS],
        [`${name}_PORT_8080_TCP_ADDR`, "10.0.0.7"],
        [`${name}_PORT_8080_TCP_PORT`, "8080"],
        [`${name}_PORT_8080_TCP_PROTO`, "tcp"],
        [`${name}_SERVICE_HOST`, "10.0.0.7"],
        [`${name}_SERVICE_PORT`, "8080"],
        [`${name}_SERVICE_PORT_HTTP`, "8080"],
        [`${name}_NAME`, "/app/db"],
      ],
    ),
  ),
  // Heroku, Railway, Render, Fly, Vercel, Cloud Run, AWS
  ...named(`DYNO HEROKU_APP_NAME HEROKU_POSTGRESQL_AMBER_URL DATABASE_URL_2 DATABASE_PUBLIC_URL DATABASE_PRIVATE_URL
    DATABASE_CONNECTION_POOL_URL RAILWAY_ENVIRONMENT RAILWAY_PUBLIC_DOMAIN RAILWAY_TCP_PROXY_PORT RENDER RENDER_SERVICE_ID
    RENDER_EXTERNAL_URL FLY_APP_NAME FLY_REGION PRIMARY_REGION VERCEL_URL K_SERVICE K_REVISION AWS_REGION AWS_SECRET_ACCESS_KEY
    AWS_SECRET_KEY WEBSITE_SITE_NAME GOOGLE_CLOUD_PROJECT`),
  // databases and frameworks
  ...named(`PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_URL
    DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_USERNAME DATABASE_PASSWORD DATABASE_PASS DATABASE_SSL
    DATABASE_UID DATABASE_DSN DATABASE_TYPE DATABASE_POOL DATABASE_TIMEOUT DB_URL DB_HOST REDIS_URL SECRET_KEY_BASE APP_SECRET
    JWT_SECRET JWKS_URL SESSION_SECRET RAILS_MAX_THREADS WEB_CONCURRENCY MAX_THREADS MAX_CLIENTS LOGLEVEL LOG_FILE LOG_DIR LOG_JSON
    SENTRY_DSN OTEL_EXPORTER_OTLP_ENDPOINT HTTP_PROXY NO_PROXY TRUST_PROXY WEBHOOK_URL WEBHOOK_SECRET METRICS_ENABLED
    METRICS_PATH PLATFORM PLATFORM_NAME RETENTION`),
  // systems, shells and npm
  ...named(`PATH HOME USER SHELL TERM LANG HOSTNAME HOSTTYPE POST PORTS XDG_DATA_DIRS XDG_DATA_HOME NODE_ENV NODE_OPTIONS
    NODE_EXTRA_CA_CERTS npm_config_cache npm_lifecycle_event npm_package_name INVOCATION_ID JOURNAL_STREAM NOTIFY_SOCKET
    SYSTEMD_EXEC_PID CI GITHUB_TOKEN TZ DEBUG`),
};

function named(names: string): Record<string, string> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, "something"]));
}

describe("a misspelt setting", () => {
  it.each([
    ["DELIVERY", "DELIVERIES"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["DATBASE_URL", "DATABASE_URL"],
    ["DATABASE_ULR", "DATABASE_URL"],
    ["DATABASEURL", "DATABASE_URL"],
    ["DATABASE_URL_FIEL", "DATABASE_URL_FILE"],
    ["WEBHOK_TIMOUT_MS", "WEBHOOK_TIMEOUT_MS"],
    ["WEBHOOK_ALLOW_NETWORK", "WEBHOOK_ALLOW_NETWORKS"],
    ["OWNER_JWT_SECRETS", "OWNER_JWT_SECRET"],
    ["RETENTION_DAY", "RETENTION_DAYS"],
    ["SECRET_KEYS", "SECRET_KEY"],
    ["DELIVERY_OFF", undefined],
    ["DELIVERIS", "DELIVERIES"],
  ])("%s stops the start, with the nearest name: %s", (name, meant) => {
    const load = () => loadConfig({ [name]: "x" });
    if (meant === undefined) expect(load).not.toThrow();
    else expect(load).toThrow(`${name} is not a setting; did you mean ${meant}?`);
  });

  it("is another program's where the setting that it resembles is set too, also to nothing", () => {
    const url = "postgres://me@localhost/db";
    expect(loadConfig({ DATABASE_URI: "x", DATABASE_URL: url }).database?.url).toBe(url);
    expect(loadConfig({ DATABASE_URI: "x", DATABASE_URL: "" }).database).toBeUndefined();
  });

  it.each(Object.entries(OF_OTHERS))("%s of others does not stop a start", (name, value) => {
    expect(() => loadConfig({ [name]: value })).not.toThrow();
  });

  it("is none of our own names", () => {
    for (const name of Object.keys(variableRules))
      expect(() => loadConfig({ [name]: "" }), name).not.toThrow();
  });
});
