/**
 * Options of Node for code that runs a few times in a process, as that of tests does. To compile it for speed, and to collect garbage on
 * more threads than there are cores, took more processor time than it spared: 16% of that of HTTP tests, 8% of the longest tests of the
 * store, and 15% of the start of a service, where there is also garbage to collect four times unless there is room for it. Node 22
 * compiles later by itself, and has no such option.
 */
export const QUICK_TO_BEGIN = ["--single-threaded-gc", "--min-semi-space-size=16"];
if (process.versions.node.startsWith("20.")) QUICK_TO_BEGIN.push("--interrupt-budget=300000");
