import { useNavigate, useSearch } from "@tanstack/react-router";
import { isSearch } from "../../api/lists.js";
import { Panel } from "../../ui/panel.js";
import type { UpdatesSearch } from "../search-params.js";
import { useBotId } from "./bot-id.js";
import { Filters } from "./updates/filters.js";
import { FoundUpdates } from "./updates/found-updates.js";
import { NewestUpdates } from "./updates/newest-updates.js";
import { useDrawer } from "./updates/use-drawer.js";
import { WebhookChoice } from "./webhook-choice.js";

/** The whole log of a bot, newest first, with the state of each delivery; or the results of a search. */
export function UpdatesPage() {
  const botId = useBotId();
  const { update, webhook, ...filters } = useSearch({ from: "/signed-in/bots/$botId/updates" });
  const navigate = useNavigate({ from: "/bots/$botId/updates" });
  const drawer = useDrawer();
  const show = (search: UpdatesSearch) =>
    void navigate({
      search: ({ update }: UpdatesSearch) => ({ ...search, webhook, update }),
      replace: true,
      resetScroll: false,
    });
  const part = { ...filters, webhook };
  const list = { botId, part, openId: update, drawer };
  return (
    <Panel title="Updates" actions={<WebhookChoice botId={botId} />}>
      <Filters botId={botId} part={filters} onShow={show} onOpen={drawer.open} />
      {/* The key resets the component for a new search: the one before may have been stopped. */}
      {isSearch(filters) ? (
        <FoundUpdates key={JSON.stringify(part)} {...list} />
      ) : (
        <NewestUpdates {...list} />
      )}
    </Panel>
  );
}
