import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { deployFile, deployFolder } from "../support/deployment.js";
import { isInstalled } from "../support/installed.js";

interface Case {
  name: string;
  promql_expr_test: { exp_samples: { labels: string }[] }[];
}

const { groups } = parse(deployFile("alerts.yml")) as { groups: { rules: { alert: string }[] }[] };
const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
const { tests } = parse(deployFile("alerts.test.yml")) as { tests: Case[] };
const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: deployFolder, encoding: "utf8" });
  return { status, said: stdout + stderr };
};

it("every alert fires in a case of alerts.test.yml, and each case is named once", () => {
  const fired = tests.flatMap((one) => one.promql_expr_test.flatMap(({ exp_samples }) => exp_samples));
  const names = new Set(fired.map(({ labels }) => /alertname="(\w+)"/.exec(labels)?.[1] ?? ""));
  expect([...names].toSorted()).toEqual(alerts.toSorted());
  expect(new Set(tests.map(({ name }) => name)).size).toBe(tests.length);
});

describe.skipIf(!isInstalled("promtool", "prometheus"))("promtool", () => {
  it("accepts the rules, and sees each alert fire at its incident and no other", () => {
    expect(promtool("check", "rules", "alerts.yml")).toMatchObject({ status: 0 });
    expect(promtool("test", "rules", "alerts.test.yml")).toMatchObject({ status: 0 });
  });
});
