import { type Gateway, type Store } from '@model-gateway/core';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { listen, loadConfig } from '@model-gateway/node';
import { onTestFinished } from 'vitest';

import { openStore } from '../../../packages/server/src/open/open-store.ts';
import { compose, type CompositionOptions } from '../../../packages/server/src/serve/compose.ts';
import { withCheckedResponses } from './check-responses.ts';
import { writeTestConfig } from './write-test-config.ts';

export interface Composed {
  readonly gateway: Gateway;
  readonly store: Store;
  /** Base URL for a client. */
  readonly apiUrl: string;
}

const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Serves what the server's own composition makes of a config file, until the test is over. A test that runs beside others
 * hands in the `onTestFinished` of its context.
 */
export async function startComposed(
  config: object,
  more: Pick<CompositionOptions, 'localServers' | 'recordingsDir' | 'fixedMode' | 'record'> = {},
  onFinished: typeof onTestFinished = onTestFinished,
): Promise<Composed> {
  const loaded = loadConfig({ file: writeTestConfig(config, onFinished), env: {}, presets: PRESETS });
  const store = await openStore(loaded, logger);
  const options = { config: loaded, store, logger, extraKeys: [], demoFixturesDir: null, ...more };
  const { gateway, closeAfterwards } = await compose(options);
  const listener = await listen(withCheckedResponses(gateway), { port: 0, logger });
  await gateway.start();
  onFinished(async () => {
    await gateway.close();
    await listener.close();
    for (const part of closeAfterwards) await part.close();
    await store.close();
  });
  return { gateway, store, apiUrl: `${listener.url}/api/v1` };
}
