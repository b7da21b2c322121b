import { Box, Center, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { forgetDrafts } from "../forms/drafts.js";
import { SignInForm } from "../forms/sign-in.js";
import { ownerOf } from "../owner-token.js";
import { startSession, useSession } from "../session.js";
import { Logo } from "../shell/logo.js";
import { Command } from "../ui/command.js";

/** The page for owners who are not signed in, or whose session has expired. */
export function SignInPage() {
  useDocumentTitle("Sign in · Botyard");
  const { from } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const router = useRouter();
  const queryClient = useQueryClient();
  const { owner } = useSession();
  const enter = async (token: string) => {
    if (owner && owner.userId !== ownerOf(token)?.userId) {
      // Data of another owner, whose session was ended in another tab.
      queryClient.clear();
      forgetDrafts();
    }
    startSession(token);
    if (from) router.history.push(`${router.basepath}${from}`);
    else await navigate({ to: "/" });
  };
  return (
    <Center component="main" mih="100vh" p="md" bg="var(--botyard-canvas)">
      <Paper withBorder p={{ base: "lg", sm: "xl" }} w="100%" maw={460} shadow="sm">
        <Stack gap="lg">
          <Group gap="sm">
            <Logo />
            <Title order={1}>Sign in</Title>
          </Group>
          <SignInForm onToken={enter} />
          <Box>
            <Text size="sm" c="dimmed" mb={6}>
              No token? This command prints a link that signs you in:
            </Text>
            <Command text="npx botyard console --user alice" />
          </Box>
        </Stack>
      </Paper>
    </Center>
  );
}
