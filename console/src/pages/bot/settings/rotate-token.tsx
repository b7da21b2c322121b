import type { BotRecord } from "@botyard/sdk";
import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { owner } from "../../../api/client.js";
import { NewToken } from "../../../forms/new-token.js";
import { Confirm } from "../../../ui/confirm.js";
import { Panel } from "../../../ui/panel.js";

/** A new token for the bot, after a clear warning. */
export function RotateToken({ bot }: { bot: BotRecord }) {
  const [isAsking, asking] = useDisclosure();
  const [token, setToken] = useState<string>();
  return (
    <Panel
      title="Token"
      description="Lost, or seen by others? Give the bot a new one: the old one is refused from that moment on."
      actions={
        <Button variant="default" onClick={asking.open}>
          Rotate the token
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title={`Rotate the token of @${bot.username}?`}
        confirm="Rotate the token"
        onConfirm={async () => setToken((await owner.rotateBotToken(bot.id)).token)}
      >
        Whatever runs with the old token stops working at once, and works again when it has the new one. No
        update is lost meanwhile.
      </Confirm>
      <Modal
        opened={token !== undefined}
        onClose={() => setToken(undefined)}
        title="The new token"
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        <NewToken bot={bot} token={token ?? ""} onDone={() => setToken(undefined)} />
      </Modal>
    </Panel>
  );
}
