import process from 'node:process';

import type { Logger } from '@model-gateway/core';
import { startFixtureGateway } from '@model-gateway/fixtures';

import type { ReplayOptions } from './parse-replay.ts';

/** Responds from recordings until a signal ends the process. Resolves when it listens; reports misses on stderr. */
export async function replay({ dir, port, apiKey, speed, allowsLoopbackWebhooks }: ReplayOptions): Promise<void> {
  const gateway = await startFixtureGateway({
    dir,
    port,
    apiKey,
    speed,
    allowLoopbackWebhooks: allowsLoopbackWebhooks,
    logger: toStderr,
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
