import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { type FoldedCompletion, foldCompletion } from '../clients/fold-completion.ts';
import { chunkings } from '../upstreams/chunkings.ts';
import { createReplayTransport, type ScriptedTransport } from '../upstreams/scripted-transport.ts';
import type { UpstreamResponse, WireScript } from '../wires/wire-script.ts';
import { type CoreGateway, createCoreGateway } from './core-gateway.ts';

/**
 * Every folder with a file that makes providers is a wire, and must have a script that the contract can be run on;
 * those that make videos alone have a contract of their own, `videos.test.ts`.
 */
const FOLDER = fileURLToPath(new URL('../../../packages/core/src/providers/', import.meta.url));
export const wires = readdirSync(FOLDER).filter((wire) => existsSync(`${FOLDER}${wire}/${wire}-provider.ts`));

/** The script of every wire, by its name. */
export const scripts: [string, WireScript][] = [];
for (const wire of wires) {
  const { script } = (await import(`../wires/${wire}.ts`)) as { script: WireScript };
  scripts.push([wire, script]);
}

export const JSON_TYPE = { 'content-type': 'application/json' };

export interface Asked {
  readonly completion: FoldedCompletion;
  readonly transport: ScriptedTransport;
  readonly core: CoreGateway;
  readonly retryAfter: unknown;
}

/** Puts a request to a gateway whose only endpoint is this wire's. */
export async function ask(script: WireScript, transport: ScriptedTransport, request: object): Promise<Asked> {
  const core = createWireGateway(script, transport);
  const response = await core.chat({ model: 'test/model', ...request });
  return { completion: await foldCompletion(response), transport, core, retryAfter: response.headers['retry-after'] };
}

/** Creates a gateway whose only endpoint, `test/model`, is this wire's, with prices that tell every kind of token apart. */
export function createWireGateway(script: WireScript, transport: ScriptedTransport): CoreGateway {
  return createCoreGateway([script.createProvider(transport)], {
    models: [
      {
        id: 'test/model',
        endpoints: [
          {
            provider: 'up',
            providerModel: script.model,
            pricing: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000001' },
          },
        ],
      },
    ],
  });
}

export const replayWhole = ({ status, headers, whole }: UpstreamResponse): ScriptedTransport =>
  createReplayTransport({ status: status ?? 200, headers: headers ?? JSON_TYPE, pieces: [JSON.stringify(whole)] });

/** The response as a stream in the three chunkings. */
export const replayStreams = <Event = object>(
  { toEvent, end: usualEnd }: { toEvent(event: Event): string | Uint8Array; readonly end: string },
  events: readonly Event[],
  end = usualEnd,
) =>
  chunkings([...events.map((event) => toEvent(event)), ...(end === '' ? [] : [end])]).map(
    ([chunking, pieces]) => [chunking, createReplayTransport({ pieces })] as const,
  );
