// The small form that asks for the options of a command.
import { $, askIn, element } from "./calls.mjs";

const dialog = $("#options");
const YES_OR_NO = [
  { label: "Yes", value: true },
  { label: "No", value: false },
];

/**
 * @param choices of the types user and channel: the application's own
 * @returns the options by name; undefined when they were not given
 */
export function askOptions({ name, description, options }, choices) {
  $("#options-title").textContent = `/${name}`;
  dialog.querySelector("p").textContent = description;
  const fields = options.map((option) => fieldOf(option, choices));
  dialog.querySelector(".fields").replaceChildren(...fields.map(({ label }) => label));
  return askIn(dialog, (submitter) => {
    if (submitter?.value === "cancel") return undefined;
    const given = fields.map(({ name, value }) => [name, value()]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined));
  });
}

/** A field, and how to read it: undefined when it was left empty. */
function fieldOf({ name, type, description, required = false, choices: own }, choices) {
  const listed = own ?? (type === "boolean" ? YES_OR_NO : choices[type]);
  const isNumber = type === "integer" || type === "number";
  const input = listed
    ? element("select", { required }, element("option", { value: "" }, required ? "Choose" : "—"))
    : element(
        "input",
        isNumber
          ? { type: "number", step: type === "integer" ? "1" : "any", required }
          : { required, maxLength: 1_000 },
      );
  for (const [index, { label }] of (listed ?? []).entries())
    input.append(element("option", { value: String(index) }, label));
  const value = () => {
    if (input.value === "") return undefined;
    if (listed) return listed[Number(input.value)].value;
    return isNumber ? Number(input.value) : input.value;
  };
  const label = element("label", {}, `${description}${required ? "" : " (optional)"}`, input);
  return { name, label, value };
}
