// The menu of commands that opens while somebody types "/". The focus stays in the input, as in every combobox.
import { $, call, element, here, showProblem } from "./calls.mjs";
import { askOptions } from "./command-form.mjs";
import { press } from "./presses.mjs";

const input = $("#write input");
const menu = $("#commands");
/** What the bots of the room offer; undefined while the menu is closed. */
let offered;
/** What the menu shows, and which of it Enter chooses. */
let shown = [];
let active = 0;

/** What is typed after the slash; undefined when it is no beginning of a command. */
const typed = () => /^\/(\S*)$/.exec(input.value)?.[1].toLowerCase();

function followInput() {
  if (typed() === undefined) return closeMenu();
  if (!offered) void loadCommands();
  showMatching();
}

async function loadCommands() {
  // Until the answer comes, the menu shows what it has.
  const loading = { items: [], choices: {}, ...offered };
  offered = loading;
  const answer = await call("GET", `/rooms/${here.room.id}/commands`).catch(() => ({}));
  // Meanwhile the menu may have been closed.
  if (offered !== loading) return;
  Object.assign(loading, answer);
  showMatching();
}

/** The commands that begin with what is typed, of all bots of the room. */
function showMatching() {
  shown = offered.items
    .flatMap(({ bot_id, username, commands }) =>
      commands.map((command) => ({ bot_id, username, ...command })),
    )
    .filter(({ name }) => name.startsWith(typed()));
  active = 0;
  render();
}

function closeMenu() {
  offered = undefined;
  shown = [];
  render();
}

function render() {
  const isOpen = shown.length > 0;
  menu.hidden = !isOpen;
  input.ariaExpanded = String(isOpen);
  menu.replaceChildren(
    ...shown.map((command, index) => {
      const { name, username, description } = command;
      const item = element("li", {
        id: `command-${index}`,
        role: "option",
        ariaSelected: String(index === active),
      });
      item.append(element("b", {}, `/${name}`), ` ${description} `, element("span", {}, username));
      // Before the input loses the focus.
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        void choose(command);
      });
      return item;
    }),
  );
  if (isOpen) {
    input.setAttribute("aria-activedescendant", `command-${active}`);
    menu.children[active].scrollIntoView({ block: "nearest" });
  } else input.removeAttribute("aria-activedescendant");
}

async function choose({ bot_id, ...command }) {
  const { choices } = offered;
  closeMenu();
  input.value = "";
  showProblem("");
  const { name, options = [] } = command;
  const given = options.length === 0 ? {} : await askOptions(command, choices);
  if (given) await press({ bot_id, command: { name, options: given } });
}

/** The feed has told that commands were set, or a bot came or went. */
export function refreshCommands() {
  if (offered) void loadCommands();
}

const KEYS = {
  ArrowDown: () => (active = (active + 1) % shown.length),
  ArrowUp: () => (active = (active + shown.length - 1) % shown.length),
  Enter: () => void choose(shown[active]),
  Escape: closeMenu,
};

input.addEventListener("input", followInput);
input.addEventListener("blur", closeMenu);
input.addEventListener("keydown", (event) => {
  if (shown.length === 0 || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
  render();
});
