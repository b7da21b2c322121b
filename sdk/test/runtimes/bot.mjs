// A bot by polling and by webhook on whatever runtime this is: bot.mjs URL TOKEN SECRET
import { Bot, verifyWebhook, webhookHandler } from "@botyard/sdk";
import { fileStore } from "@botyard/sdk/node";
import { signWebhook } from "@botyard/sdk/testing";

const [url, token, secret, positionFile] = process.argv.slice(2);
const bot = new Bot(token, { url });
bot.onPost(async (ctx) => {
  await ctx.reply(`echo: ${ctx.payload.body}`);
  await received(ctx.update);
  void bot.stop();
});
await bot.start({ store: fileStore(positionFile) });

async function received(update) {
  const body = JSON.stringify({ ...update, event_type: "other" });
  const headers = await signWebhook({ secret, body });
  await verifyWebhook({ secret, headers, rawBody: body });
  const handle = webhookHandler(new Bot(token, { url }), { secret, onRefused() {} });
  const good = await handle(new Request("http://edge/", { method: "POST", body, headers }));
  const bad = await handle(new Request("http://edge/", { method: "POST", body: `${body} `, headers }));
  const gone = await new Bot(token, { url: "http://127.0.0.1:9", retries: 0 }).me().catch((error) => error);
  console.log(good.status, bad.status, gone.name);
}
