import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../../../server/test/support/program.js";

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const reference = read("sdk/README.md");

/** The names that an entry exports, types included, as its declarations have them. */
function exportsOf(entry: string): string[] {
  const declarations = read(`sdk/dist/esm/${entry}.d.ts`);
  const listed = [...declarations.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = ""]) =>
    names.split(","),
  );
  const types = /export type \* from "\.\/types\.js"/.test(declarations)
    ? [...read("sdk/dist/esm/types.d.ts").matchAll(/^export (?:type|interface) (\w+)/gm)].map(
        ([, name = ""]) => name,
      )
    : [];
  return [...listed.map((name) => name.replace(/^\s*type /, "").trim()), ...types].filter(
    (name) => name !== "",
  );
}

describe("the reference names", () => {
  it.each(["index", "node", "conversation", "sqlite", "postgres", "testing"])(
    "everything that %s exports",
    (entry) => {
      const names = exportsOf(entry);
      expect(names.length).toBeGreaterThan(1);
      expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(reference))).toEqual([]);
    },
  );
});

describe("the first bot", () => {
  const firstBotOf = (document: string): string =>
    /^```\w+[^\n]*\n(import \{ Bot \} from "@botyard\/sdk";\n.*?)^```$/ms.exec(read(document))?.[1] ?? "";

  it("is the same ten lines wherever somebody begins", () => {
    const lines = firstBotOf("README.md");
    expect(lines.trim().split("\n")).toHaveLength(9);
    expect(firstBotOf("docs/bot-guide.md")).toBe(lines);
    expect(firstBotOf("sdk/README.md")).toBe(lines);
    const shown = read("console/src/forms/new-token.tsx");
    const code = [...shown.matchAll(/^ {4}(["'`])(.*)\1,$/gm)].map(([, , line = ""]) =>
      line.replaceAll('\\"', '"'),
    );
    expect(code.join("\n").replace("${url}", "http://127.0.0.1:8080")).toBe(lines.trim());
  });
});

/** Those that are compiled together: a compiler takes seconds. The two declare different sessions. */
const DOCUMENTS = [["sdk/README.md", "docs/events.md", "docs/embedding.md"], ["docs/bot-guide.md"]];

/** Declarations that the documents' examples need, unless they have their own. */
const GIVEN: Record<string, string> = {
  Bot: 'import { Bot } from "@botyard/sdk";',
  bot: "declare const bot: import('@botyard/sdk').Bot;",
  bob: "declare const bob: import('@botyard/sdk').OwnerClient;",
  platform: "declare const platform: import('@botyard/sdk').PlatformClient;",
  zoe: "declare const zoe: { id: string; username: string };",
  alice: "declare const alice: import('@botyard/sdk').OwnerClient;",
  archive: "declare const archive: { id: string };",
  weather: "declare const weather: { id: string };",
  room: "declare const room: { id: string };",
  model: "declare const model: { answer(question: string): AsyncIterable<string> };",
  owner: "declare const owner: import('@botyard/sdk').OwnerClient;",
  secret: "declare const secret: string;",
  token: "declare const token: string;",
  url: "declare const url: string;",
};

describe("the examples", () => {
  it.each(DOCUMENTS)("of %s and those with it compile", async (...documents) => {
    const examples = documents.flatMap((document) => {
      const found = [...read(document).matchAll(/^```ts\b[^\n]*\n(.*?)^```$/gms)];
      expect(found.length, document).toBeGreaterThan(0);
      return found.map(([, code = ""]) => code);
    });
    const folder = mkdtempSync(join(tmpdir(), "botyard-documents-"));
    try {
      symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
      for (const [index, code] of examples.entries()) {
        const given = Object.entries(GIVEN).filter(([name]) => isMissing(name, code));
        writeFileSync(
          join(folder, `${index}.mts`),
          [...given.map(([, line]) => line), code, "export {};"].join("\n"),
        );
      }
      const compilerOptions = { noEmit: true, typeRoots: [join(repository, "node_modules/@types")] };
      const config = { extends: join(repository, "tsconfig.base.json"), compilerOptions, include: ["*.mts"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      const compiler = join(repository, "node_modules/typescript7/bin/tsc");
      const output = await new Promise((resolve) => {
        execFile(process.execPath, [compiler, "-p", folder], (_, stdout, stderr) => resolve(stdout + stderr));
      });
      expect(output).toBe("");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the guide for products", () => {
  it("shows the code of the example", () => {
    const files = readdirSync(join(repository, "examples/platform"))
      .filter((name) => name.endsWith(".mjs"))
      .map((name) => read(`examples/platform/${name}`));
    const shown = [...read("docs/embedding.md").matchAll(/^```js\n(.*?)^```$/gms)].map(
      ([, code = ""]) => code,
    );
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((code) => !files.some((file) => file.includes(code)))).toEqual([]);
  });

  it("names the kinds by which the example asks again which commands there are", () => {
    const [, named = ""] =
      /says when to ask again: ((?:`[a-z._]+`(?:, )?)+)/.exec(read("docs/embedding.md")) ?? [];
    const [, used = ""] =
      /CHANGES_COMMANDS = new Set\((\[.*?\])\)/s.exec(read("examples/platform/feed.mjs")) ?? [];
    const kinds = (text: string) => [...text.matchAll(/[a-z]+\.[a-z_]+/g)].map(([kind]) => kind);
    expect(kinds(named)).toEqual(kinds(used));
    expect(kinds(used)).toContain("bot.commands_set");
  });
});

function isMissing(name: string, code: string): boolean {
  const uses = new RegExp(`(?<![\\w.'"/])${name}\\b(?!["':])`).test(code);
  const makes = new RegExp(`(const|let|import) (\\{[^}]*\\b)?${name}\\b`).test(code);
  return uses && !makes;
}
