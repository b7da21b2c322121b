import { Panel } from "../../ui/panel.js";

export function BotChannelsPage() {
  return <Panel title="Channels" />;
}
