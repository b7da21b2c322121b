// `npm run sdk:types`: writes the types of the interface, from openapi.json. With --check it only says whether they are
// up to date.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTypes, { astToString } from "openapi-typescript";

const HEADER = "// Written by `npm run sdk:types` from openapi.json. Change that instead.\n\n";
const file = new URL("../src/generated/openapi.ts", import.meta.url);

const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
describeReferences(document.components.schemas);
// As the text of a comment and not as a tag, which editors show less well.
const types = HEADER + astToString(await openapiTypes(document)).replace(/(\/\*\* |\* )@description /g, "$1");

/** A field that refers to a component says nothing of itself; editors show what the component says then. */
function describeReferences(schemas, within = Object.values(schemas)) {
  for (const { properties = {}, items } of within) {
    for (const field of Object.values(properties)) {
      const name = field.$ref?.split("/").at(-1);
      if (name) field.description ??= schemas[name]?.description ?? `See ${name}.`;
    }
    describeReferences(schemas, [...Object.values(properties), ...(items ? [items] : [])]);
  }
}

if (process.argv.includes("--check")) {
  if (readFileSync(file, "utf8") !== types) {
    console.error("sdk/src/generated/openapi.ts does not fit openapi.json: run npm run sdk:types");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, types);
}
