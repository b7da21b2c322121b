// `npm start`: sets up what is missing, then is the service. In this same process, so that signals reach it and its
// exit code is this command's.
import { setUp } from "./set-up.mjs";

await setUp();
const { runService } = await import("../server/dist/bundle/service.js");
await runService();
