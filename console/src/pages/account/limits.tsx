import type { OwnLimits } from "@botyard/sdk";
import { DataList } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../../api/queries.js";
import { Fact } from "../../ui/fact.js";
import { Loaded } from "../../ui/loaded.js";
import { formatted, percentage } from "../../ui/numbers.js";
import { Panel } from "../../ui/panel.js";

/** What the owner may have, and how much of it is kept. */
export function Limits() {
  const query = useQuery(queries.limits());
  return (
    <Panel title="Limits" description="How much you may have, as the service or its operator has set it.">
      <Loaded query={query}>
        {({ bots, channels, destinations, posts_per_second, bytes_kept }) => (
          <DataList>
            <Fact name="Bots">{limitOf(bots)}</Fact>
            <Fact name="Channels">{limitOf(channels)}</Fact>
            <Fact name="Webhooks">{limitOf(destinations)}</Fact>
            <Fact name="Posts per second">{limitOf(posts_per_second)}</Fact>
            <Fact name="Bytes kept">{keptOf(bytes_kept)}</Fact>
          </DataList>
        )}
      </Loaded>
    </Panel>
  );
}

function limitOf({ limit, set_by: setBy }: OwnLimits["bots"]): string {
  if (limit === null) return "any number";
  return setBy === "platform" ? `${formatted(limit)}, set for you` : formatted(limit);
}

/** They are counted within some minutes. */
function keptOf(kept: OwnLimits["bots"]): string {
  const { limit, used = 0 } = kept;
  if (limit === null) return `${formatted(used)}, of any number`;
  const share = limit > 0 ? ` (${percentage(used, limit)})` : "";
  return `${formatted(used)} of ${limitOf(kept)}${share}`;
}
