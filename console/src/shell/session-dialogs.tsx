import { Box, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { forgetDrafts } from "../forms/drafts.js";
import { SignInForm } from "../forms/sign-in.js";
import { ownerOf } from "../owner-token.js";
import { offerSession, refuseOffered, startSession, takeOffered, useSession } from "../session.js";
import { Command } from "../ui/command.js";
import { useLeave } from "./sign-out.js";

/** Above every other dialog; those stay open with their content. */
const ABOVE_ALL = 1_000;

/** Asks for a new token when the session is over, and whether to switch when another owner's token is offered. */
export function SessionDialogs() {
  const { owner, isOver, isSignedOut, offered } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const leave = useLeave();
  const enter = async (token: string) => {
    if (owner && ownerOf(token)?.userId !== owner.userId) return offerSession(token);
    startSession(token);
    await queryClient.invalidateQueries();
  };
  const swap = async () => {
    takeOffered();
    queryClient.clear();
    forgetDrafts();
    await navigate({ to: "/", ignoreBlocker: true });
  };
  return (
    <>
      <Modal
        opened={isOver}
        onClose={() => {}}
        title={isSignedOut ? "You have signed out in another tab" : "Your session has ended"}
        closeOnClickOutside={false}
        closeOnEscape={false}
        withCloseButton={false}
        zIndex={ABOVE_ALL}
      >
        <Stack gap="md">
          <Text size="sm">
            {isSignedOut
              ? "Something on this page is not saved. Sign in again to go on with it, or leave it: then it is lost."
              : "Sign in again to go on where you are. Nothing on this page is lost."}
          </Text>
          <SignInForm onToken={enter} />
          {isSignedOut ? (
            <Button variant="default" onClick={() => void leave()}>
              Leave this page
            </Button>
          ) : (
            <Box>
              <Text size="sm" c="dimmed" mb={6}>
                This command prints a link; opened in this browser, it signs this page in too:
              </Text>
              <Command text={`npx botyard console --user ${owner?.userId ?? "alice"}`} />
            </Box>
          )}
        </Stack>
      </Modal>
      <Modal
        opened={offered !== undefined}
        onClose={refuseOffered}
        title={`Sign in as ${offered?.name}?`}
        zIndex={ABOVE_ALL + 1}
      >
        <Stack gap="md">
          <Text size="sm">
            This token is of <b>{offered?.name}</b>. You {isOver ? "were" : "are"} signed in as{" "}
            <b>{owner?.name}</b>. What {owner?.name} has not saved in this tab is lost.
          </Text>
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={() => void swap()}>
              Sign in as {offered?.name}
            </Button>
            <Button onClick={refuseOffered} data-autofocus>
              {isOver ? "Back" : `Stay ${owner?.name}`}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
