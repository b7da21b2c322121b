import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { InboxIcon } from "../../../ui/icons.js";
import { ButtonLink } from "../../../ui/links.js";
import { NothingYet } from "../../../ui/nothing-yet.js";

/** Links to the page where an update can be caused. */
export function NothingCameYet({ botId }: { botId: string }) {
  const { data: channels } = useQuery(queries.botChannels(botId));
  const [channel] = channels ?? [];
  if (channels && !channel) {
    return (
      <NothingYet
        icon={<InboxIcon />}
        title="Not in a channel yet"
        action={
          <ButtonLink to="/bots/$botId/channels" params={{ botId }}>
            Attach to a channel
          </ButtonLink>
        }
      >
        Attach the bot to a channel. Each post there then appears here at once.
      </NothingYet>
    );
  }
  return (
    <NothingYet
      icon={<InboxIcon />}
      title="Waiting for the first update"
      action={
        channel && (
          <ButtonLink to="/channels/$channelId" params={{ channelId: channel.id }}>
            Publish in #{channel.slug}
          </ButtonLink>
        )
      }
    >
      Each post in a channel of this bot appears here at once.
    </NothingYet>
  );
}
