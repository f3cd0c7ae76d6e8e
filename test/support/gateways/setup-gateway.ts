import process from 'node:process';

import type { GatewayOptions, SecretBox, Transport } from '@model-gateway/core';
import { createProvider } from '@model-gateway/core/providers/create-provider';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { type GatewayConfig, loadConfig, openSecretBox } from '@model-gateway/node';

import { connectMailer, createConnector } from '../../../packages/server/src/open/connect-providers.ts';
import { createPackageProvider } from '../../../packages/server/src/open/package-providers.ts';
import { createSetupHost } from '../../../packages/server/src/setup/setup-host.ts';
import { createScriptedTransport, type ScriptedTransport } from '../upstreams/scripted-transport.ts';
import { type AdminGateway, createAdminGateway } from './admin-calls.ts';
import { writeTestConfig } from './write-test-config.ts';

/** A gateway whose providers are set up through its API, over a transport of the test's. */
export interface SetupGateway extends AdminGateway {
  readonly upstream: ScriptedTransport;
  /** Everything that was hidden from logs. */
  readonly hidden: readonly string[];
}

interface SetupGatewayOptions {
  /** The config file. Default: an empty one. */
  readonly config?: object;
  readonly secrets?: SecretBox;
  /** The store of an earlier gateway, whose setup this one loads. */
  readonly store?: AdminGateway['store'];
  readonly upstream?: ScriptedTransport;
  /** Access to addresses that operators name. Default: none. */
  readonly web?: GatewayOptions['web'];
  readonly mailer?: GatewayOptions['mailer'];
}

/** A box whose key nothing else has. */
export const createBox = (): SecretBox => openSecretBox({ dir: null });

/** Sets one up in virtual time, with what its store holds in force. */
export async function createSetupGateway(options: SetupGatewayOptions = {}): Promise<SetupGateway> {
  const { secrets = createBox(), upstream = createTellingTransport() } = options;
  const config: GatewayConfig = loadConfig({
    file: writeTestConfig(options.config ?? {}),
    env: {},
    presets: PRESETS,
  });
  const hidden: string[] = [];
  const transport: Transport = upstream;
  const connector = createConnector(
    (provider) => createProvider({ ...provider, transport, downloads: transport }),
    (entry) => createPackageProvider(entry, { folder: process.cwd(), transport, downloads: transport }),
  );
  const providers = await Promise.all(config.providers.map(connector.connect));
  const core = createAdminGateway({
    providers,
    models: config.models,
    account: config.account,
    setupHost: createSetupHost({
      current: () => config,
      connector,
      secrets,
      hide: (texts) => void hidden.push(...texts),
      redact: (text) => hidden.reduce((left, one) => (one === '' ? left : left.replaceAll(one, '[redacted]')), text),
    }),
    recordingStore: options.store,
    web: options.web,
    mailer: options.mailer,
    connectMailer,
  });
  await core.gateway.loadSetup();
  return { ...core, upstream, hidden };
}

/** Responds to each call with the address and the key that it came with, as the model's words. */
function createTellingTransport(): ScriptedTransport {
  return createScriptedTransport((exchange) => {
    const { url, headers } = exchange.request;
    const text = `${url} ${headers['authorization'] ?? 'no key'}`;
    exchange.respond(200, { 'content-type': 'application/json' });
    exchange.push(
      JSON.stringify({
        id: 'c',
        model: 'm',
        choices: [
          { index: 0, message: { role: 'assistant', content: text.replace('Bearer ', '') }, finish_reason: 'stop' },
        ],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        data: [{ id: 'listed-1' }],
      }),
    );
    exchange.end();
  });
}
