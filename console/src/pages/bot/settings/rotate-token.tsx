import type { BotRecord } from "@botyard/sdk";
import { Button, Modal } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { owner } from "../../../api/client.js";
import { NewToken, useTokenGuard } from "../../../forms/new-token.js";
import { Confirm } from "../../../ui/confirm.js";
import { Panel } from "../../../ui/panel.js";

/** Rotates the bot's token after a warning. */
export function RotateToken({ bot }: { bot: BotRecord }) {
  const [isAsking, asking] = useDisclosure();
  const [token, setToken] = useState<string>();
  useTokenGuard(token !== undefined);
  return (
    <Panel
      title="Token"
      description="If the token is lost or leaked, create a new one. The old one is refused at once."
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
        Everything that uses the old token stops working at once, until it has the new one. No update is lost.
      </Confirm>
      <Modal
        opened={token !== undefined}
        onClose={() => setToken(undefined)}
        title="New token"
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
