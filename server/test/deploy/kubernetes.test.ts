import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseDuration } from "#botyard/domain/duration.js";
import { deployFile, isPinned, notSettings, stagesOf, variablesOf } from "../support/deployment.js";

interface Container {
  image: string;
  ports: { name: string; containerPort: number }[];
  args: string[];
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface Pod {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsUser: number; runAsGroup: number };
  containers: Container[];
  volumes: { name: string; secret?: { secretName: string } }[];
}

const text = deployFile("kubernetes.yaml");
const documents = parseAllDocuments(text);
const resources = documents.map((document) => document.toJS());
const resource = (kind: string) => resources.find((one) => one.kind === kind);
const pod: Pod = resource("Deployment").spec.template.spec;
const [container] = pod.containers as [Container];
const image = stagesOf(deployFile("Dockerfile")).at(-1) ?? [];
const instruction = (name: string) => image.find((one) => one.name === name);

/** Needs no cluster: it compares the manifest with the image, with the settings and with itself. */
describe("kubernetes.yaml", () => {
  it("is YAML", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(resources.map(({ kind }) => kind)).toEqual(["Deployment", "Service", "PodDisruptionBudget"]);
  });

  it("selects its own pods everywhere", () => {
    const { labels } = resource("Deployment").spec.template.metadata;
    expect(resource("Deployment").spec.selector.matchLabels).toEqual(labels);
    expect(resource("Service").spec.selector).toEqual(labels);
    expect(resource("PodDisruptionBudget").spec.selector.matchLabels).toEqual(labels);
  });

  it("fits the image: user, port and data folder", () => {
    const { runAsUser, runAsGroup } = pod.securityContext;
    expect(`${runAsUser}:${runAsGroup}`).toBe(instruction("USER")?.text);
    const http = container.ports.find(({ name }) => name === "http");
    expect(String(http?.containerPort)).toBe(instruction("EXPOSE")?.text);
    expect(JSON.stringify(container.args)).toBe(instruction("CMD")?.text.replaceAll(" ", ""));
    const { DATA_DIR } = variablesOf(instruction("ENV") ?? { name: "", options: {}, text: "", words: [] });
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain(DATA_DIR);
    expect(isPinned(container.image)).toBe(true);
  });

  it("sets known variables, from a secret that its comment explains", () => {
    expect(notSettings(container.env.map(({ name }) => name))).toEqual([]);
    const secrets = pod.volumes.find(({ secret }) => secret);
    const mount = container.volumeMounts.find(({ name }) => name === secrets?.name);
    expect(text).toContain(`kubectl create secret generic ${secrets?.secret?.secretName} `);
    const files = container.env.filter(({ name }) => name.endsWith("_FILE")).map(({ value }) => value);
    const made = [...text.matchAll(/--from-literal=([\w-]+)=/g)].map(
      ([, key]) => `${mount?.mountPath}/${key}`,
    );
    expect(files.sort()).toEqual(made.sort());
  });

  it("serves metrics on a port of their own, where a Prometheus looks for them", () => {
    const metrics = container.ports.find(({ name }) => name === "metrics");
    const setting = (wanted: string) => container.env.find(({ name }) => name === wanted)?.value;
    expect(setting("METRICS_PORT")).toBe(String(metrics?.containerPort));
    expect(setting("METRICS_HOST")).toBe("0.0.0.0");
    const { annotations } = resource("Deployment").spec.template.metadata;
    expect(annotations).toEqual({
      "prometheus.io/scrape": "true",
      "prometheus.io/port": String(metrics?.containerPort),
    });
  });

  it("probes the health addresses", () => {
    expect(container.startupProbe.httpGet).toEqual({ path: "/livez", port: "http" });
    expect(container.livenessProbe.httpGet).toEqual({ path: "/livez", port: "http" });
    expect(container.readinessProbe.httpGet).toEqual({ path: "/readyz", port: "http" });
  });

  it("leaves time to drain after the load balancers have dropped the pod", () => {
    const drainS = 5;
    const delay = container.env.find(({ name }) => name === "DRAIN_DELAY")?.value ?? "";
    const waitS = parseDuration(delay) / 1_000;
    expect(waitS).toBeGreaterThan(0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(waitS + drainS);
  });
});
