// `npm run build`: installs and compiles, as far as needed.
import { progress } from "./repository.mjs";
import { setUp } from "./set-up.mjs";

await setUp();
progress("The build is up to date: sdk/dist, console/dist, server/{dist,pages,libraries}");
