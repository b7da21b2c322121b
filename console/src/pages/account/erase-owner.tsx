import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../api/client.js";
import { queryClient } from "../../api/query-client.js";
import { Destruction } from "../../ui/destruction.js";

/** Erases everything the owner has. */
export function EraseOwner({ userId }: { userId: string }) {
  const navigate = useNavigate();
  const erase = async () => {
    // A call works for some seconds; there may be more.
    while ((await owner.eraseOwner(userId)).status === "erasing");
    queryClient.clear();
    await navigate({ to: "/" });
    notifications.show({ message: "Everything was erased" });
  };
  return (
    <Destruction
      title="Erase"
      description="Deletes all your bots and channels with their posts, events and updates."
      action="Erase everything"
      question="Erase everything you have?"
      confirm="Erase permanently"
      typed={userId}
      onConfirm={erase}
    >
      All bots, channels, posts, events and updates of {userId} are erased, undelivered ones too. Export them
      first if you may need them. This cannot be undone.
    </Destruction>
  );
}
