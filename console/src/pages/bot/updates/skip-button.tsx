import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { owner } from "../../../api/client.js";
import { describeFailure } from "../../../api/failure.js";
import { refresh } from "../../../api/query-client.js";
import { useWebhookName } from "../webhook-name.js";

interface SkipButtonProps {
  botId: string;
  updateId: number;
}

/** Gives up an update that waits to be sent. It can be replayed, so nothing is asked first. */
export function SkipButton({ botId, updateId }: SkipButtonProps) {
  const webhook = useWebhookName();
  const skipping = useMutation({
    mutationFn: (updateId: number) => owner.skipUpdate(botId, updateId, { webhook }),
    async onSuccess({ update_id: skippedId }) {
      notifications.show({
        message: `Update ${skippedId} is not sent any more; a replay sends it after all`,
      });
      await refresh(["bot", botId], ["bots"]);
    },
    onError(error) {
      const { title, message } = describeFailure(error);
      notifications.show({ color: "red", title, message });
    },
  });
  return (
    <Button
      variant="default"
      size="xs"
      loading={skipping.isPending}
      onClick={() => skipping.mutate(updateId)}
    >
      Skip
    </Button>
  );
}
