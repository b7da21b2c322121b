import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, type SyntheticEvent, useState } from "react";
import { FailureAlert } from "./failure-alert.js";

interface ConfirmProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** The consequences, and what cannot be undone. */
  children: ReactNode;
  /** The button's label: the action, not "OK". */
  confirm: string;
  /** A name to type first, for actions that cannot be undone. */
  typed?: string;
  /** The dialog stays open, busy, until it is done. */
  onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be undone, or that others will notice. */
export function Confirm({ opened, onClose, title, ...question }: ConfirmProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      {/* In here it begins afresh each time the dialog opens. */}
      <Question onClose={onClose} {...question} />
    </Modal>
  );
}

function Question({ onClose, children, confirm, typed, onConfirm }: Omit<ConfirmProps, "opened" | "title">) {
  const [text, setText] = useState("");
  const deed = useMutation({ mutationFn: onConfirm, onSuccess: onClose });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    deed.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={
              <>
                Type <b>{typed}</b> to confirm
              </>
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <FailureAlert error={deed.error} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={deed.isPending}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red"
            loading={deed.isPending}
            disabled={typed !== undefined && text !== typed}
            data-autofocus={typed === undefined || undefined}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
