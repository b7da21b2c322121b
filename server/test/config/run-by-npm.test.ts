import { expect, it } from "vitest";
import { isRunByNpm } from "#botyard/config.js";

it.each([
  ["'botyard' serve", true],
  ["botyard serve", true],
  ["NODE_ENV=production botyard serve", true],
  ["env FOO='a b' botyard serve", true],
  ["cd data && botyard serve", true],
  ["./node_modules/.bin/botyard serve", true],
  ["botyard serve && echo done", true],
  ["botyard serve &", false],
  ["botyard serve & node app.js", false],
  ["node app.js", false],
  ["create-botyard-bot my-bot", false],
  [undefined, false],
])("npm waits for the command in %o: %o", (script, isAwaited) => {
  expect(isRunByNpm({ npm_lifecycle_script: script })).toBe(isAwaited);
});
