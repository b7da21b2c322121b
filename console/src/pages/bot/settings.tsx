import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { EditBotForm } from "../../forms/edit-bot.js";
import { EmitEventForm } from "../../forms/emit-event.js";
import { Loaded } from "../../ui/loaded.js";
import { Panel } from "../../ui/panel.js";
import { useBotId } from "./bot-id.js";
import { DeleteBot } from "./settings/delete-bot.js";
import { DisableBot } from "./settings/disable-bot.js";
import { ListBot } from "./settings/list-bot.js";
import { RotateToken } from "./settings/rotate-token.js";

/** A bot's profile, its token, disabling and deleting it. */
export function SettingsPage() {
  const bot = useQuery(queries.bot(useBotId()));
  return (
    <Loaded query={bot}>
      {({ bot }) => (
        <>
          <Panel title="Profile" description={`The username, @${bot.username}, cannot be changed.`}>
            <EditBotForm bot={bot} />
          </Panel>
          <ListBot bot={bot} />
          <RotateToken bot={bot} />
          <Panel
            title="Emit an event"
            description="A custom event of your platform for this bot alone: a command, or a direct message."
          >
            <EmitEventForm target={{ botId: bot.id }} />
          </Panel>
          <DisableBot bot={bot} />
          <DeleteBot bot={bot} />
        </>
      )}
    </Loaded>
  );
}
