import { Bot /*ts, type BotOptions*/ } from "@botyard/sdk";

/** The bot: what it hears, and what it does. */
export function createBot(token /*ts: string | undefined*/, options /*ts: BotOptions*/) {
  const bot = new Bot(token, options);

  bot.command({ name: "hello", description: "Say hello" }, (ctx) =>
    ctx.reply(`Hello, ${ctx.payload.author_username}!`),
  );

  bot.command({ name: "help", description: "Show this list" }, (ctx) =>
    ctx.reply(
      bot
        .commands()
        .map(({ name, description }) => `/${name}: ${description}`)
        .join("\n"),
    ),
  );

  bot.onPost((ctx) => ctx.reply(`You said: ${ctx.payload.body}`));

  return bot;
}
