// The messages of a room, what each answers, and the one that is being answered.
import { $, element } from "./calls.mjs";
import { componentRows, link } from "./components.mjs";
import { markWaiting } from "./presses.mjs";

const MAX_QUOTE_CHARS = 100;

const list = $("#messages");
const input = $("#write input");
/** Those that are shown, by id. */
const messages = new Map();
let replying;

export function forgetMessages() {
  messages.clear();
  list.replaceChildren();
  stopReplying();
}

/** A message that is new, was edited or deleted. */
export function showMessage(message) {
  const { id, isDeleted } = message;
  const shown = document.getElementById(`message-${id}`);
  if (isDeleted) {
    messages.delete(id);
    shown?.remove();
  } else {
    messages.set(id, message);
    if (shown) renderAgain(shown, message);
    else addInOrder(render(element("li", { id: `message-${id}`, tabIndex: -1 }), message));
  }
  // What answers it quotes it.
  for (const other of messages.values())
    if (other.replyTo === id) renderAgain(document.getElementById(`message-${other.id}`), other);
  markWaiting();
}

/** An edit comes later than the messages after it, when the page is opened anew. */
function addInOrder(item) {
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const idOf = ({ id }) => Number(id.slice("message-".length));
  let before = list.lastElementChild;
  while (before && idOf(before) > idOf(item)) before = before.previousElementSibling;
  if (before) before.after(item);
  else list.prepend(item);
  if (isAtEnd) list.scrollTop = list.scrollHeight;
}

/** Who has focused a button of it keeps that, or else the message. */
function renderAgain(item, message) {
  const focused = item.contains(document.activeElement) ? document.activeElement : undefined;
  const { component } = focused?.closest("[data-component]")?.dataset ?? {};
  render(item, message);
  if (!focused) return;
  const components = [...item.querySelectorAll("[data-component]")];
  const same = components.find(({ dataset }) => dataset.component === component);
  (same?.querySelector("select, input") ?? same ?? item).focus();
}

function render(item, message) {
  const { author, isBot, isPrivate, text, replyTo } = message;
  item.className = `${isBot ? "bot" : ""} ${isPrivate ? "private" : ""}`.trim();
  item.replaceChildren(
    element("b", {}, author),
    ...(replyTo ? [quote(replyTo)] : []),
    element("span", { className: "text" }, text),
    ...mediaOf(message),
    ...(isPrivate ? [element("small", {}, "Only you see this")] : [replyButton(message)]),
    ...componentRows(message),
  );
  return item;
}

function quote(id) {
  const answered = messages.get(id);
  if (!answered) return element("span", { className: "quote" }, "Reply to a deleted message");
  return element(
    "a",
    { className: "quote", href: `#message-${id}` },
    `${answered.author}: ${excerptOf(answered)}`,
  );
}

/** Of media of any type, the name and where it is. */
function mediaOf({ media }) {
  const shown = media.map(({ url, name }) => (url ? link({ url, label: name ?? url }) : (name ?? "")));
  return shown.length === 0 ? [] : [element("div", { className: "row media" }, ...shown)];
}

function excerptOf({ text, media }) {
  const said = text || media.map(({ name, url }) => name ?? url).join(", ");
  return [...said.replace(/\s+/g, " ")].slice(0, MAX_QUOTE_CHARS).join("");
}

// ---- The one that is being answered

function replyButton(message) {
  return element("button", {
    type: "button",
    className: "reply",
    ariaLabel: `Reply to ${message.author}`,
    onclick: () => {
      replying = message.id;
      $("#replying").hidden = false;
      $("#replying span").textContent = `Replying to ${message.author}: ${excerptOf(message)}`;
      input.focus();
    },
  });
}

/** Its id; undefined when what is written answers none. */
export const answeredMessage = () => replying;

export function stopReplying() {
  replying = undefined;
  $("#replying").hidden = true;
}

$("#replying button").addEventListener("click", () => {
  stopReplying();
  input.focus();
});
