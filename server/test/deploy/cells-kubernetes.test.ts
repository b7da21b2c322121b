import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseDatabaseUrl } from "#botyard/domain/database-url.js";
import { deployFile, isPinned, notSettings } from "../support/deployment.js";

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

const text = deployFile("cells.kubernetes.yaml");
const comment = text.slice(0, text.indexOf("apiVersion:"));
const documents = parseAllDocuments(text);
const resources = documents.map((document) => document.toJS());
const clusters = resources.filter(({ kind }) => kind === "Cluster");
const plain = parseAllDocuments(deployFile("kubernetes.yaml")).map((document) => document.toJS());
const podOf = (all: typeof resources) => all.find(({ kind }) => kind === "Deployment").spec.template.spec;
const [container] = podOf(resources).containers;
const env = container.env as Variable[];
/** The database of a URL, as a cluster has it: its service is named after it. */
const placeOf = (url: string) => {
  const parsed = parseDatabaseUrl(url);
  return {
    host: parsed?.servers[0]?.host,
    database: new URL(url).pathname.slice(1),
    user: new URL(url).username,
  };
};

/** Needs no cluster: it compares the manifest with its comment, with kubernetes.yaml and with itself. */
describe("cells.kubernetes.yaml", () => {
  it("is YAML: three clusters and the service", () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(resources.map(({ kind }) => kind)).toEqual([
      "Cluster",
      "Cluster",
      "Cluster",
      "Deployment",
      "Service",
      "PodDisruptionBudget",
    ]);
    expect(new Set(clusters.map(({ metadata }) => metadata.name)).size).toBe(3);
  });

  it("has clusters that are alike, with a standby that confirms commits and a collation by bytes", () => {
    for (const { apiVersion, spec } of clusters) {
      expect(apiVersion).toBe("postgresql.cnpg.io/v1");
      expect(spec).toEqual(clusters[0].spec);
      expect(spec.bootstrap.initdb).toMatchObject({
        localeCollate: "C.UTF-8",
        localeCType: "C.UTF-8",
        encoding: "UTF8",
      });
      expect(spec.postgresql.synchronous).toEqual({ method: "any", number: 1 });
      expect(spec.instances).toBeGreaterThan(spec.postgresql.synchronous.number + 1);
      expect(isPinned(spec.imageName)).toBe(true);
    }
  });

  it("leads to each cluster: the directory by DATABASE_URL, the others by commands in the comment", () => {
    const directory = env.find(({ name }) => name === "DATABASE_URL")?.value ?? "";
    const added = [...comment.matchAll(/botyard cells add (\w+)(?: --url (\S+))?/g)];
    const urls = added.map(([, , url]) => url ?? directory);
    const { database, owner } = clusters[0].spec.bootstrap.initdb;
    expect(urls.map(placeOf)).toEqual(
      clusters.map(({ metadata }) => ({ host: `${metadata.name}-rw`, database, user: owner })),
    );
    expect(added.map(([, name]) => `botyard-${name}`)).toEqual(clusters.map(({ metadata }) => metadata.name));
    expect(urls.every((url) => new URL(url).password === "")).toBe(true);
  });

  it("takes the password from the secret that makes the user of the clusters", () => {
    const password = env.find(({ name }) => name === "PGPASSWORD")?.valueFrom?.secretKeyRef;
    const { secret, owner } = clusters[0].spec.bootstrap.initdb;
    expect(password).toEqual({ name: secret.name, key: "password" });
    expect(comment).toMatch(
      new RegExp(
        `create secret generic ${secret.name} --type=kubernetes.io/basic-auth .*\\n.*username=${owner} .*password=`,
      ),
    );
  });

  it("makes every other secret that the pods read", () => {
    const secrets = podOf(resources).volumes.flatMap(
      ({ secret }: { secret?: { secretName: string } }) => secret ?? [],
    );
    const made = comment.slice(comment.indexOf("create secret generic botyard \\"));
    expect(secrets).toEqual([{ secretName: "botyard" }]);
    const keys = [...made.matchAll(/--from-literal=([\w-]+)=/g)].map(
      ([, key]) => `/run/secrets/botyard/${key}`,
    );
    const files = env.filter(({ name }) => name.endsWith("_FILE")).map(({ value }) => value);
    expect(new Set(files)).toEqual(new Set(keys));
  });

  it("has room for the connections of a rolling restart", () => {
    const { replicas, strategy } = resources.find(({ kind }) => kind === "Deployment").spec;
    const pods = replicas + strategy.rollingUpdate.maxSurge;
    const pool = Number(env.find(({ name }) => name === "DATABASE_POOL_SIZE")?.value);
    const wanted = pods * (pool + 1 + 3);
    expect(Number(clusters[0].spec.postgresql.parameters.max_connections)).toBeGreaterThan(wanted + 20);
  });

  it("sets known variables, and is otherwise what kubernetes.yaml is", () => {
    expect(notSettings(env.map(({ name }) => name).filter((name) => name !== "PGPASSWORD"))).toEqual([]);
    const isOfDatabase = ({ name }: Variable) => /^(DATABASE_URL|PGPASSWORD)/.test(name);
    const withoutDatabase = (all: typeof resources) =>
      JSON.parse(JSON.stringify(all.filter(({ kind }) => kind !== "Cluster")), (key, value) =>
        key === "env" ? value.filter((variable: Variable) => !isOfDatabase(variable)) : value,
      );
    expect(withoutDatabase(resources)).toEqual(withoutDatabase(plain));
  });
});
