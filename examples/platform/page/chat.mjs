// The page of the chat application: who somebody is, the rooms, and what comes from the stream of the room that is shown.
import { forgetBots, offerDirect } from "./bots.mjs";
import { $, call, element, here, onSubmit, showProblem } from "./calls.mjs";
import { refreshCommands } from "./command-menu.mjs";
import { answeredMessage, forgetMessages, showMessage, stopReplying } from "./messages.mjs";
import { forgetPresses, takePress } from "./presses.mjs";

let stream;

async function showRooms() {
  const { name, rooms } = await call("GET", "/rooms");
  $("#sign-in").hidden = true;
  $("main").hidden = false;
  document.title = `Chat of ${name}`;
  $("#rooms").replaceChildren(
    ...rooms.map((one) => {
      const button = element("button", { onclick: () => enter(one) }, one.title);
      if (one.id === here.room?.id) button.setAttribute("aria-current", "true");
      return button;
    }),
  );
}

function enter(room) {
  here.room = room;
  $("#room").hidden = false;
  $("#room h2").textContent = room.title;
  $("#room output").textContent = "";
  $("#add-bot").hidden = !room.isMine;
  showProblem("");
  forgetBots(room);
  stream?.close();
  forgetMessages();
  forgetPresses();
  // The browser connects again by itself, and says which change it has got last.
  stream = new EventSource(`/rooms/${room.id}/stream`);
  stream.addEventListener("message", ({ data }) => showMessage(JSON.parse(data)));
  stream.addEventListener("press", ({ data }) => takePress(JSON.parse(data)));
  stream.addEventListener("commands", refreshCommands);
  void showRooms();
}

onSubmit("#sign-in", async (fields) => {
  await call("POST", "/session", fields);
  await showRooms();
});
onSubmit("#open-room", async (fields) => {
  const { id } = await call("POST", "/rooms", fields);
  enter({ id, title: fields.title, isMine: 1 });
});
onSubmit("#write", async ({ text }) => {
  await call("POST", `/rooms/${here.room.id}/messages`, { text, reply_to: answeredMessage() });
  stopReplying();
});
onSubmit("#add-bot", async (fields) => {
  const { token } = await call("POST", `/rooms/${here.room.id}/bots`, fields);
  $("#room output").textContent = `Its token, shown this once: ${token}`;
});
offerDirect(enter);
showRooms().catch((error) => {
  if (error.status === 401) $("#sign-in").hidden = false;
  else showProblem(error.message);
});
