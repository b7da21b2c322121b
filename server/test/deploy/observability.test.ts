import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { deployFile } from "../support/deployment.js";
import { type InProcessService, startInProcessService } from "../support/in-process-service.js";
import { repository } from "../support/program.js";
import { namesOf, type Samples, scrape } from "../support/scrape.js";

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string };
}

interface Panel {
  type: string;
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

/** What a query selects: a metric and values of its labels. */
interface Selector {
  metric: string;
  labels: { name: string; value: string }[];
}

const { groups } = parse(deployFile("alerts.yml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(deployFile("grafana-dashboard.json")) as {
  panels: Panel[];
  templating: { list: { name: string; definition?: string }[] };
};
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
/** Grafana replaces it with an interval before Prometheus gets the query. */
const dashboardQueries = targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m"));
const queries = [...rules.map(({ expr }) => expr), ...dashboardQueries];

/** Labels that Prometheus adds, and one that it has for every target. */
const ADDED_LABELS = new Set(["job", "instance"]);
const ADDED_METRICS = new Set([
  "up",
  // Of the blackbox exporter.
  "probe_ssl_earliest_cert_expiry",
  // Have values where there are cells.
  "botyard_cell_away",
  "botyard_directory_away",
]);

let dataDir: string;
let service: InProcessService;
let samples: Samples;
let text: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "botyard-observability-"));
  service = await startInProcessService(dataDir, { METRICS_TOKEN: "0123456789abcdef", BACKUP_EVERY: "1h" });
  const url = `${service.url}/metrics`;
  // The backlog is known after the first survey of the lanes, the upkeep after its first round.
  do samples = await scrape(url, "0123456789abcdef");
  while (
    !samples.has("botyard_backlog_updates") ||
    !samples.has("botyard_upkeep_completed_timestamp_seconds")
  );
  text = await (await fetch(url, { headers: { authorization: "Bearer 0123456789abcdef" } })).text();
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Parts of a query that the grammar of Prometheus does not know. */
function errorsIn(query: string): string[] {
  const errors: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to }) => {
      if (type.isError) errors.push(`at ${from}: ${query.slice(from, to + 10)}`);
    },
  });
  return errors;
}

function selectorsIn(query: string): Selector[] {
  const found: Selector[] = [];
  parser.parse(query).iterate({
    enter: ({ name, node }) => {
      if (name !== "VectorSelector") return;
      const selector = query.slice(node.from, node.to);
      const [, metric = ""] = /^(\w+)/.exec(selector) ?? [];
      const labels = [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)].map(
        ([, label = "", value = ""]) => ({ name: label, value }),
      );
      found.push({ metric, labels });
    },
  });
  return found;
}

describe("the queries of alerts and dashboard", () => {
  it.each(queries)("%s is valid PromQL", (query) => {
    expect(errorsIn(query)).toEqual([]);
    expect(selectorsIn(query).length).toBeGreaterThan(0);
  });

  it("would be refused with a syntax error", () => {
    for (const broken of ["sum(rate(a_total[5m])", "a_total >", "rate(a_total[5 minutes])", "sum by job (a)"])
      expect(errorsIn(broken), broken).not.toEqual([]);
  });

  it("use only metrics, labels and values of a running service", () => {
    const names = namesOf(samples);
    for (const { metric, labels } of queries.flatMap(selectorsIn)) {
      if (ADDED_METRICS.has(metric)) continue;
      expect(names, metric).toContain(metric);
      for (const { name, value } of labels) {
        if (ADDED_LABELS.has(name)) continue;
        const isThere = [...samples.keys()].some(
          (key) => key.startsWith(`${metric}{`) && key.includes(`${name}="${value}"`),
        );
        expect(isThere, `${metric}{${name}="${value}"}`).toBe(true);
      }
    }
  });

  it("take rates of counters only", () => {
    const counters = [...text.matchAll(/^# TYPE (\w+) (counter|histogram)$/gm)].map(([, name]) => name);
    for (const query of queries) {
      for (const [, metric = ""] of query.matchAll(/\b(?:rate|increase)\((\w+)/g))
        if (!ADDED_METRICS.has(metric))
          expect(counters, query).toContain(metric.replace(/_(bucket|sum|count)$/, ""));
    }
  });
});

describe("alerts.yml", () => {
  it("has alerts with a unique name, a severity and a summary", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, for: wait = "0m" } of rules) {
      expect(alert).toMatch(/^Botyard[A-Z]\w+$/);
      expect(["critical", "warning", "info"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\w+/);
      expect(wait).toMatch(/^\d+[smh]$/);
    }
  });
});

describe("docs/operations.md", () => {
  let page: string;
  beforeAll(async () => {
    page = await readFile(join(repository, "docs/operations.md"), "utf8");
  });
  const named = (pattern: RegExp): Set<string> =>
    new Set([...page.matchAll(pattern)].map(([, name = ""]) => name));

  it("explains every metric of ours, and no other", () => {
    const ours = [...text.matchAll(/^# TYPE (botyard_\w+) /gm)].map(([, name = ""]) => name);
    expect(ours.length).toBeGreaterThan(25);
    expect([...named(/`(botyard_\w+)[`{]/g)].toSorted()).toEqual(ours.toSorted());
  });

  it("explains every alert, and no other", () => {
    expect([...named(/`(Botyard[A-Z]\w+)`/g)].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
  });

  it("has a runbook entry for every alert: its severity, what it means, what to look at, what to do", () => {
    for (const { alert, labels } of rules) {
      const [, entry = ""] = new RegExp(`\\n#### \`${alert}\`\\n\\n((?:.+\\n)+)\\n##`).exec(page) ?? [];
      const words = entry.replaceAll(/\s+/g, " ");
      expect(words, alert).toMatch(
        new RegExp(
          `^${labels.severity}\\. \\*\\*Means\\*\\*: .+ \\*\\*Look at\\*\\*: .+ \\*\\*Do\\*\\*: .+\\. $`,
        ),
      );
    }
  });

  it("explains every event of the log, and no other", async () => {
    const source = join(repository, "server/src");
    const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith(".ts"));
    const texts = await Promise.all(files.map((file) => readFile(join(source, file), "utf8")));
    const events = new Set(
      [...texts.join("\n").matchAll(/\bevent: "(\w+)"/g)].map(([, event = ""]) => event),
    );
    expect(events.size).toBeGreaterThan(15);
    const listed = named(/^\| `(\w+)` \| (?:debug|info|warn|error|fatal)\b/gm);
    expect([...listed].toSorted()).toEqual([...events].toSorted());
  });
});
