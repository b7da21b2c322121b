import type { BotOverview } from "@botyard/sdk";
import { Button, Checkbox, Group, Paper, Table } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useMemo, useState } from "react";
import { loadCode } from "../../api/load-code.js";
import { count, formatted } from "../../ui/numbers.js";
import type { Column } from "../search-params.js";
import { BotRow } from "./bot-row.js";
import classes from "./bots-table.module.css";
import { isFirstDescending, sorted } from "./sorting.js";

const BulkActions = lazy(async () => ({
  default: (await loadCode(() => import("./bulk-actions.js"))).BulkActions,
}));

/** Rows that are added in each step: drawing a thousand at once takes a second. */
const ROWS_AT_ONCE = 100;

/** The bots with their state, sorted by any column; on a phone only the most important columns. */
export function BotsTable({ bots }: { bots: readonly BotOverview[] }) {
  const { sort, desc } = useSearch({ from: "/signed-in/" });
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [rows, setRows] = useState(ROWS_AT_ONCE);
  const all = useMemo(() => sorted(bots, sort, desc), [bots, sort, desc]);
  const shown = all.slice(0, rows);
  // One scale for all sparklines, so that they can be compared.
  const most = Math.max(
    1,
    ...bots.flatMap(({ delivered, failed_attempts: failed }) =>
      delivered.map((value, index) => value + (failed[index] ?? 0)),
    ),
  );
  const chosen = bots.filter(({ bot }) => picked.has(bot.id));
  const pick = (ids: readonly string[], isPicked: boolean) =>
    setPicked((before) => {
      const after = new Set(before);
      for (const id of ids) {
        if (isPicked) after.add(id);
        else after.delete(id);
      }
      return after;
    });
  return (
    <>
      {chosen.length > 0 && (
        <Suspense>
          <BulkActions bots={chosen} onDone={() => setPicked(new Set())} />
        </Suspense>
      )}
      <Paper withBorder className={classes["frame"]}>
        <Table verticalSpacing="sm" horizontalSpacing="md" highlightOnHover className={classes["table"]}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th className={classes["pick"]}>
                <Checkbox
                  aria-label="Select all bots"
                  checked={chosen.length > 0 && chosen.length === bots.length}
                  indeterminate={chosen.length > 0 && chosen.length < bots.length}
                  onChange={({ currentTarget: { checked } }) =>
                    pick(
                      bots.map(({ bot }) => bot.id),
                      checked,
                    )
                  }
                />
              </Table.Th>
              <Heading column="bot">Bot</Heading>
              <Heading column="state">State</Heading>
              <Heading column="delivered" isWide>
                Last hour
              </Heading>
              <Heading column="waiting" isNumber>
                Waiting
              </Heading>
              <Heading column="failed" isNumber>
                Failed
              </Heading>
              <Heading column="channels" isNumber isWide>
                Channels
              </Heading>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {shown.map((overview) => (
              <BotRow
                key={overview.bot.id}
                overview={overview}
                most={most}
                isPicked={picked.has(overview.bot.id)}
                onPick={(isPicked) => pick([overview.bot.id], isPicked)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Paper>
      {all.length > rows && (
        <Group justify="center">
          <Button variant="default" onClick={() => setRows(rows + ROWS_AT_ONCE)}>
            Show {count(Math.min(ROWS_AT_ONCE, all.length - rows), "more bot")} of {formatted(all.length)}
          </Button>
        </Group>
      )}
    </>
  );
}

interface HeadingProps {
  column: Column;
  isNumber?: boolean;
  /** Not shown on a phone. */
  isWide?: boolean;
  children: ReactNode;
}

/** A heading that sorts by its column; a second click reverses the order. */
function Heading({ column, isNumber = false, isWide = false, children }: HeadingProps) {
  const search = useSearch({ from: "/signed-in/" });
  const isSorted = (search.sort ?? "state") === column;
  const isDescending = search.desc === true;
  const desc = isSorted ? !isDescending : isFirstDescending(column);
  return (
    <Table.Th
      ta={isNumber ? "right" : undefined}
      visibleFrom={isWide ? "sm" : undefined}
      aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : undefined}
    >
      <Link
        to="/"
        search={{ ...search, sort: column, desc: desc || undefined }}
        replace
        className={classes["sort"]}
      >
        {children}
        {isSorted && <span aria-hidden="true">{isDescending ? " ↓" : " ↑"}</span>}
      </Link>
    </Table.Th>
  );
}
