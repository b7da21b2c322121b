import type { Channel } from "@botyard/sdk";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../api/client.js";
import { queryClient, refresh } from "../../api/query-client.js";
import { Destruction } from "../../ui/destruction.js";

export function DeleteChannel({ channel }: { channel: Channel }) {
  const navigate = useNavigate();
  const deleteIt = async () => {
    await owner.deleteChannel(channel.id);
    await navigate({ to: "/channels" });
    queryClient.removeQueries({ queryKey: ["channel", channel.id] });
    await refresh(["channels"], ["bots"], ["bot"]);
    notifications.show({ message: `#${channel.slug} was deleted` });
  };
  return (
    <Destruction
      title="Delete"
      description="Erases its posts, from the bots' logs too, and detaches its bots."
      action="Delete the channel"
      question={`Delete #${channel.slug}?`}
      confirm="Delete permanently"
      typed={channel.slug}
      onConfirm={deleteIt}
    >
      The text and media of all its posts are erased, here and in every log. This cannot be undone.
    </Destruction>
  );
}
