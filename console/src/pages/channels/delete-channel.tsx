import type { Channel } from "@botyard/sdk";
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../api/client.js";
import { queryClient, refresh } from "../../api/query-client.js";
import { Confirm } from "../../ui/confirm.js";
import { TrashIcon } from "../../ui/icons.js";
import { Panel } from "../../ui/panel.js";

/** Deletes a channel once its slug has been typed. */
export function DeleteChannel({ channel }: { channel: Channel }) {
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure();
  const deleteIt = async () => {
    await owner.deleteChannel(channel.id);
    await navigate({ to: "/channels" });
    queryClient.removeQueries({ queryKey: ["channel", channel.id] });
    await refresh(["channels"], ["bots"], ["bot"]);
    notifications.show({ message: `#${channel.slug} was deleted` });
  };
  return (
    <Panel
      title="Delete"
      description="Erases its posts, from the bots' logs too, and detaches its bots."
      actions={
        <Button color="red" variant="outline" leftSection={<TrashIcon />} onClick={asking.open}>
          Delete the channel
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Delete #${channel.slug}?`}
        confirm="Delete permanently"
        typed={channel.slug}
        onConfirm={deleteIt}
      >
        The text and media of all its posts are erased, here and in every log. This cannot be undone.
      </Confirm>
    </Panel>
  );
}
