import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  type GenerationContent,
  type GenerationRecord,
  type Store,
  type Timeouts,
} from '@model-gateway/core';
import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform, type Listener, listen, type ListenOptions } from '@model-gateway/node';
import { createUndiciTransport, type UndiciTransport, type UndiciTransportOptions } from '@model-gateway/node/undici';
import { onTestFinished } from 'vitest';

import { withCheckedResponses } from './check-responses.ts';
import { TEST_KEY, TEST_MANAGEMENT_KEY, UPSTREAM_KEY } from './test-gateway.ts';

export interface FaultGatewayOptions {
  readonly timeouts?: Partial<Timeouts>;
  readonly transport?: UndiciTransportOptions;
  readonly listen?: Partial<ListenOptions>;
  readonly gateway?: Partial<GatewayOptions>;
}

export interface RecordedCall {
  readonly record: GenerationRecord;
  readonly content: GenerationContent | null;
}

/** A listening gateway over upstreams that misbehave. */
export interface FaultGateway {
  readonly gateway: Gateway;
  readonly listener: Listener;
  readonly port: number;
  /** `http://127.0.0.1:41234/api/v1` */
  readonly apiUrl: string;
  readonly transport: UndiciTransport;
  /** Everything logged. */
  readonly logged: readonly { readonly message: string; readonly fields: unknown }[];
  readonly recorded: readonly RecordedCall[];
  /** Resolves with the record of this number, counted from 0, as soon as it is there. */
  record(number?: number): Promise<RecordedCall>;
  /** Posts a chat request for `test/model`. */
  ask(body?: object, init?: RequestInit): Promise<Response>;
  /** Posts a streamed one and reads it to its end. */
  stream(body?: object): Promise<string>;
}

/**
 * Starts a gateway whose model `test/model` has an endpoint at each of these upstreams, tried in this order. Everything
 * ends with the test. Prices are those of `USAGE` in raw-upstream.
 */
export async function startFaultGateway(
  upstreams: readonly { readonly baseUrl: string }[],
  options: FaultGatewayOptions = {},
): Promise<FaultGateway> {
  const transport = createUndiciTransport(options.transport);
  const { store, recorded, record } = watchRecords(createMemoryStore());
  const logged: { message: string; fields: unknown }[] = [];
  const log = (message: string, fields?: unknown): void => void logged.push({ message, fields });
  const logger = { info: log, warn: log, error: log };
  const gateway = createGateway({
    providers: upstreams.map(({ baseUrl }, index) =>
      createOpenAiProvider({ slug: `up${index}`, name: `Up${index}`, baseUrl, apiKey: UPSTREAM_KEY, transport }),
    ),
    models: [
      {
        id: 'test/model',
        endpoints: upstreams.map((_, index) => ({
          provider: `up${index}`,
          providerModel: 'up-model',
          // A little dearer each, so that they are tried in order.
          pricing: { prompt: '0.000001', completion: `0.00000${2 + index}` },
        })),
      },
    ],
    store,
    logger,
    platform: createNodePlatform(),
    bootstrapKeys: [
      { key: TEST_KEY, kind: 'api', name: 'test' },
      { key: TEST_MANAGEMENT_KEY, kind: 'management', name: 'admin' },
    ],
    ...options.gateway,
    timeouts: { drainMs: 0, ...options.timeouts },
  });
  const listener = await listen(withCheckedResponses(gateway), { port: 0, logger, ...options.listen });
  onTestFinished(async () => {
    await gateway.close();
    await listener.close();
    await transport.close();
  });

  const apiUrl = `${listener.url}/api/v1`;
  const ask: FaultGateway['ask'] = (body = {}, init = {}) =>
    fetch(`${apiUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TEST_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'test/model',
        messages: [{ role: 'user', content: 'Hello' }],
        provider: { sort: 'price' },
        ...body,
      }),
      ...init,
    });
  return {
    gateway,
    listener,
    port: listener.port,
    apiUrl,
    transport,
    logged,
    recorded,
    record,
    ask,
    stream: async (body = {}) =>
      (
        await ask({
          stream: true,
          ...body,
        })
      ).text(),
  };
}

/** Notes every call after it has been recorded. */
function watchRecords(store: Store): Pick<FaultGateway, 'recorded' | 'record'> & { readonly store: Store } {
  const recorded: RecordedCall[] = [];
  const waiting = new Set<() => void>();
  const { generations } = store;
  return {
    recorded,
    record: (number = 0) =>
      new Promise((resolve) => {
        const check = (): void => {
          const found = recorded[number];
          if (found === undefined) return;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        check();
      }),
    store: {
      ...store,
      generations: {
        ...generations,
        async append(record, content) {
          await generations.append(record, content);
          recorded.push({ record, content });
          for (const check of waiting) check();
        },
      },
    },
  };
}
