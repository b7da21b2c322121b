// Loaded into a service by `--import`, in each of its threads: shifts the wall clock by the number of milliseconds in the
// file SHIFTED_CLOCK. The monotonic clock and all timers are not affected.
import { readFileSync } from "node:fs";

const LOOK_EVERY_MS = 20;
const RealDate = Date;
let shiftMs = 0;

function look() {
  shiftMs = Number(readFileSync(process.env.SHIFTED_CLOCK, "utf8"));
}

globalThis.Date = class Date extends RealDate {
  constructor(...parameters) {
    if (parameters.length > 0) super(...parameters);
    else super(RealDate.now() + shiftMs);
  }
  static now() {
    return RealDate.now() + shiftMs;
  }
};
look();
setInterval(look, LOOK_EVERY_MS).unref();
