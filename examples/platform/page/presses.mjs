// What this user pressed and chose, from the press until its bot has answered.
import { $, call, here, showProblem } from "./calls.mjs";

const RETRY_MS = 500;

/** Those that wait for an answer, by key. */
const waiting = new Map();

export function forgetPresses() {
  waiting.clear();
  markWaiting();
}

export function isWaiting(message, component) {
  return [...waiting.values()].some((one) => one.message === message && one.component === component);
}

/** Hands a press to the application, until that has it: with its key it counts once, however often it is sent. */
export async function press(what) {
  const { room } = here;
  const key = crypto.randomUUID();
  const { message, component, command } = what;
  showProblem("");
  waiting.set(key, { message, component: component?.id, command: command?.name });
  markWaiting();
  for (;;) {
    try {
      await call("POST", `/rooms/${room.id}/presses`, { key, ...what });
      return;
    } catch (error) {
      if (error.status) return end(key, error.message);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** What the stream says of a press, also of one from before the page was opened. */
export function takePress({ key, message, component, command, state, problem }) {
  if (state === "answered") end(key);
  else if (state === "refused") end(key, problem);
  else waiting.set(key, { message, component, command, isWorking: state === "working" });
  markWaiting();
}

function end(key, problem) {
  // An old refusal is no news.
  if (waiting.delete(key) && problem) showProblem(problem);
  markWaiting();
}

/** Shows it at buttons, selects and below the messages. They stay focused, and are not pressed twice. */
export function markWaiting() {
  for (const shown of document.querySelectorAll("#messages [data-component]")) {
    const message = Number(shown.closest("li").id.slice("message-".length));
    shown.ariaBusy = String(isWaiting(message, shown.dataset.component));
  }
  const commands = [...waiting.values()].filter(({ command }) => command);
  $("#waiting").textContent = commands
    .map(
      ({ command, isWorking }) =>
        `/${command}: ${isWorking ? "the bot is working" : "waiting for the bot"} …`,
    )
    .join("\n");
}
