// Processor time and memory of processes, from Linux's /proc.
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

/** Seconds of processor time of a process and all its descendants, with those that have ended. */
export function cpuSecondsOfTree(pid) {
  return processTree(pid).reduce((sum, { own, ended }) => sum + own + ended, 0);
}

/** Memory of a process and all its descendants in bytes; shared memory is counted once. */
export function memoryOfTree(pid) {
  return processTree(pid).reduce((sum, member) => sum + proportionalBytes(member.pid), 0);
}

function processTree(pid) {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap(timesIfRunning);
  const tree = all.filter((member) => member.pid === pid);
  // The list grows during the loop, so it reaches children of children.
  for (const { pid: parent } of tree) tree.push(...all.filter((member) => member.parent === parent));
  return tree;
}

function timesIfRunning(pid) {
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
