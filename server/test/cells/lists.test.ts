import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId } from "#botyard/domain/ids.js";
import { dayOf } from "#botyard/domain/owners/usage.js";
import { createAskCells } from "#botyard/store/cells/ask-cells.js";
import { mergeCells } from "#botyard/store/cells/spanning/merged-list.js";
import { spanningLists } from "#botyard/store/cells/spanning/spanning-lists.js";
import type { Store } from "#botyard/store/store.js";
import { openCells, type TestCell, type TestCells } from "../support/cells-world.js";
import { aBot, aPost, NOW } from "../support/store-fixtures.js";
import { countUsage } from "../support/upkeep.js";

const DAY_MS = 86_400_000;
const BOTS = 25;
const PAGE_SIZES = [1, 2, 3, 5, 7, 24, 25, 26, 100];
const DAYS = { from: 0, to: dayOf(NOW) + 100 };
/** Some of every cell, and more of the first. Not in the order of UTF-16. */
const OWNERS = ["a", "B", "ä", "\u{1f600}", "\uffee", "z", "b2", "b10", "", "é"].filter((id) => id !== "");

let opened: TestCells;
let cells: TestCell[];
let whole: TestCell;
let lists: ReturnType<typeof spanningLists>;

const cellOf = (owner: string): TestCell =>
  cells[owner.length > 1 ? 1 : OWNERS.indexOf(owner) % 2] as TestCell;
/** Writes the same where the owner lives and where everything is. */
const inBoth = async (owner: string, write: (store: Store) => Promise<unknown>): Promise<void> => {
  await write(cellOf(owner).real);
  await write(whole.real);
};

beforeAll(async () => {
  opened = await openCells(4);
  // The third cell has nothing.
  cells = opened.all.slice(0, 3);
  whole = opened.all[3] as TestCell;
  lists = spanningLists(() => cells, createAskCells());
  for (let n = 0; n < BOTS; n += 1) {
    const owner = OWNERS[(n * 7) % OWNERS.length] as string;
    const bot = aBot(owner, `bot-${n}`);
    const audit = {
      by: { type: "owner", id: owner, tokenId: "t" } as const,
      ownerUserId: owner,
      operation: n % 2 === 0 ? "even" : "odd",
      requestId: `r${n}`,
    };
    const channel = {
      id: newId(),
      slug: `c-${n}`,
      title: "",
      description: "",
      ownerUserId: owner,
      createdAt: NOW,
    };
    await inBoth(owner, async (store) => {
      await store.createBot(bot);
      const ref = { botId: bot.id, ownerUserId: owner };
      if (n % 5 !== 0) await store.editBot({ ...ref, audit }, { visibility: "listed", updatedAt: NOW });
      if (n % 3 === 0) await store.reviewBot(bot.id, { status: "approved", note: "", reviewedAt: NOW });
      await store.putOwner(owner, { metadata: "{}" }, NOW);
      await store.putWebhook(ref, { url: "https://example.com", sealedSecret: `k${n}.x.y` }, NOW);
      await store.createChannel(channel);
      const createdAt = NOW + (n % 3) * DAY_MS;
      await store.appendPosts([aPost(channel.id, "post", { ownerUserId: owner }, createdAt)]);
    });
  }
  for (const { real } of opened.all) await countUsage(real, NOW + 3 * DAY_MS);
});
afterAll(() => opened.close());

/** All items of a list, page by page, without what each store makes by itself. */
async function walk<Item, Key>(
  read: (after: Key | undefined, limit: number) => Promise<{ items: readonly Item[]; next: Key | undefined }>,
  limit: number,
): Promise<Item[][]> {
  const pages: Item[][] = [];
  let after: Key | undefined;
  do {
    const { items, next } = await read(after, limit);
    pages.push([...items]);
    after = next;
  } while (after !== undefined);
  return pages;
}

const paged = <Item>(items: Item[], limit: number): { items: Item[]; next: Item | undefined } => ({
  items,
  next: items.length === limit ? items.at(-1) : undefined,
});

type Lists = Pick<Store, keyof ReturnType<typeof spanningLists>>;

