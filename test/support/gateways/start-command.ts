import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { onTestFinished } from 'vitest';

import { endProcess } from '../test-run/end-process.ts';

/** The real command, so this needs a build; `npm test` makes one first. */
const BIN = fileURLToPath(new URL('../../../packages/server/bin/model-gateway.js', import.meta.url));

export interface StartedCommand {
  readonly url: string;
  readonly pid: number | undefined;
  kill(): Promise<void>;
}

/** Starts `serve` with a config file and without environment variables. It is killed when the test has ended. */
export async function startCommand(config: string): Promise<StartedCommand> {
  const args = [BIN, 'serve', '--port', '0', '--config', config];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => endProcess(child));
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return {
    url: (JSON.parse(line) as { readonly url: string }).url,
    pid: child.pid,
    kill: () => endProcess(child),
  };
}
