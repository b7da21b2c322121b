import { Page } from "../../ui/page.js";
import { Panel } from "../../ui/panel.js";

export function ChannelPage() {
  return (
    <Page title="Channel">
      <Panel title="Channel" />
    </Page>
  );
}
