import { expect, it } from "vitest";
import { COSTS, costOfOperation } from "#botyard/http/limits/request-costs.js";
import { operations } from "../support/contract.js";

it("the costs of requests name operations that exist", () => {
  const known = new Set(operations.map(({ operationId }) => operationId));
  expect(Object.keys(COSTS).filter((operationId) => !known.has(operationId))).toEqual([]);
});

it("every operation that lists costs more than a small request", () => {
  const lists = operations
    .map(({ operationId }) => operationId)
    .filter((id) => /^list(?!.*Consumers)/.test(id));
  expect(lists.filter((operationId) => COSTS[operationId] === undefined)).toEqual([]);
});

it("a change costs more than a read of the same thing", () => {
  expect(costOfOperation("editBot", false)).toBeGreaterThan(5 * Number(costOfOperation("getBot", true)));
});
