// A webhook receiver that answers each interaction at once with a private response, as bots do. GET / says that it listens.
import { createServer } from "node:http";

const ANSWER = JSON.stringify({ response: { type: "private", body: "an answer of ordinary length" } });

createServer((request, response) => {
  request.resume();
  request.on("end", () => response.end(ANSWER));
}).listen(Number(process.argv[2]), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
