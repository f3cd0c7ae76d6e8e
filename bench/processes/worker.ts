import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { endWithBench } from './children.ts';

/** Calls that a worker serves, by name. All values travel as JSON. */
export type Handlers = Readonly<Record<string, (input: never) => Promise<unknown>>>;

/** A process of this bench that serves calls. It ends with the bench. */
export interface Worker<H extends Handlers> {
  readonly pid: number;
  /** Rejects with the worker's error, and when the worker has ended. */
  call<N extends keyof H & string>(name: N, ...input: Parameters<H[N]>): Promise<Awaited<ReturnType<H[N]>>>;
  stop(): Promise<void>;
}

interface Question {
  readonly id: number;
  readonly name: string;
  readonly input: unknown;
}

type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: string };

/** Starts a file of the bench, named from its root (`targets/upstream.ts`), in a process of its own. */
export async function startWorker<H extends Handlers>(
  file: string,
  args: readonly string[] = [],
  stdout: 'inherit' | 'ignore' = 'inherit',
): Promise<Worker<H>> {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  const child = endWithBench(fork(path, args, { stdio: ['ignore', stdout, 'inherit', 'ipc'] }));
  const pending = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let asked = 0;

  child.on('message', (reply: Reply) => {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if ('error' in reply) waiting?.reject(new Error(`${file}: ${reply.error}`));
    else waiting?.resolve(reply.value as never);
  });
  child.once('exit', (code, signal) => {
    for (const { reject } of pending.values()) reject(new Error(`${file} ended early (${signal ?? code})`));
    pending.clear();
  });
  const ask = (name: string, input: unknown): Promise<never> =>
    new Promise((resolve, reject) => {
      asked += 1;
      pending.set(asked, { resolve, reject });
      const question: Question = { id: asked, name, input };
      child.send(question, (error) => error && reject(error));
    });

  return {
    pid: child.pid ?? 0,
    call: (name, ...[input]) => ask(name, input),
    stop: () => stopWorker(child),
  };
}

function stopWorker(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/** Called in the worker: serves calls for as long as the calling process runs. */
export function serveCalls(handlers: Handlers): void {
  process.on('disconnect', () => process.exit());
  process.on('message', ({ id, name, input }: Question) => {
    const reply = (message: Reply): void => void process.send?.(message);
    Promise.resolve(input as never)
      .then(handlers[name])
      .then(
        (value) => reply({ id, value }),
        (error: unknown) => reply({ id, error: error instanceof Error ? error.message : String(error) }),
      );
  });
}
