// A bot for a room of the chat application: /deploy asks the room, and who presses Approve or Reject first decides.
//
//   BOT_TOKEN=bot_… node examples/platform/deploy-bot.mjs
//
// BOTYARD_URL is the URL of the service. It deploys nothing.
import { Bot, button, link, row, ServiceError } from "@botyard/sdk";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
/** It is in the values of buttons, which are short. */
const MAX_VERSION_CHARS = 100;
const DEPLOY = {
  description: "Ask the room whether to deploy",
  options: [
    { name: "version", type: "string", description: "Which version", required: true },
    {
      name: "to",
      type: "string",
      description: "Where to",
      required: true,
      choices: [
        { label: "Staging", value: "staging" },
        { label: "Production", value: "production" },
      ],
    },
  ],
};

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.command("deploy", DEPLOY, (ctx) => {
  const { version, to } = ctx.options;
  const value = `${[...version].slice(0, MAX_VERSION_CHARS).join("")} to ${to}`;
  return ctx.reply({
    body: `Deploy ${value}? ${ctx.user.username} asks`,
    components: [
      row(
        button("approve", "Approve", { style: "primary", value }),
        button("reject", "Reject", { style: "danger", value, confirm: `Reject ${value}?` }),
        button("details", "Details", { value }),
        link("Changes", "https://example.com/changes"),
      ),
    ],
  });
});
bot.button("approve", (ctx) => decide(ctx, "approved"));
bot.button("reject", (ctx) => decide(ctx, "rejected"));
bot.button("details", (ctx) => {
  const body = `${ctx.value}: 3 changes since the last version`;
  return ctx.answer({ body, components: [row(button("remind", "Remind me"))] });
});
bot.button("remind", (ctx) => ctx.answer("I will remind you"));

/** Of two who press at once, one decides: the post may be updated only while it is as it was pressed. */
async function decide(ctx, decision) {
  const { value, user, interaction } = ctx;
  const content = { body: `Deploy ${value}: ${decision} by ${user.username}`, components: [] };
  try {
    await ctx.updatePost(content, { ifRevision: interaction.post.revision });
  } catch (error) {
    if (error instanceof ServiceError && error.code === "revision_conflict")
      return await ctx.answer("Somebody else was faster");
    throw error;
  }
  return await ctx.answer(`Thank you: you have ${decision} ${value}`);
}

await bot.start();
