import type { TestProject } from "vitest/node";
import { chromiumPath } from "../../scripts/browser.mjs";

declare module "vitest" {
  export interface ProvidedContext {
    /** The program of the browser that the tests drive. */
    chromium: string;
  }
}

/** Finds a Chromium before the first test of the console, or installs one. */
export function setup(project: TestProject): void {
  project.provide("chromium", chromiumPath());
}
