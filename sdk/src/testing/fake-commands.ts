import type { BotCommand } from "../types.js";
import { type FakeAnswer, json, refused } from "./fake-answer.js";

const NAME = /^[a-z0-9_-]{1,32}$/;
const MOST_COMMANDS = 100;

/** Sets the commands that are in the body of a request. Of their options only that there is a list is checked. */
export function setCommands(body: string, set: (commands: BotCommand[]) => void): FakeAnswer {
  let given: { commands?: unknown } | null;
  try {
    given = JSON.parse(body) as { commands?: unknown } | null;
  } catch {
    return refused(400, "the body must be valid JSON", "invalid_json");
  }
  const commands = given?.commands;
  if (!Array.isArray(commands) || commands.length > MOST_COMMANDS || !commands.every(isCommand))
    return refused(400, `commands must be at most ${MOST_COMMANDS}, each with a name and a description`);
  if (new Set(commands.map(({ name }) => name)).size < commands.length)
    return refused(400, "commands has a name twice", "invalid_commands");
  set(commands);
  return json(200, { items: commands });
}

function isCommand(command: Partial<BotCommand> | null): command is BotCommand {
  const { name, description, options = [] } = command ?? {};
  return (
    typeof name === "string" &&
    NAME.test(name) &&
    typeof description === "string" &&
    description !== "" &&
    Array.isArray(options)
  );
}
