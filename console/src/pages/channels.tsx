import { ChannelIcon } from "../ui/icons.js";
import { NothingYet } from "../ui/nothing-yet.js";
import { Page } from "../ui/page.js";

export function ChannelsPage() {
  return (
    <Page title="Channels">
      <NothingYet icon={<ChannelIcon />} title="Soon">
        Use botyard channel create.
      </NothingYet>
    </Page>
  );
}
