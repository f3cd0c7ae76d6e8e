import type { GatewayResponse } from '@model-gateway/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { change, changesWith } from '../../support/formats/hostile-json.ts';
import { createWireGateway, replayStreams, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { readFrames } from '../../support/gateways/core-gateway.ts';
import type { UpstreamResponse, WireScript } from '../../support/wires/wire-script.ts';

/** Fields that the readers of some wire look at, although no event of its script may have them. */
const FIELDS =
  'error errors code status message detail loc metadata reasons innererror type usage logprobs annotations images ' +
  'audio citations reasoning_details x_groq object groundingMetadata logprobsResult promptFeedback index id name input args partialArgs';

const changes = changesWith(FIELDS.split(' '));

/** A changed event in the frame of the original one, which may name the event's type. */
function frame(script: WireScript, original: object, changed: object): string | Uint8Array {
  const event = script.toEvent(original);
  if (typeof event !== 'string') return script.toEvent(changed);
  return event.replace(JSON.stringify(original), () => JSON.stringify(changed));
}

/** All that the upstream of a script says, by what it is. */
const responsesOf = ({ responses, errors, refusals, brokenOff }: WireScript): ReadonlyMap<string, UpstreamResponse> =>
  new Map([
    ...Object.entries(responses),
    ...Object.entries(errors),
    ...Object.entries(refusals).map(([name, refusal]): [string, UpstreamResponse] => [
      `refusal, ${name}`,
      { ...refusal, events: [refusal.event] },
    ]),
    ...(brokenOff === undefined ? [] : [['broken off', brokenOff] as const]),
  ]);

/** The wires whose responses are passed on untranslated to callers of the same format (docs/decisions/0038). */
const OWN_FORMATS: ReadonlyMap<string, string> = new Map([
  ['anthropic', '/api/v1/messages'],
  ['openai-responses', '/api/v1/responses'],
]);

/** Each format in which a completion is returned, with the beginning of a conversation in it. */
const FORMATS: ReadonlyMap<string, object> = new Map([
  ['/api/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello' }] }],
  ['/api/v1/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }],
  ['/api/v1/responses', { input: 'Hello' }],
]);

const textOf = async (response: GatewayResponse): Promise<string> =>
  typeof response.body === 'string' ? response.body : readFrames(response).rest();

test.each(scripts)(
  'Whatever JSON an upstream on the wire %s sends, its response is read or is upstream’s failure',
  async (wire, script) => {
    const responses = responsesOf(script);
    const formats = [...FORMATS.keys()].filter((format) => format !== OWN_FORMATS.get(wire));
    const cases = fc.tuple(fc.constantFrom(...responses.keys()), changes, fc.constantFrom(...formats));
    const property = fc.asyncProperty(cases, async ([name, made, format]) => {
      const upstream = responses.get(name) ?? { whole: {} };
      const { events = [] } = upstream;
      const [whole = {}] = change([upstream.whole], made);
      const frames = change(events, made).map((event, at) => frame(script, events[at] ?? {}, event));
      const transports = [
        ['whole', replayWhole({ ...upstream, whole })] as const,
        ...replayStreams({ ...script, toEvent: (event: string | Uint8Array) => event }, frames),
      ];
      for (const [way, transport] of transports) {
        const core = createWireGateway(script, transport);
        const body = { model: 'test/model', ...FORMATS.get(format), stream: way !== 'whole' };
        const text = await textOf(await core.post(format, body));
        // Those are the words for a failure of the gateway's own.
        expect(`${way}: ${text}`).not.toContain('Internal Server Error');
        expect(core.logged.filter(({ line }) => line.startsWith('error'))).toEqual([]);
      }
    });
    await fc.assert(property, { numRuns: 300 });
  },
  60_000,
);
