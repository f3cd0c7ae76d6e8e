import type { Provider } from '@model-gateway/core';
import {
  type OptionalProviderMember,
  type ProviderCase,
  providerCases,
  type ProviderSubject,
  type UpstreamCompletion,
} from '@model-gateway/core/testing';
import { describe, expect, test } from 'vitest';

import { scripts } from '../../support/gateways/ask-wire.ts';
import { createScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { COUNTS, TEXT, type UpstreamResponse, type WireScript } from '../../support/wires/wire-script.ts';

function toCompletion(
  script: WireScript,
  { whole, events = [] }: UpstreamResponse,
  expected: UpstreamCompletion['expected'],
): UpstreamCompletion {
  const usage = { prompt_tokens: COUNTS.prompt, completion_tokens: COUNTS.completion };
  return {
    whole: JSON.stringify(whole),
    events: [...events.map((event) => script.toEvent(event)), ...(script.end === '' ? [] : [script.end])],
    expected: { ...expected, usage },
  };
}

const toSubject = (script: WireScript): ProviderSubject => ({
  create: (transport) => script.createProvider(transport),
  completion: toCompletion(script, script.responses.text, { content: TEXT, finishReason: 'stop' }),
  furtherCompletions: [
    toCompletion(script, script.responses['parallel tools'], {
      content: 'One moment.',
      toolCalls: [
        { name: 'get_weather', arguments: { city: 'Paris' } },
        { name: 'get_weather', arguments: { city: 'Oslo' } },
      ],
      finishReason: 'tool_calls',
    }),
    toCompletion(script, script.responses.length, { content: 'Hello', finishReason: 'length' }),
  ],
  refusals: [
    { ...toRefusal(script.errors['rate limit']), code: 'rate_limit_exceeded', retryAfterSeconds: 7 },
    { ...toRefusal(script.errors.overload), code: 'provider_overloaded' },
    { ...toRefusal(script.refusals['bad request']), code: 'invalid_request' },
  ],
});

const toRefusal = ({ status = 500, headers, whole }: UpstreamResponse) => ({
  status,
  headers,
  body: JSON.stringify(whole),
});

describe.each(scripts)('The provider of the wire %s', (_wire, script) => {
  const provider: Provider & Partial<Record<OptionalProviderMember, unknown>> =
    script.createProvider(createScriptedTransport());
  const isLacking = ({ needs }: ProviderCase): boolean =>
    needs !== undefined && needs !== 'readsPieces' && provider[needs] === undefined;
  const titleOf = (one: ProviderCase): string => (isLacking(one) ? `${one.title}: it has no ${one.needs}` : one.title);
  test.for(providerCases.map((one) => [titleOf(one), one] as const))('%s', ([, one], { skip }) => {
    skip(isLacking(one));
    return one.run(toSubject(script));
  });
});

test('no two cases have the same title, as some runners refuse that', () => {
  const titles = providerCases.map(({ title }) => title);
  expect(titles.length).toBe(new Set(titles).size);
});
