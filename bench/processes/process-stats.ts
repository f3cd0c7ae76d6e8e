import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** Resources used by a process and all its descendants. */
export interface ProcessStats {
  /** CPU time so far, user and system; on Linux with that of descendants that have ended. */
  readonly cpuMs: number;
  /** Resident memory now, without the kernel's socket buffers. */
  readonly rssBytes: number;
}

/** The unit of time in /proc/<pid>/stat, which is the same on every Linux. */
const TICK_MS = 10;

/** Adds up a process and its descendants: from /proc where there is one, else from `ps`. Throws when it is gone. */
export function readProcessStats(pid: number): ProcessStats {
  const all = process.platform === 'linux' ? listTree(pid).map(readFromProc) : readFromPs(pid);
  return {
    cpuMs: all.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    rssBytes: all.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
  };
}

/** A process and all its descendants. */
export function listTree(pid: number): number[] {
  const threads = readdirSync(`/proc/${pid}/task`);
  const children = threads.flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' '));
  return [pid, ...children.filter((text) => text !== '').flatMap((child) => listTree(Number(child)))];
}

function readFromProc(pid: number): ProcessStats {
  // The second field is the program's name in brackets, which may contain spaces and brackets.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, text) => sum + Number(text), 0);
  const rssKb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuMs: ticks * TICK_MS, rssBytes: Number(rssKb ?? 0) * 1024 };
}

/** Reads the same from `ps`, whose clock may be as coarse as a second. */
export function readFromPs(pid: number): ProcessStats[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,time=,rss='], { encoding: 'utf8' });
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const tree = new Set([pid]);
  // This repeats until nothing is added, because a child may be listed before its parent.
  for (let before = 0; before < tree.size;) {
    before = tree.size;
    for (const [child, parent] of rows) if (tree.has(Number(parent))) tree.add(Number(child));
  }
  const own = rows.filter(([id]) => tree.has(Number(id)));
  if (own.length === 0) throw new Error(`There is no process ${pid}`);
  return own.map(([, , time = '0', rssKb]) => ({ cpuMs: parsePsTime(time), rssBytes: Number(rssKb) * 1024 }));
}

/** `[dd-]hh:mm:ss` on Linux, `mm:ss.cc` on macOS. */
function parsePsTime(text: string): number {
  const [clock = '', days = '0'] = text.split('-').toReversed();
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
  return (Number(days) * 86_400 + seconds) * 1000;
}
