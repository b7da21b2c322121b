import { Box, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { forgetDrafts } from "../forms/drafts.js";
import { SignInForm } from "../forms/sign-in.js";
import { ownerOf } from "../owner-token.js";
import { refuseOffered, startSession, takeOffered, useSession } from "../session.js";
import { Command } from "../ui/command.js";

/** Above every other dialog: what is in them stays. */
const ABOVE_ALL = 1_000;

/** Asks for another token when the session is over, and whether a link for another owner is meant. */
export function SessionDialogs() {
  const { owner, isOver, offered } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = async () => {
    queryClient.clear();
    forgetDrafts();
    await navigate({ to: "/" });
  };
  const enter = async (token: string) => {
    const isSame = ownerOf(token)?.userId === owner?.userId;
    startSession(token);
    if (isSame) await queryClient.invalidateQueries();
    else await leave();
  };
  const swap = async () => {
    takeOffered();
    await leave();
  };
  return (
    <>
      <Modal
        opened={isOver}
        onClose={() => {}}
        title="Your session has ended"
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
        zIndex={ABOVE_ALL}
      >
        <Stack gap="md">
          <Text size="sm">Sign in again to go on where you are. Nothing on this page is lost.</Text>
          <SignInForm onToken={enter} />
          <Box>
            <Text size="sm" c="dimmed" mb={6}>
              This command prints a link; opened in this browser, it signs this page in too:
            </Text>
            <Command text={`npx botyard console --user ${owner?.userId ?? "alice"}`} />
          </Box>
        </Stack>
      </Modal>
      <Modal
        opened={offered !== undefined && !isOver}
        onClose={refuseOffered}
        title={`Sign in as ${offered?.name}?`}
        zIndex={ABOVE_ALL}
      >
        <Stack gap="md">
          <Text size="sm">
            The link that you opened is for <b>{offered?.name}</b>. You are signed in as <b>{owner?.name}</b>.
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => void swap()}>
              Sign in as {offered?.name}
            </Button>
            <Button onClick={refuseOffered} data-autofocus>
              Stay {owner?.name}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
