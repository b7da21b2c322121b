import { Bot } from "@botyard/sdk";
import { conversation } from "@botyard/sdk/conversation";

/**
 * Takes orders in a conversation, and keeps them in a database.
 *
 * @param {import("node:sqlite").DatabaseSync} database where the orders are
 * @param {import("@botyard/sdk").ValueStore} store where the conversations are
 */
export function createBot(token, options, database, store) {
  database.exec(
    "CREATE TABLE IF NOT EXISTS orders (number INTEGER PRIMARY KEY, key TEXT UNIQUE, who TEXT, dish TEXT, size TEXT)",
  );
  const bot = new Bot(token, options);

  const order = conversation(
    async (c) => {
      const dish = c.args.join(" ") || (await c.ask("What would you like?"));
      let size = await c.ask("Which size: small or big?");
      while (!["small", "big"].includes(size.toLowerCase())) size = await c.ask("Small or big, please.");
      const number = await c.do((key) => insert(key, c.author.username, dish, size.toLowerCase()));
      await c.say(`Order ${number}: ${dish}, ${size.toLowerCase()}.`);
    },
    { name: "order", store, cancel: "/cancel", onCancel: (ctx) => ctx.reply("Nothing is ordered.") },
  );
  bot.use(order);
  bot.command({ name: "order", description: "Order a dish" }, order.begin);

  bot.command({ name: "orders", description: "Show the orders" }, (ctx) => {
    const orders = database.prepare("SELECT number, who, dish, size FROM orders ORDER BY number").all();
    const lines = orders.map(({ number, who, dish, size }) => `${number}. ${dish}, ${size}, for ${who}`);
    return ctx.reply(lines.join("\n") || "There are no orders.");
  });
  return bot;

  /** Inserts an order once for each key, also when the bot was killed before it could keep the number. */
  function insert(key, who, dish, size) {
    database
      .prepare("INSERT INTO orders (key, who, dish, size) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO NOTHING")
      .run(key, who, dish, size);
    return database.prepare("SELECT number FROM orders WHERE key = ?").get(key).number;
  }
}
