import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { loadCode } from "../api/load-code.js";
import { queries } from "../api/queries.js";
import { BotIcon, PlusIcon, SearchIcon } from "../ui/icons.js";
import { Loaded } from "../ui/loaded.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { Page } from "../ui/page.js";
import { matches, SearchField } from "../ui/search-field.js";
import { BotsTable } from "./bots/bots-table.js";
import { StateSummary } from "./bots/state-summary.js";

/** Loaded on demand: the form is a large part of this page's code. */
const CreateBotDialog = lazy(async () => ({
  default: (await loadCode(() => import("../forms/create-bot.js"))).CreateBotDialog,
}));

/** With fewer bots, the search field is hidden. */
const SEARCH_FROM_BOTS = 6;

/** All bots of the owner with their state. */
export function BotsPage() {
  const { create, ...shown } = useSearch({ from: "/signed-in/" });
  const navigate = useNavigate({ from: "/" });
  const bots = useQuery(queries.bots());
  const [search, setSearch] = useState("");
  const isCreating = create !== undefined;
  // The dialog stays mounted after its first opening, so that closing it can return the focus.
  const [wasOpened, setWasOpened] = useState(isCreating);
  if (isCreating && !wasOpened) setWasOpened(true);
  const open = (isOpen: boolean) =>
    void navigate({
      search: { ...shown, ...(isOpen ? { create: "bot" } : {}) },
      replace: true,
      // "I have copied the token" closes the dialog that guards it.
      ignoreBlocker: true,
    });
  const createButton = (
    <Button leftSection={<PlusIcon />} onClick={() => open(true)}>
      Create a bot
    </Button>
  );
  return (
    <Page title="Bots" actions={bots.data?.length ? createButton : undefined}>
      <Loaded query={bots}>
        {(all) => {
          if (all.length === 0) {
            return (
              <NothingYet icon={<BotIcon />} title="No bots yet" action={createButton}>
                A bot is an account for a program: it reads the posts of its channels and answers there.
                Create a bot to get its token and the code that uses it.
              </NothingYet>
            );
          }
          const found = all.filter(
            ({ bot, state }) =>
              matches(search, bot.username, bot.display_name) &&
              (shown.state === undefined || state.name === shown.state),
          );
          return (
            <>
              <StateSummary bots={all} />
              {all.length >= SEARCH_FROM_BOTS && (
                <SearchField label="Search bots" value={search} onChange={setSearch} />
              )}
              {found.length === 0 ? (
                <NothingYet
                  icon={<SearchIcon />}
                  title={
                    search.trim() === "" ? "No bot is in this state" : `No bot is called “${search.trim()}”`
                  }
                >
                  {search.trim() === "" ? "Choose another state above." : "Try part of the name."}
                </NothingYet>
              ) : (
                <BotsTable bots={found} />
              )}
            </>
          );
        }}
      </Loaded>
      {wasOpened && (
        <Suspense>
          <CreateBotDialog opened={isCreating} onClose={() => open(false)} />
        </Suspense>
      )}
    </Page>
  );
}
