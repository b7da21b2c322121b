import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { eventually } from "./eventually.js";
import { freePort } from "./postgres-server.js";

/** A notification of Alertmanager. */
export interface Notice {
  alert: string;
  severity: string;
  status: "firing" | "resolved";
  /** By `performance.now()`. */
  at: number;
}

export interface Monitoring {
  notices: Notice[];
  stop(): Promise<void>;
}

/**
 * Starts Prometheus, which scrapes and evaluates once a second, and Alertmanager, which sends every alert to a recorder.
 *
 * @param jobs the targets of each job, as host and port
 * @param blackbox the URL to be probed, and the exporter's address
 */
export async function startMonitoring(
  folder: string,
  rules: string,
  jobs: Record<string, readonly string[]>,
  blackbox: { target: string; exporter: string },
): Promise<Monitoring> {
  const notices: Notice[] = [];
  const recorder = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { alerts } = JSON.parse(body) as {
        alerts: { status: Notice["status"]; labels: { alertname: string; severity: string } }[];
      };
      for (const { status, labels } of alerts)
        notices.push({ alert: labels.alertname, severity: labels.severity, status, at: performance.now() });
      response.end();
    });
  });
  await new Promise<void>((resolve) => recorder.listen(0, "127.0.0.1", resolve));
  const [prometheusAt, alertmanagerAt] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const alertmanagerFile = file(
    "alertmanager.yml",
    JSON.stringify({
      route: {
        receiver: "recorder",
        group_by: ["..."],
        group_wait: "0s",
        group_interval: "1s",
        repeat_interval: "24h",
      },
      receivers: [
        {
          name: "recorder",
          webhook_configs: [
            { url: `http://127.0.0.1:${(recorder.address() as AddressInfo).port}/`, send_resolved: true },
          ],
        },
      ],
    }),
  );
  const prometheusFile = file(
    "prometheus.yml",
    JSON.stringify({
      global: { scrape_interval: "1s", evaluation_interval: "1s" },
      rule_files: [file("alerts.yml", rules)],
      alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanagerAt] }] }] },
      scrape_configs: [
        ...Object.entries(jobs).map(([job_name, targets]) => ({ job_name, static_configs: [{ targets }] })),
        {
          job_name: "botyard-tls",
          metrics_path: "/probe",
          params: { module: ["trial"], target: [blackbox.target] },
          static_configs: [{ targets: [blackbox.exporter] }],
          relabel_configs: [{ source_labels: ["__param_target"], target_label: "instance" }],
        },
      ],
    }),
  );
  // The trial's certificates are its own.
  const blackboxFile = file(
    "blackbox.yml",
    JSON.stringify({
      modules: { trial: { prober: "http", http: { tls_config: { insecure_skip_verify: true } } } },
    }),
  );
  for (const name of ["prometheus", "alertmanager"]) mkdirSync(join(folder, name));
  const programs = [
    spawn(
      "prometheus",
      [
        `--config.file=${prometheusFile}`,
        `--storage.tsdb.path=${join(folder, "prometheus")}`,
        `--web.listen-address=${prometheusAt}`,
      ],
      { stdio: "ignore" },
    ),
    spawn(
      "prometheus-alertmanager",
      [
        `--config.file=${alertmanagerFile}`,
        `--storage.path=${join(folder, "alertmanager")}`,
        `--web.listen-address=${alertmanagerAt}`,
        "--cluster.listen-address=",
      ],
      { stdio: "ignore" },
    ),
    spawn(
      "prometheus-blackbox-exporter",
      [`--config.file=${blackboxFile}`, `--web.listen-address=${blackbox.exporter}`],
      { stdio: "ignore" },
    ),
  ];
  for (const at of [prometheusAt, alertmanagerAt])
    await eventually(`${at} is ready`, () =>
      fetch(`http://${at}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  return {
    notices,
    async stop() {
      for (const program of programs) {
        const ended = new Promise((resolve) => program.on("exit", resolve));
        program.kill("SIGTERM");
        await ended;
      }
      recorder.closeAllConnections();
      await new Promise((resolve) => recorder.close(resolve));
    },
  };
}

/**
 * Rules whose durations (`for` and ranges) are divided, so that a trial takes minutes; moments in seconds inside of expressions
 * stay.
 */
export function scaleDurations(rules: string, factor: number): string {
  const scaled = (text: string): string => {
    const [, count, unit = "s"] = /^(\d+)([smh])$/.exec(text) ?? [];
    const seconds = Number(count) * ({ s: 1, m: 60, h: 3600 }[unit] ?? 1);
    return `${Math.max(1, Math.round(seconds / factor))}s`;
  };
  return rules
    .replaceAll(/(?<=for: )\d+[smh]/g, scaled)
    .replaceAll(/\[([\d:smh]+)\]/g, (_all, range: string) => `[${range.split(":").map(scaled).join(":")}]`);
}
