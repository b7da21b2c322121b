import { Panel } from "../../ui/panel.js";

export function LivePage() {
  return <Panel title="Live updates" />;
}
