import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { text } from 'node:stream/consumers';

/** A command that runs beside the tests. */
export interface RunningBeside {
  /** What it printed, when it has failed; undefined when it has succeeded. */
  readonly failure: Promise<string | undefined>;
  stop(): void;
}

/** Runs a command of the shell on the CPU time that tests leave, as those that wait and the last ones of a group do. */
export function runBeside(command: string): RunningBeside {
  const child = spawn(`(${command}) 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  // Whatever the shell starts from now on inherits it.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const failure = Promise.all([ended, text(child.stdout)]).then(
    ([code, printed]) => (code === 0 ? undefined : printed),
    String,
  );
  return { failure, stop: () => void child.kill() };
}
