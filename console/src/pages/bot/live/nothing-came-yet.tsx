import { useQuery } from "@tanstack/react-query";
import { queries } from "../../../api/queries.js";
import { InboxIcon } from "../../../ui/icons.js";
import { ButtonLink } from "../../../ui/links.js";
import { NothingYet } from "../../../ui/nothing-yet.js";

/** Leads to where an update can be made. */
export function NothingCameYet({ botId }: { botId: string }) {
  const { data: channels } = useQuery(queries.botChannels(botId));
  const [channel] = channels ?? [];
  if (channels && !channel) {
    return (
      <NothingYet
        icon={<InboxIcon />}
        title="Nothing can come yet"
        action={
          <ButtonLink to="/bots/$botId/channels" params={{ botId }}>
            Attach to a channel
          </ButtonLink>
        }
      >
        The bot is in no channel. Attach it to one: from then on each post there shows here at once.
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
      Each post in a channel of this bot shows here at once.
    </NothingYet>
  );
}
