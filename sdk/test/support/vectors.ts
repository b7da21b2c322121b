import { readFileSync } from "node:fs";

/** A webhook request and the result that a receiver must come to; see `vectors/README.md`. */
export interface Vector {
  name: string;
  secrets: string[];
  now_seconds: number;
  headers: Record<string, string>;
  body: string;
  expect: string;
}

export const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../vectors/signatures.json", import.meta.url), "utf8"),
);
