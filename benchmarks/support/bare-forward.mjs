// The limit for interactions: forwards each request at once to the receiver, and answers with its answer. Records nothing.
// Arguments: port, receiver.
import { createServer } from "node:http";
import { Pool } from "undici";

const [port, receiver] = process.argv.slice(2);
const pool = new Pool(receiver, { connections: 64 });

createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => void forward(text, response));
}).listen(Number(port), "127.0.0.1");
async function forward(text, response) {
  const { body } = await pool.request({ path: "/", method: "POST", body: text });
  response.end(await body.text());
}

process.on("SIGTERM", () => process.exit(0));
