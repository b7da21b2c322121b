import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { queries } from "../api/queries.js";
import { BotIcon, PlusIcon, SearchIcon } from "../ui/icons.js";
import { Loaded } from "../ui/loaded.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { BotsTable } from "./bots/bots-table.js";

/** Loaded on demand: the form is a large part of this page's code. */
const CreateBotDialog = lazy(async () => ({
  default: (await import("../forms/create-bot.js")).CreateBotDialog,
}));

/** With fewer bots, the search field is hidden. */
const SEARCH_FROM_BOTS = 6;

/** All bots of the owner with their health. */
export function BotsPage() {
  const bots = useQuery(queries.bots());
  // After the first opening it stays mounted, so that closing it can return the focus.
  const [wasWanted, setWasWanted] = useState(false);
  const [isCreating, creating] = useDisclosure(false, { onOpen: () => setWasWanted(true) });
  const [search, setSearch] = useState("");
  const create = (
    <Button leftSection={<PlusIcon />} onClick={creating.open}>
      Create a bot
    </Button>
  );
  return (
    <Page title="Bots" actions={bots.data?.length ? create : undefined}>
      <Loaded query={bots}>
        {(all) => {
          if (all.length === 0) {
            return (
              <NothingYet icon={<BotIcon />} title="No bots yet" action={create}>
                A bot is an account for a program: it reads the posts of its channels and answers there.
                Create a bot to get its token and the code that uses it.
              </NothingYet>
            );
          }
          const found = all.filter(({ bot }) => matches(search, bot.username, bot.display_name));
          return (
            <>
              {all.length >= SEARCH_FROM_BOTS && (
                <SearchField label="Search bots" value={search} onChange={setSearch} />
              )}
              {found.length === 0 ? (
                <NothingYet icon={<SearchIcon />} title={`No bot is called “${search.trim()}”`}>
                  Try part of the name.
                </NothingYet>
              ) : (
                <BotsTable bots={found} />
              )}
            </>
          );
        }}
      </Loaded>
      {wasWanted && (
        <Suspense>
          <CreateBotDialog opened={isCreating} onClose={creating.close} />
        </Suspense>
      )}
    </Page>
  );
}

function matches(search: string, ...names: string[]): boolean {
  const wanted = search.trim().toLowerCase();
  return names.some((name) => name.toLowerCase().includes(wanted));
}
