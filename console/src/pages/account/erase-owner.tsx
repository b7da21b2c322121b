import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useNavigate } from "@tanstack/react-router";
import { owner } from "../../api/client.js";
import { queryClient } from "../../api/query-client.js";
import { Confirm } from "../../ui/confirm.js";
import { TrashIcon } from "../../ui/icons.js";
import { Panel } from "../../ui/panel.js";

/** Erases everything the owner has, once the user id has been typed. */
export function EraseOwner({ userId }: { userId: string }) {
  const navigate = useNavigate();
  const [isAsking, asking] = useDisclosure();
  const erase = async () => {
    // A call works for some seconds; there may be more.
    while ((await owner.eraseOwner(userId)).status === "erasing");
    queryClient.clear();
    await navigate({ to: "/" });
    notifications.show({ message: "Everything was erased" });
  };
  return (
    <Panel
      title="Erase"
      description="Deletes all your bots and channels with their posts, events and updates."
      actions={
        <Button color="red" variant="outline" leftSection={<TrashIcon />} onClick={asking.open}>
          Erase everything
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="Erase everything you have?"
        confirm="Erase permanently"
        typed={userId}
        onConfirm={erase}
      >
        All bots, channels, posts, events and updates of {userId} are erased, undelivered ones too. Export
        them first if you may need them. This cannot be undone.
      </Confirm>
    </Panel>
  );
}
