import { Button, PasswordInput, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SyntheticEvent, useState } from "react";
import { clientWith } from "../api/client.js";
import { describeFailure } from "../api/failure.js";
import { ownerOf } from "../owner-token.js";

/** Asks for an owner token and checks it. */
export function SignInForm({ onToken }: { onToken: (token: string) => Promise<void> }) {
  const [text, setText] = useState("");
  const attempt = useMutation({
    mutationFn: async (token: string) => {
      checkShape(token);
      await clientWith(token).listBots();
      await onToken(token);
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    attempt.mutate(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <PasswordInput
          label="Owner token"
          description="It stays in this tab and is sent only to this service."
          placeholder="eyJhbGciOi…"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={attempt.error && wordsFor(attempt.error)}
          autoComplete="off"
          autoFocus
          required
          withAsterisk={false}
        />
        <Button type="submit" loading={attempt.isPending} disabled={text.trim() === ""}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}

class WrongShape extends Error {}

function checkShape(token: string): void {
  if (token.startsWith("bot_")) {
    throw new WrongShape("That is a bot's token. The console needs the token of the bot's owner.");
  }
  if (ownerOf(token) === undefined) {
    throw new WrongShape(
      "That is not an owner token: it has three parts with dots between them. Is it whole?",
    );
  }
}

function wordsFor(error: Error): string {
  return error instanceof WrongShape ? error.message : describeFailure(error, "read").message;
}
