import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { isGone } from "../../api/failure.js";
import { queries } from "../../api/queries.js";
import { EditChannelForm } from "../../forms/edit-channel.js";
import { EmitEventForm } from "../../forms/emit-event.js";
import { PublishForm } from "../../forms/publish.js";
import { FailureAlert } from "../../ui/failure-alert.js";
import { ButtonLink } from "../../ui/links.js";
import { Loaded } from "../../ui/loaded.js";
import { Page } from "../../ui/page.js";
import { Panel } from "../../ui/panel.js";
import { BotsInLoop } from "./bots-in-loop.js";
import { ChannelBots } from "./channel-bots.js";
import { DeleteChannel } from "./delete-channel.js";
import { PostHistory } from "./post-history.js";

/** A channel: its posts, its bots, and the owner's actions. */
export function ChannelPage() {
  const { channelId } = useParams({ from: "/signed-in/channels/$channelId" });
  const channel = useQuery(queries.channel(channelId));
  if (channel.isLoadingError || isGone(channel.error)) {
    return (
      <Page title="Channel">
        <FailureAlert error={channel.error} of="read" onRetry={() => void channel.refetch()} />
        <Group>
          <ButtonLink to="/channels" variant="default">
            Your channels
          </ButtonLink>
        </Group>
      </Page>
    );
  }
  return (
    <Loaded query={channel}>
      {(channel) => (
        <Page
          key={channel.id}
          title={channel.title}
          subtitle={`#${channel.slug}${channel.description && ` · ${channel.description}`}`}
        >
          <Panel title="Publish a post" description="In your own name. Every attached bot receives it.">
            <PublishForm channelId={channel.id} />
          </Panel>
          <Panel title="Posts">
            <PostHistory channelId={channel.id} />
          </Panel>
          <ChannelBots channelId={channel.id} />
          <Panel
            title="Emit an event"
            description="A custom event of your platform, for the bots of this channel that hear it."
          >
            <EmitEventForm target={{ channelId: channel.id }} />
          </Panel>
          <Panel
            title="Profile"
            description={`The slug, #${channel.slug}, cannot be changed${channel.external_id === undefined ? "" : `, nor the external id, ${channel.external_id}`}.`}
          >
            <EditChannelForm channel={channel} />
          </Panel>
          <DeleteChannel channel={channel} />
          <BotsInLoop channel={channel} />
        </Page>
      )}
    </Loaded>
  );
}
