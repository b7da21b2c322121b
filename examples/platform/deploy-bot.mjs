// A bot for a room of the chat application: /deploy asks the room, and who presses Approve or Reject first decides.
//
//   BOT_TOKEN=bot_… node examples/platform/deploy-bot.mjs
//
// BOTYARD_URL is the URL of the service. It deploys nothing.
import { Bot } from "@botyard/sdk";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
const DECISIONS = { approve: "approved", reject: "rejected" };

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });

bot.on("interaction.created", async (ctx) => {
  const { interaction_id, user, command, component } = ctx.payload;
  // A handler that runs again responds with the same keys, and nobody is answered twice.
  const respond = (response) =>
    ctx.api.respondToInteraction(interaction_id, response, { idempotencyKey: response.type });

  if (command) {
    const { version, to } = command.options;
    return await respond({ type: "post", ...question(`${version} to ${to}`, user.username) });
  }
  const { id, values } = component;
  if (id === "details")
    return await respond({
      type: "private",
      body: `${values[0]}: 3 changes since the last version`,
      components: [[{ type: "button", id: "remind", label: "Remind me" }]],
    });
  if (id === "remind") return await respond({ type: "private", body: "I will remind you" });
  const body = `Deploy ${values[0]}: ${DECISIONS[id]} by ${user.username}`;
  if (!(await isOpen(ctx, body))) return await respond({ type: "private", body: "Somebody else was faster" });
  await respond({ type: "update", body, components: [] });
  await respond({ type: "private", body: `Thank you: you have ${DECISIONS[id]} ${values[0]}` });
});

function question(what, asker) {
  return {
    body: `Deploy ${what}? ${asker} asks`,
    components: [
      [
        { type: "button", id: "approve", label: "Approve", style: "primary", value: what },
        {
          type: "button",
          id: "reject",
          label: "Reject",
          style: "danger",
          value: what,
          confirm: `Reject ${what}?`,
        },
        { type: "button", id: "details", label: "Details", value: what },
        { type: "button", id: "docs", label: "Changes", url: "https://example.com/changes" },
      ],
    ],
  };
}

/** Whether nobody has decided yet, or this very press has, before the handler was interrupted. */
async function isOpen(ctx, body) {
  const { channel_id, post } = ctx.payload;
  const now = await ctx.api.getBotPost(channel_id, post.id);
  return now.components !== undefined || now.body === body;
}

await bot.api.putMyCommands([
  {
    name: "deploy",
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
  },
]);
await bot.start();
