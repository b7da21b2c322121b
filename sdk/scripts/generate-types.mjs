// `npm run sdk:types`: writes the types of the interface, from openapi.json. With --check it only says whether they are
// up to date.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTypes, { astToString } from "openapi-typescript";

const HEADER = "// Written by `npm run sdk:types` from openapi.json. Change that instead.\n\n";
const file = new URL("../src/generated/openapi.ts", import.meta.url);

const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
const types = HEADER + astToString(await openapiTypes(document));

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== types) {
    console.error("sdk/src/generated/openapi.ts does not fit openapi.json: run npm run sdk:types");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, types);
}
