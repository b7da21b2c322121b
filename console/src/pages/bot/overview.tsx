import { Panel } from "../../ui/panel.js";

export function OverviewPage() {
  return <Panel title="Overview" />;
}
