// The bots of the room that is shown, and how a conversation with one of them begins.
import { $, call, element, here, showProblem } from "./calls.mjs";

const list = $("#bots");

/** @param enter shows a room */
export function offerDirect(enter) {
  const open = async (room, bot) => {
    enter(await call("POST", `/rooms/${room.id}/direct`, { bot_id: bot.id }));
    $("#write input").focus();
  };
  const load = async (room) => {
    const { bots } = await call("GET", `/rooms/${room.id}/bots`);
    if (here.room !== room) return;
    const buttons = bots.map((bot) => {
      const onclick = () => open(room, bot).catch(({ message }) => showProblem(message));
      return element("button", { type: "button", onclick }, `Write to @${bot.username}`);
    });
    list.querySelector("p").replaceChildren(...(bots.length > 0 ? buttons : ["There are none yet"]));
  };
  list.addEventListener("toggle", () => {
    if (list.open) load(here.room).catch(({ message }) => showProblem(message));
  });
}

/** Of another room. It is asked for anew each time it is opened. */
export function forgetBots({ isDirect }) {
  list.open = false;
  list.hidden = Boolean(isDirect);
  list.querySelector("p").replaceChildren();
}
