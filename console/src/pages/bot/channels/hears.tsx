import type { BotChannel } from "@botyard/sdk";
import { Button, Group } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { queries } from "../../../api/queries.js";
import { refresh } from "../../../api/query-client.js";
import { SubscriptionForm } from "../../../forms/subscription.js";
import { FailureAlert } from "../../../ui/failure-alert.js";
import { Loaded } from "../../../ui/loaded.js";
import { Panel } from "../../../ui/panel.js";

interface HearsProps {
  botId: string;
  /** The channels that a subscription can be tried on. */
  channels: readonly BotChannel[];
}

/** Which events the bot hears: its subscription, tried on the last events of a channel. */
export function Hears({ botId, channels }: HearsProps) {
  const subscription = useQuery(queries.subscription(botId));
  return (
    <Loaded query={subscription}>
      {(subscription) => (
        <Panel
          title="What it hears"
          description={
            subscription.is_default
              ? "Without a subscription: every new post, and every custom event."
              : "Its subscription. What it does not hear is in no log and is never delivered."
          }
          actions={!subscription.is_default && <Remove botId={botId} />}
        >
          <SubscriptionForm botId={botId} subscription={subscription} channels={channels} />
        </Panel>
      )}
    </Loaded>
  );
}

function Remove({ botId }: { botId: string }) {
  const removal = useMutation({
    mutationFn: (botId: string) => owner.deleteSubscription(botId),
    onSuccess: () => refresh(["bot", botId]),
  });
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => removal.mutate(botId)} loading={removal.isPending}>
        Remove the subscription
      </Button>
      <FailureAlert error={removal.error} />
    </Group>
  );
}
