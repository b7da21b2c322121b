import type { BotOverview } from "@botyard/sdk";
import { Group } from "@mantine/core";
import { Link, useSearch } from "@tanstack/react-router";
import { BOT_STATES, type BotStateName } from "../../ui/bot-state.js";
import { formatted } from "../../ui/numbers.js";
import classes from "./state-summary.module.css";

/** "3 failing, 1 paused, 21 healthy": each of them shows only those bots. */
export function StateSummary({ bots }: { bots: readonly BotOverview[] }) {
  const { state: open, create: _, ...search } = useSearch({ from: "/signed-in/" });
  const counts = Object.entries(BOT_STATES).flatMap(([key, [word, color]]) => {
    const state = key as BotStateName;
    const count = bots.filter((bot) => bot.state.name === state).length;
    return count > 0 || state === open ? [{ state, word, color, count }] : [];
  });
  return (
    <Group component="nav" gap="xs" aria-label="Bots by state">
      <Link
        to="/"
        search={search}
        className={classes["filter"]}
        data-chosen={open === undefined || undefined}
      >
        All {formatted(bots.length)}
      </Link>
      {counts.map(({ state, word, color, count }) => (
        <Link
          key={state}
          to="/"
          search={{ ...search, state }}
          className={classes["filter"]}
          data-chosen={state === open || undefined}
          data-color={color}
        >
          {formatted(count)} {word.toLowerCase()}
        </Link>
      ))}
    </Group>
  );
}
