// The bots of the room that is shown: how a conversation with one of them begins, and how bots of others are added.
import { $, call, element, here, showProblem } from "./calls.mjs";

const list = $("#bots");

/** @param enter shows a room */
export function offerDirect(enter) {
  const open = async (room, bot) => {
    enter(await call("POST", `/rooms/${room.id}/direct`, { bot_id: bot.id }));
    $("#write input").focus();
  };
  const change = async (room, path, bot) => {
    await call("POST", `/rooms/${room.id}/${path}`, { bot_id: bot.id });
    await load(room);
  };
  const button = (text, act) =>
    element(
      "button",
      { type: "button", onclick: () => act().catch(({ message }) => showProblem(message)) },
      text,
    );
  const load = async (room) => {
    const { bots, offered } = await call("GET", `/rooms/${room.id}/bots`);
    if (here.room !== room) return;
    const buttons = [
      ...bots.map((bot) => button(`Write to @${bot.username}`, () => open(room, bot))),
      ...bots
        .filter(({ canShare }) => canShare)
        .map((bot) => button(`Let others add @${bot.username}`, () => change(room, "share", bot))),
      ...offered.map((bot) =>
        Object.assign(
          button(`Add @${bot.username}`, () => change(room, "guests", bot)),
          { title: bot.description },
        ),
      ),
    ];
    list.querySelector("p").replaceChildren(...(buttons.length > 0 ? buttons : ["There are none yet"]));
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
