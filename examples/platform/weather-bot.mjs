// A bot for a room of the chat application: it answers /weather Oslo.
//
//   BOT_TOKEN=bot_… node examples/platform/weather-bot.mjs
//
// BOTYARD_URL is the URL of the service. The weather is made up, which needs no network.
import { Bot } from "@botyard/sdk";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
const SKIES = ["sunny", "cloudy", "rain", "fog", "snow"];

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
const place = { name: "place", type: "string", description: "Where", required: true };
bot.command("weather", { description: "Tell the weather of a place", options: [place] }, (ctx) => {
  const { place } = ctx.options;
  return ctx.reply(`${place}: ${SKIES[place.length % SKIES.length]}`);
});
await bot.start();
