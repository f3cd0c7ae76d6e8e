import fc from 'fast-check';
import { expect } from 'vitest';

import { cutInto, cuts, damage, damaged } from '../../support/formats/damaged-bytes.ts';
import { createWireGateway, JSON_TYPE, scripts } from '../../support/gateways/ask-wire.ts';
import { readFrames } from '../../support/gateways/core-gateway.ts';
import { chunkings } from '../../support/upstreams/chunkings.ts';
import { createReplayTransport } from '../../support/upstreams/scripted-transport.ts';
import type { FuzzTarget } from '../fuzz-target.ts';

/** Each format, with the beginning of a conversation in it. */
const FORMATS: ReadonlyMap<string, object> = new Map([
  ['/api/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }],
  ['/api/v1/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }],
  ['/api/v1/responses', { input: 'Hello' }],
  ['/api/v1/completions', { prompt: 'Hello' }],
  ['/api/chat', { messages: [{ role: 'user', content: 'Hello' }] }],
  ['/api/generate', { prompt: 'Hello' }],
]);

const responses = new Map(
  scripts.flatMap(([wire, script]) =>
    Object.entries({ ...script.responses, ...script.errors }).map(([name, response]) => [
      `${wire}: ${name}`,
      { script, response },
    ]),
  ),
);

export const providerResponses: FuzzTarget = {
  name: 'provider-responses',
  promise: 'A damaged response of a provider is read, or is the provider’s failure, on every wire and in every format',
  runs: 800,
  prepare: async () =>
    fc.asyncProperty(
      fc.constantFrom(...responses.keys()),
      fc.constantFrom(...FORMATS.keys()),
      fc.boolean(),
      fc.array(damage, { minLength: 1, maxLength: 3 }),
      cuts,
      async (name, format, stream, done, places) => {
        const { script, response } = responses.get(name) ?? {};
        if (script === undefined || response === undefined) throw new Error(`There is no ${name}`);
        const { status = 200, headers, whole, events = [] } = response;
        const sent = stream ? [...events.map((event) => script.toEvent(event)), script.end] : [JSON.stringify(whole)];
        const [, [bytes = new Uint8Array()] = []] = chunkings(sent).at(-1) ?? [];
        const pieces = cutInto(damaged(bytes, done), places);
        const core = createWireGateway(
          script,
          createReplayTransport({
            status,
            headers: headers ?? (stream ? { 'content-type': 'text/event-stream' } : JSON_TYPE),
            pieces,
          }),
        );
        const answer = await core.post(format, { model: 'test/model', ...FORMATS.get(format), stream });
        const said = typeof answer.body === 'string' ? answer.body : await readFrames(answer).rest();
        // Those are the words for a failure of the gateway's own.
        expect(said).not.toContain('Internal Server Error');
        expect(core.logged.filter(({ line }) => line.startsWith('error'))).toEqual([]);
      },
    ),
};
