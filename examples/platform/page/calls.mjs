// The calls of the application, and a few words for elements.

/** Which room is shown. */
export const here = { room: undefined };

export const $ = (selector) => document.querySelector(selector);

/** An element with these properties. What people write becomes text, and never HTML. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** @throws with a `status` when the application answered, and without one when it did not */
export async function call(method, path, body) {
  const response = await fetch(path, { method, ...(body && { body: JSON.stringify(body) }) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { status: response.status });
  return answer;
}

export function showProblem(text) {
  $("#problem").textContent = text;
}

/**
 * Opens a dialog.
 *
 * @param read what comes of it, by the button that was pressed
 * @returns that; undefined when it was closed without a button
 */
export function askIn(dialog, read) {
  dialog.showModal();
  const listening = new AbortController();
  return new Promise((resolve) => {
    const end = (result) => {
      listening.abort();
      resolve(result);
    };
    const { signal } = listening;
    dialog
      .querySelector("form")
      .addEventListener("submit", ({ submitter }) => end(read(submitter)), { signal });
    // The event "close" comes a moment later, when it may be open again for another question.
    dialog.addEventListener("cancel", () => end(), { signal });
    dialog.addEventListener("close", () => dialog.open || end(), { signal });
  });
}

/** The form is emptied at once: what is written while something is sent is the next thing. What could not be sent is there again. */
export function onSubmit(name, submit) {
  const form = $(name);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    showProblem("");
    const fields = Object.fromEntries(new FormData(form));
    form.reset();
    try {
      await submit(fields);
    } catch (error) {
      showProblem(error.message);
      for (const [field, text] of Object.entries(fields)) form.elements[field].value ||= text;
    }
  });
}
