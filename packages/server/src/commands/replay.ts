import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import type { Logger } from '@model-gateway/core';

import { type Parsed, readFlags, readPort, toHelp, UsageError } from '../process/flags.ts';
import { describeListenError } from '../process/port-holder.ts';
import { StartError } from '../process/start-error.ts';

export interface ReplayOptions {
  /** Undefined: `./fixtures` where that holds cases, else no recordings at all. */
  readonly dir: string | undefined;
  readonly port: number;
  /** Undefined: a new one at every start. */
  readonly apiKey: string | undefined;
  readonly speed: 'instant' | 'human' | number;
  readonly allowsLoopbackWebhooks: boolean;
}

const DEFAULT_DIR = 'fixtures';

const HELP = `Usage: model-gateway replay [flags]

  --dir DIR          the recordings (./fixtures, if it holds any; tests can also write answers over HTTP)
  --port N           port to listen on, 127.0.0.1 only (0, a free one)
  --key KEY          the accepted key (default: a new one at every start)
  --speed SPEED      instant, human (as recorded) or a number: so many times as fast as human (instant)
  --allow-loopback-webhooks
                     deliver webhooks to receivers on this machine

When it listens, it prints one line of JSON on stdout with the address and the key; everything else, also each request
that no recording answers, goes to stderr. It never opens a connection of its own but for those webhooks.
`;

const FLAGS = {
  dir: { type: 'string' },
  port: { type: 'string' },
  key: { type: 'string' },
  speed: { type: 'string' },
  'allow-loopback-webhooks': { type: 'boolean' },
} as const;

/** Reads the arguments after `replay`. Throws `UsageError`. */
export function parseReplay(args: readonly string[]): Parsed<'replay', ReplayOptions> {
  const values = readFlags(args, FLAGS, HELP);
  if (values.help === true) return toHelp(HELP);
  const { dir, port, key: apiKey } = values;
  const speed = readSpeed(values.speed ?? 'instant');
  return {
    type: 'replay',
    options: {
      dir,
      port: port === undefined ? 0 : readPort(port),
      apiKey,
      speed,
      allowsLoopbackWebhooks: values['allow-loopback-webhooks'] ?? false,
    },
  };
}

function readSpeed(text: string): ReplayOptions['speed'] {
  if (text === 'instant' || text === 'human') return text;
  if (Number(text) > 0) return Number(text);
  throw new UsageError(`--speed is instant, human or a number above 0, not "${text}".`);
}

/** A folder of that name may hold the test data of a framework instead. */
function holdsCases(dir: string): boolean {
  const list = (...path: string[]): string[] => {
    const folder = join(dir, ...path);
    return existsSync(folder) ? readdirSync(folder, { withFileTypes: true }).flatMap(toFolderName) : [];
  };
  return list().some((provider) =>
    list(provider).some((operation) =>
      list(provider, operation).some((name) => existsSync(join(dir, provider, operation, name, 'request.json'))),
    ),
  );
}

const toFolderName = (entry: Dirent): string[] => (entry.isDirectory() ? [entry.name] : []);

/** Responds from recordings until a signal ends the process. Resolves when it listens; reports misses on stderr. */
export async function replay({ dir, port, apiKey, speed, allowsLoopbackWebhooks }: ReplayOptions): Promise<void> {
  const { startFixtureGateway } = await import('@model-gateway/fixtures');
  const gateway = await startFixtureGateway({
    dir: dir ?? (holdsCases(DEFAULT_DIR) ? DEFAULT_DIR : undefined),
    port,
    apiKey,
    speed,
    allowLoopbackWebhooks: allowsLoopbackWebhooks,
    logger: toStderr,
  }).catch(async (cause: unknown) => {
    const message = await describeListenError(cause, { host: '127.0.0.1', port });
    throw message === undefined ? cause : new StartError(message, { cause });
  });
  let isStopping = false;
  const stop = (): void => {
    // A second signal ends the process at once.
    if (isStopping) process.exit(1);
    isStopping = true;
    gateway.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const { baseUrl: api, webhookSecret } = gateway;
  const url = new URL(api).origin;
  process.stdout.write(`${JSON.stringify({ event: 'listening', url, api, apiKey: gateway.apiKey, webhookSecret })}\n`);
}

const write: Logger['warn'] = (message, fields = {}) => {
  process.stderr.write(`${message}${Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`}\n`);
};
const toStderr: Logger = { info: () => undefined, warn: write, error: write };
