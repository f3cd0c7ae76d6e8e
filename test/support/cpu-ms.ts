import process from 'node:process';

/**
 * CPU time of this process so far, in milliseconds. It stands still while other programs have the CPU, so that how much
 * work something is can be bounded on a busy machine, too.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
