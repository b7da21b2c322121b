// What Linux tells of processes in /proc.
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** Resident memory of a process in bytes. */
export function residentBytes(pid) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Seconds of processor time a process has used. */
export function cpuSeconds(pid) {
  const { own } = timesOf(pid);
  return own;
}

/** Seconds of processor time a process has used with all that descend from it, those that have ended included. */
export function cpuSecondsOfFamily(pid) {
  return familyOf(pid).reduce((sum, { own, ended }) => sum + own + ended, 0);
}

/** Memory of a process and all that descend from it in bytes; what they share is counted once. */
export function memoryOfFamily(pid) {
  return familyOf(pid).reduce((sum, member) => sum + proportionalBytes(member.pid), 0);
}

function familyOf(pid) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(timesIfThere);
  const family = all.filter((member) => member.pid === pid);
  // The list grows while it is walked: children of children follow.
  for (const { pid: parent } of family) family.push(...all.filter((member) => member.parent === parent));
  return family;
}

function timesIfThere(pid) {
  try {
    return [timesOf(Number(pid))];
  } catch {
    return [];
  }
}

function timesOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(") ") + 2).split(" ");
  const seconds = (first) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND;
  return { pid, parent: Number(fields[1]), own: seconds(11), ended: seconds(13) };
}

function proportionalBytes(pid) {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1]) * 1024;
}
