// The rows of buttons and selects under a message of a bot.
import { $, askIn, element, showProblem } from "./calls.mjs";
import { isWaiting, press } from "./presses.mjs";

/** @returns an element for each row */
export function componentRows(message) {
  return message.components.map((row) =>
    element("div", { className: "row" }, ...row.map((component) => componentOf(message, component))),
  );
}

function componentOf(message, component) {
  if (component.type === "select")
    return (component.max ?? 1) > 1 ? boxes(message, component) : select(message, component);
  return component.url === undefined ? button(message, component) : link(component);
}

/** The message with the revision that is shown: a press of an older one is refused. */
async function pressOf({ id: message, revision }, { id, label, style, confirm }, values) {
  if (isWaiting(message, id)) return;
  if (confirm && !(await isConfirmed(confirm, label, style))) return;
  await press({ message, revision, component: { id, ...(values && { values }) } });
}

function button(message, component) {
  const made = element(
    "button",
    { type: "button", className: component.style ?? "default" },
    component.label,
  );
  made.dataset.component = component.id;
  made.addEventListener("click", () => pressOf(message, component));
  return made;
}

/** A link that opens in a tab of its own; of a URL that browsers should not open, the words alone. */
export function link({ label, url }) {
  if (!/^https?:/i.test(url)) return label;
  return element(
    "a",
    { className: "button", href: url, target: "_blank", rel: "noopener noreferrer" },
    label,
  );
}

/** A select of one option. It is sent by a button, since with keys one passes other options on the way. */
function select(message, { placeholder = "Choose", options, min = 1, ...component }) {
  const list = element("select", { ariaLabel: placeholder, required: min > 0 });
  list.append(
    element("option", { value: "" }, placeholder),
    ...options.map(({ label }, index) => element("option", { value: String(index) }, label)),
  );
  const values = () => (list.value === "" ? [] : [options[Number(list.value)].value]);
  return chooseForm(message, component, list, values);
}

/** A select of several options. */
function boxes(message, { placeholder = "Choose", options, min = 1, max, ...component }) {
  const inputs = options.map(() => element("input", { type: "checkbox" }));
  const labels = options.map(({ label }, index) => element("label", {}, inputs[index], ` ${label}`));
  const set = element("fieldset", {}, element("legend", {}, placeholder), ...labels);
  const values = () => options.filter((_, index) => inputs[index].checked).map(({ value }) => value);
  return chooseForm(message, component, set, () => {
    const chosen = values();
    if (chosen.length >= min && chosen.length <= max) return chosen;
    showProblem(`${placeholder}: choose ${min} to ${max}`);
    return undefined;
  });
}

function chooseForm(message, component, field, values) {
  const form = element("form", {}, field, element("button", {}, "Choose"));
  form.dataset.component = component.id;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const chosen = values();
    if (chosen) void pressOf(message, component, chosen);
  });
  return form;
}

/** Asks before a button counts. */
function isConfirmed(question, label, style = "default") {
  const dialog = $("#confirm");
  const confirming = dialog.querySelector(".confirming");
  $("#confirm-question").textContent = question;
  confirming.textContent = label;
  confirming.className = `confirming ${style}`;
  return askIn(dialog, (submitter) => submitter === confirming);
}
