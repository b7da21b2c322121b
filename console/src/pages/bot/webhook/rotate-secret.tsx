import type { RotatedSecret } from "@botyard/sdk";
import { Button, Code, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";
import { owner } from "../../../api/client.js";
import { refresh } from "../../../api/query-client.js";
import { Confirm } from "../../../ui/confirm.js";
import { Copy } from "../../../ui/copy.js";
import { Moment } from "../../../ui/moment.js";
import { useNavigationGuard } from "../../../ui/navigation-guard.js";
import { Panel } from "../../../ui/panel.js";
import { useWebhookName } from "../webhook-name.js";

const OVERLAPS = [
  { value: "1h", label: "Signs for another hour" },
  { value: "24h", label: "Signs for another day" },
  { value: "0s", label: "Ends at once" },
];

/** Gives the webhook a new secret, while the one before may still sign. */
export function RotateSecret({ botId }: { botId: string }) {
  const webhook = useWebhookName();
  const [isAsking, asking] = useDisclosure();
  const [overlap, setOverlap] = useState("1h");
  const [rotated, setRotated] = useState<RotatedSecret>();
  useNavigationGuard(rotated !== undefined, "Copy the secret first: it is not shown again.");
  const rotate = async () => {
    setRotated(await owner.rotateWebhookSecret(botId, { webhook, overlap }));
    await refresh(["bot", botId]);
  };
  return (
    <Panel
      title="New secret"
      description="A secret in place of the one before, without losing an update: give the receiver both, as long as the one before signs."
      actions={
        <Button variant="default" onClick={asking.open}>
          Make a new secret
        </Button>
      }
    >
      <Confirm
        opened={isAsking}
        onClose={asking.close}
        title="Make a new secret?"
        confirm="Make a new secret"
        onConfirm={rotate}
      >
        <Radio.Group
          label="The secret before"
          description="A receiver that does not know the new one by then refuses what it is sent."
          value={overlap}
          onChange={setOverlap}
        >
          <Stack gap={8} mt="xs">
            {OVERLAPS.map(({ value, label }) => (
              <Radio key={value} value={value} label={label} />
            ))}
          </Stack>
        </Radio.Group>
      </Confirm>
      <Modal
        opened={rotated !== undefined}
        onClose={() => setRotated(undefined)}
        title="New secret"
        size="lg"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
      >
        {rotated && <NewSecret rotated={rotated} onDone={() => setRotated(undefined)} />}
      </Modal>
    </Panel>
  );
}

function NewSecret({ rotated, onDone }: { rotated: RotatedSecret; onDone: () => void }) {
  const { secret_token: secret, previous_until: until } = rotated;
  return (
    <Stack gap="md">
      <Text size="sm">
        Copy it now and give it to the receiver: it is not shown again.{" "}
        {until === undefined ? (
          "The one before signs nothing any more."
        ) : (
          <>
            The one before signs until <Moment at={until} as="time" />.
          </>
        )}
      </Text>
      <Code block data-testid="webhook-secret" tabIndex={0} fz="sm">
        {secret}
      </Code>
      <Group justify="space-between">
        <Copy text={secret} what="secret" wide />
        <Button onClick={onDone}>I have copied the secret</Button>
      </Group>
    </Stack>
  );
}
