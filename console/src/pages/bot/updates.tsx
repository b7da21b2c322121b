import { Panel } from "../../ui/panel.js";

export function UpdatesPage() {
  return <Panel title="Updates" />;
}