const WALKS: Record<string, (of: Lists, limit: number) => Promise<unknown[][]>> = {
  owners: (of, size) =>
    walk<{ ownerUserId: string }, { ownerUserId: string }>(
      async (after, limit) => paged(await of.listOwners(limit, after?.ownerUserId), limit),
      size,
    ),
  usage: (of, size) =>
    walk<{ day: number; ownerUserId: string }, { day: number; ownerUserId: string }>(
      async (after, limit) => paged(await of.listUsage(DAYS, limit, after), limit),
      size,
    ),
  "listed bots": (of, size) =>
    walk(
      (after: string | undefined, limit) => listed(of.listListedBots("a", "required", { limit, after })),
      size,
    ),
  "listed bots with a text": (of, size) =>
    walk(
      (after: string | undefined, limit) =>
        listed(of.listListedBots("a", "off", { limit, after, search: "-1" })),
      size,
    ),
  reviews: (of, size) =>
    walk((after: string | undefined, limit) => listed(of.listReviews(undefined, { limit, after })), size),
  "reviews in a state": (of, size) =>
    walk((after: string | undefined, limit) => listed(of.listReviews("waiting", { limit, after })), size),
  audit: (of, size) => audited(of, size, {}),
  "audit of an operation": (of, size) => audited(of, size, { operation: "odd" }),
  "sealed secrets": (of, size) =>
    walk<{ destinationId: string }, { destinationId: string }>(
      async (after, limit) => paged(await of.listSealedSecrets(after?.destinationId, limit), limit),
      size,
    ),
};

async function listed<Item>(page: Promise<{ items: Item[]; next?: string | undefined }>) {
  const { items, next } = await page;
  return { items, next };
}

/** Ids of entries are made by each store. */
async function audited(of: Lists, size: number, filter: { operation?: string }): Promise<unknown[][]> {
  const pages = await walk(
    async (before: { id: string } | undefined, limit) =>
      paged(await of.listAudit(undefined, { ...filter, before: before?.id }, limit), limit),
    size,
  );
  return (pages as { id: string; at: number }[][]).map((page) => page.map(withoutId));
}

function withoutId(entry: { id: string; at: number }): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name !== "id" && name !== "at"));
}

describe("a list from several cells", () => {
  for (const [name, pagesOf] of Object.entries(WALKS)) {
    it(`has the pages of one store: ${name}`, async () => {
      for (const size of PAGE_SIZES) {
        const expected = await pagesOf(whole.real, size);
        expect(await pagesOf(lists, size), `${size} a page`).toEqual(expected);
      }
      expect((await pagesOf(whole.real, 100)).flat().length).toBeGreaterThan(5);
    });
  }

  it("names the cell without which it would lack something", async () => {
    const third = cells[2] as TestCell;
    third.outage = "refuses";
    await expect(lists.listOwners(10)).rejects.toThrow("unavailable cells: cell-2");
    await expect(lists.listAudit(undefined, {}, 10)).rejects.toThrow("cell-2");
    third.outage = "none";
  });

  /** 64 cells, of which only the numbers count. */
  const costOf = async (cellOfItem: (item: number) => number): Promise<number> => {
    const many = Array.from({ length: 64 }, (_, number) => ({ ...(cells[0] as TestCell), number }));
    let rows = 0;
    const page = await mergeCells(
      createAskCells(),
      many,
      {
        keyOf: (item: number) => item,
        compare: (a, b) => a - b,
        async read({ number }, limit, after = -1) {
          const items = Array.from({ length: 5_000 }, (_, item) => item)
            .filter((item) => item > after && cellOfItem(item) === number)
            .slice(0, limit);
          rows += items.length;
          return { items, next: items.length === limit ? items.at(-1) : undefined };
        },
      },
      100,
    );
    expect(page.items).toEqual(Array.from({ length: 100 }, (_, item) => item));
    return rows;
  };

  it("costs a few times its items, wherever they are", async () => {
    expect(await costOf(() => 7)).toBeLessThanOrEqual(110);
    expect(await costOf((item) => item % 64)).toBeLessThanOrEqual(64 * 4);
    expect(await costOf((item) => item % 2)).toBeLessThanOrEqual(200);
    expect(await costOf((item) => Math.floor(item / 10) % 64)).toBeLessThanOrEqual(600);
    // The oldest in one cell, and then as many in each other: no page reads a hundred of all.
    expect(await costOf((item) => (item < 80 ? 0 : item % 64))).toBeLessThanOrEqual(600);
  });
});
