import type { BotRecord } from "@botyard/sdk";
import { Button, Code, Group, Stack, Text } from "@mantine/core";
import { Command } from "../ui/command.js";
import { Copy } from "../ui/copy.js";
import { useNavigationGuard } from "../ui/navigation-guard.js";

interface NewTokenProps {
  bot: BotRecord;
  token: string;
  onDone: () => void;
}

/** Guards the page while it shows a token, so that it is not left by accident. */
export function useTokenGuard(isShown: boolean): void {
  useNavigationGuard(isShown, "Copy the token first: it is not shown again.");
}

/** A bot's token, shown only once, and the code that uses it. */
export function NewToken({ bot, token, onDone }: NewTokenProps) {
  return (
    <Stack gap="md">
      <Text size="sm">
        This is the token of <b>@{bot.username}</b>. Copy it now: only a hash of it is stored, and it is not
        shown again. Whoever has it can act as the bot.
      </Text>
      <Code block data-testid="bot-token" tabIndex={0} fz="sm">
        {token}
      </Code>
      <Group>
        <Copy text={token} what="token" wide />
      </Group>
      <div>
        <Text size="sm" fw={500} mb={6}>
          A bot that answers, in Node, after <Code>npm install @botyard/sdk</Code>
        </Text>
        <Command text={exampleFor(location.origin)} what="code" />
      </div>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have copied the token</Button>
      </Group>
    </Stack>
  );
}

function exampleFor(url: string): string {
  return [
    'import { Bot } from "@botyard/sdk";',
    "",
    `const bot = new Bot(process.env.BOT_TOKEN, { url: "${url}" });`,
    'bot.command("hello", (ctx) => ctx.reply(`Hello, ${ctx.payload.author_username}!`));',
    "bot.onPost((ctx) => {",
    "  console.log(`${ctx.payload.author_username}: ${ctx.payload.body}`);",
    "  return ctx.reply(`You said: ${ctx.payload.body}`);",
    "});",
    "await bot.start();",
  ].join("\n");
}
