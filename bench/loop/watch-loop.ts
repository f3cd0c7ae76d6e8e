import process from 'node:process';

/** The longest time that one turn of the event loop has taken. */
export interface LoopHold {
  /** CPU time of this thread: what other programs on the machine take is not in it. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Watches the event loop of this thread until the returned function is called, which returns the longest turn. */
export function watchLoop(): () => LoopHold {
  let isOver = false;
  let cpuMs = 0;
  let wallMs = 0;
  let cpuBefore = threadCpuMs();
  let wallBefore = performance.now();
  const turn = (): void => {
    const cpuNow = threadCpuMs();
    const wallNow = performance.now();
    cpuMs = Math.max(cpuMs, cpuNow - cpuBefore);
    wallMs = Math.max(wallMs, wallNow - wallBefore);
    cpuBefore = cpuNow;
    wallBefore = wallNow;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return { cpuMs, wallMs };
  };
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
