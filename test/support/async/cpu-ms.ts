import process from 'node:process';

/**
 * CPU time of this thread so far, in milliseconds. It does not advance while other programs have the CPU, so that the
 * delay of other calls can be bounded on a busy machine, too. Compilation and collection by V8 on other threads delay
 * no call and do not count.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
