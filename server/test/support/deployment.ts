import { readFileSync } from "node:fs";
import { join } from "node:path";
import { variableRules } from "#botyard/config/schema.js";
import { repository } from "./program.js";

export const deployFolder = join(repository, "deploy");

export const deployFile = (name: string): string => readFileSync(join(deployFolder, name), "utf8");

/** An instruction of a Dockerfile, with continued lines joined. */
export interface Instruction {
  name: string;
  /** The options, such as `from: "build"`. */
  options: Record<string, string>;
  /** The arguments as text. */
  text: string;
  /** The arguments as words. */
  words: string[];
}

/** The stages of a Dockerfile, each with its FROM first. */
export function stagesOf(dockerfile: string): Instruction[][] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: Instruction[][] = [];
  for (const instruction of lines.map(parseInstruction)) {
    if (instruction.name === "FROM") stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

function parseInstruction(line: string): Instruction {
  const [, name = "", rest = ""] = /^\s*([A-Z]+)\s+(.*)$/.exec(line) ?? [];
  const [, front = "", text = ""] = /^((?:--\S+\s+)*)(.*)$/.exec(rest) ?? [];
  const options = [...front.matchAll(/--([a-z-]+)=(\S+)/g)].map(([, option = "", value = ""]) => [
    option,
    value,
  ]);
  return { name, options: Object.fromEntries(options), text: text.trim(), words: text.trim().split(/\s+/) };
}

/** The variables that an ENV instruction sets. */
export function variablesOf({ text }: Instruction): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]));
}

/** Those of `names` that are not settings of the service. */
export function notSettings(names: readonly string[]): string[] {
  const rules = Object.entries(variableRules);
  const known = new Set(rules.flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])));
  return names.filter((name) => !known.has(name));
}

/** Whether an image has a tag with a version. */
export const isPinned = (image: string): boolean => /:(?!latest\b)[\w.-]*\d[\w.-]*$/.test(image);
