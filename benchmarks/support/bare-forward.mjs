// The limit for interactions: forwards each request at once to the receiver, and answers with its answer. Records nothing; with
// "recorded", the request and the answer are each on the disk before it goes on, which is the least that recording takes.
// Arguments: port, receiver, "recorded".
import { rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";

const [port, receiver, how] = process.argv.slice(2);
const path = join(tmpdir(), `botyard-bench-${process.pid}`);
const file = how === "recorded" ? await open(path, "a") : undefined;
const pool = new Pool(receiver, { connections: 64 });

createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => void forward(text, response));
}).listen(Number(port), "127.0.0.1");
async function forward(text, response) {
  await record(text);
  const { body } = await pool.request({ path: "/", method: "POST", body: text });
  const answer = await body.text();
  await record(answer);
  response.end(answer);
}

async function record(text) {
  if (!file) return;
  await file.write(text);
  await file.datasync();
}

process.on("SIGTERM", () => {
  rmSync(path, { force: true });
  process.exit(0);
});
