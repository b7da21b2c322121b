import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { queries } from "../../api/queries.js";
import { EditChannelForm } from "../../forms/edit-channel.js";
import { PublishForm } from "../../forms/publish.js";
import { Loaded } from "../../ui/loaded.js";
import { Page } from "../../ui/page.js";
import { Panel } from "../../ui/panel.js";
import { PostHistory } from "./post-history.js";

/** The posts of a channel, and a form to publish one. */
export function ChannelPage() {
  const { channelId } = useParams({ from: "/signed-in/channels/$channelId" });
  const channel = useQuery(queries.channel(channelId));
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
          <Panel title="Profile" description={`The slug, #${channel.slug}, cannot be changed.`}>
            <EditChannelForm channel={channel} />
          </Panel>
        </Page>
      )}
    </Loaded>
  );
}
