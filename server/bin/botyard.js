#!/usr/bin/env node
import { existsSync } from "node:fs";

const entry = new URL("../dist/bundle/botyard.js", import.meta.url);
if (existsSync(entry)) {
  await import(entry.href);
} else {
  console.error("botyard is not built yet: run `npm run build` (or `npm start`) in the repository first.");
  process.exitCode = 1;
}
