// `npm start`: sets up what is missing, then is the service. In this same process, so that signals reach it and its
// exit code is this command's.
import { setUp } from "./set-up.mjs";

await setUp();
if (process.argv.length > 2) {
  // Options are those of `botyard serve`.
  process.argv.splice(2, 0, "serve");
  await import("../server/bin/botyard.js");
} else {
  const { runService } = await import("../server/dist/bundle/service.js");
  await runService();
}
