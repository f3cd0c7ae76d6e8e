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

/**
 * An estimate of the CPU time of the work on the machine that bounds on CPU time were set on, in milliseconds. It was
 * never measured there: it was chosen on a machine where code that had passed before took 1.3 to 1.5 times its bounds.
 */
const WORK_MS = 26;
let slowness: number | undefined;

/**
 * How many times as slow this machine is as the one that bounds on CPU time were set on, at least 1: a bound times this
 * says the same of the code on a slower machine. Measured once, by work that has none of our code in it.
 */
export function machineSlowness(): number {
  return (slowness ??= Math.max(1, Math.min(...Array.from({ length: 5 }, timeWork)) / WORK_MS));
}

function timeWork(): number {
  const rows = Array.from({ length: 100_000 }, (_, at) => ({ id: `item-${at}`, at, tags: ['a', 'b'] }));
  const text = JSON.stringify(rows);
  const startedAt = cpuMs();
  const parsed = JSON.parse(text) as typeof rows;
  const letters = parsed.reduce((sum, { id }) => sum + id.replaceAll(/\d/g, 'x').length, 0);
  if (letters === 0) throw new Error('The work was not done');
  return cpuMs() - startedAt;
}
