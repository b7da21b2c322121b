import type { Channel } from "@botyard/sdk";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { AlertIcon } from "../../ui/icons.js";
import { PassingNotice } from "../../ui/passing-notice.js";

/** Says which bots of a channel answer each other and are slowed; nothing when none do. */
export function BotsInLoop({ channel }: { channel: Channel }) {
  const { data: bots = [] } = useQuery(queries.bots());
  const ids = channel.bots_in_loop ?? [];
  if (ids.length === 0) return null;
  const names = ids.map((id) => `@${bots.find(({ bot }) => bot.id === id)?.bot.username ?? id}`);
  return (
    <PassingNotice title="Bots answer each other" icon={<AlertIcon />}>
      <Text size="sm">
        {names.join(" and ")} publish in turn, without a post of a person between. They are slowed to about
        one post a second until somebody posts. To end it, let a bot leave out the posts of bots, or detach
        it.
      </Text>
    </PassingNotice>
  );
}
