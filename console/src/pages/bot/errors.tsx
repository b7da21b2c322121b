import { Panel } from "../../ui/panel.js";

export function ErrorsPage() {
  return <Panel title="Errors" />;
}
