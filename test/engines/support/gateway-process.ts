import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

/** What a process of `run-gateway.ts` said. */
export interface ProcessEvent {
  readonly type: string;
  /** When this process heard of it. */
  readonly at: number;
  readonly upstreamId: string;
  readonly address: string;
  readonly id: string;
  readonly body: string;
  readonly signInToken: string;
  /** Of its log. */
  readonly message: string;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: { readonly data: unknown; readonly [field: string]: unknown };
}

/** A gateway in a process of its own. */
export interface GatewayProcess {
  readonly events: readonly ProcessEvent[];
  readonly signInToken: string;
  /** With the API key, or below `/admin` and at the management API with the management key, unless headers are given. */
  ask(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answered>;
  /** Kills it without a word. */
  kill(): Promise<void>;
  /** Stops it in the middle of whatever it does, until `resume`. */
  pause(): void;
  resume(): void;
  /** Lets it close. */
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('run-gateway.ts', import.meta.url));

/** Starts processes at one database, in which time passes alike. */
export async function startGateways(url: string, count: number, speed = 1): Promise<GatewayProcess[]> {
  const since = Date.now();
  return Promise.all(Array.from({ length: count }, () => startGateway(url, speed, since)));
}

async function startGateway(url: string, speed: number, since: number): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [SCRIPT, url, String(speed), String(since)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const events: ProcessEvent[] = [];
  const waiting = new Map<number, (answered: Answered) => void>();
  let started: (token: string) => void = () => undefined;
  const starting = new Promise<string>((resolve) => (started = resolve));
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as ProcessEvent & { number: number; status: number; headers: {}; text: string };
    events.push({ ...event, at: Date.now() });
    if (event.type === 'started') started(event.signInToken);
    if (event.type !== 'response') return;
    const json = JSON.parse(event.text || '{}') as Answered['json'];
    waiting.get(event.number)?.({ status: event.status, headers: event.headers, json });
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const signInToken = await Promise.race([starting, ended.then(() => Promise.reject(new Error('It did not start')))]);
  let number = 0;
  return {
    events,
    signInToken,
    ask(method, path, body, headers) {
      number += 1;
      const key = /^\/(admin|api\/v1\/(observability|keys))/.test(path) ? 'sk-boss' : 'sk-api';
      const asked = { number, method, path, body, headers: headers ?? { authorization: `Bearer ${key}` } };
      const answered = new Promise<Answered>((resolve) => waiting.set(number, resolve));
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      return answered;
    },
    kill,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
