import process from 'node:process';

/**
 * CPU time of this thread so far, in milliseconds. It stands still while other programs have the CPU, so that how long
 * others are kept waiting can be bounded on a busy machine, too; what V8 compiles and collects beside it keeps nobody.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
