// A bot for a room of the chat application: it answers /weather Oslo, and offers the command to those who type "/".
//
//   BOT_TOKEN=bot_… node examples/platform/weather-bot.mjs
//
// BOTYARD_URL is the URL of the service. The weather is made up, which needs no network.
import { Bot, row, select } from "@botyard/sdk";

const { BOT_TOKEN, BOTYARD_URL = "http://127.0.0.1:8080" } = process.env;
const SKIES = ["sunny", "cloudy", "rain", "fog", "snow"];
const DAYS = ["Today", "Tomorrow", "In two days"];
const MAX_PLACE_CHARS = 60;

const WEATHER = {
  description: "Tell the weather of a place",
  options: [
    { name: "city", type: "string", description: "Where", required: true },
    {
      name: "unit",
      type: "string",
      description: "Unit of the temperature",
      choices: [
        { label: "Celsius", value: "C" },
        { label: "Fahrenheit", value: "F" },
      ],
    },
  ],
};

const bot = new Bot(BOT_TOKEN, { url: BOTYARD_URL });
bot.command("weather", WEATHER, (ctx) => {
  const { city, unit = "C" } = ctx.options;
  // It is in the values of the select, which are short.
  const place = [...city.replace(/\s+/g, " ")].slice(0, MAX_PLACE_CHARS).join("");
  return ctx.reply(forecast(place, unit, 0));
});
bot.select("day", (ctx) => {
  const [, day, unit, city] = /^(\d) (\w) (.*)$/.exec(ctx.values[0]);
  return ctx.updatePost(forecast(city, unit, Number(day)));
});

/** The weather of a day, with a select of the days. */
function forecast(city, unit, day) {
  const celsius = (city.length * 7 + day * 3) % 30;
  const degrees = unit === "F" ? Math.round(celsius * 1.8 + 32) : celsius;
  const sky = SKIES[(city.length + day) % SKIES.length];
  const options = DAYS.map((label, index) => ({ label, value: `${index} ${unit} ${city}` }));
  return {
    body: `${city}, ${DAYS[day].toLowerCase()}: ${sky}, ${degrees} °${unit}`,
    components: [row(select("day", options, { placeholder: "Another day" }))],
  };
}

await bot.start();
