import { randomBytes } from 'node:crypto';

import { createOpenAiProvider } from '@model-gateway/core/providers/openai';
import { PRESETS } from '@model-gateway/core/providers/presets';
import { describe, expect, test } from 'vitest';

import type { OpenAiPreset } from '../../packages/core/src/providers/provider-preset.ts';
import { createVirtualPlatform } from '../support/async/virtual-platform.ts';
import { replayWhole, scripts } from '../support/gateways/ask-wire.ts';
import { createCoreGateway } from '../support/gateways/core-gateway.ts';
import { guardKey } from '../support/gateways/guard-key.ts';
import { FULL_REQUESTS, type FullRequest } from '../support/guardrails/full-requests.ts';
import { holdsMarker, MARKER, markPlaces, type MarkedRequest } from '../support/guardrails/mark-places.ts';
import type { WireScript } from '../support/wires/wire-script.ts';

/**
 * The places that filters do not see, with the marker in them as a single word. All are sent to upstream, and no model
 * reads one as text.
 */
const UNSEEN: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)(id|tool_call_id|call_id|tool_use_id|file_id|container_id|skill_id|approval_request_id)$/, 'an id'],
  [/\.file_ids\.\d+$/, 'an id'],
  [/\.(signature|encrypted_content|thoughtSignature)$/, 'a signature, which upstream alone can read'],
  [/reasoning_details\.\d+\.data$/, 'sealed reasoning, which upstream alone can read'],
  [/content\.1\.data$/, 'sealed reasoning, which upstream alone can read'],
  [/<bytes>$|(?:source|inlineData)\.data$/, 'bytes of a picture, a sound, a film or a PDF'],
];

/** Beside them, names of providers, which a gateway upstream is told for the choice of one. */
const isUnseen = ({ place, variant }: MarkedRequest): boolean =>
  place.startsWith('provider.') ||
  ((variant === 'word' || variant === 'part of a word') &&
    !place.includes('<json>') &&
    !isData(place) &&
    UNSEEN.some(([pattern]) => pattern.test(place)));

/** Within schemas, arguments and records of the caller's, a name means nothing to the protocol. */
const isData = (place: string): boolean =>
  /(?:^|\.)(?:parameters|schema|input_schema|input_examples|input\.\w|action|newer_field|headers|metadata|trace|image_config|stop|plugins|x-note|args|response|labels|parametersJsonSchema|responseSchema|responseJsonSchema|newerField)(?:\.|$)/.test(
    place.replace(/^input\.\d+\./, ''),
  );

/** The OpenAI wire as servers speak it that take more than OpenAI does, or less. */
const PRESET_WIRES = (['openrouter', 'deepseek', 'mistral'] as const).map((name): readonly [string, WireScript] => {
  const script = scripts.find(([wire]) => wire === 'openai')?.[1] as WireScript;
  const { dialect } = PRESETS[name] as OpenAiPreset;
  const settings = { slug: 'up', name: 'Up', baseUrl: 'https://up.example/v1', apiKey: 'key-of-up' };
  return [
    name,
    { ...script, createProvider: (transport) => createOpenAiProvider({ ...settings, transport, dialect }) },
  ];
});

/** A gateway at one upstream, and how it treats a request under each kind of filter. */
async function createGuarded(script: WireScript) {
  const transport = replayWhole(script.responses.text);
  // Ids of the virtual platform come round after some hundred calls.
  const platform = { ...createVirtualPlatform(), randomBytes };
  const core = createCoreGateway([script.createProvider(transport)], {
    ...({ platform } as object),
    models: [{ id: 'test/model', endpoints: [{ provider: 'up', providerModel: 'gpt-6' }] }],
  });
  const filter = { pattern: MARKER, label: 'Finch' };
  const blocked = await guardKey(core, { content_filters: [{ ...filter, action: 'block' }] });
  const redacted = await guardKey(core, { content_filters: [{ ...filter, action: 'redact' }] });
  const send = async ({ path }: FullRequest, body: object, headers?: Readonly<Record<string, string>>) => {
    const before = transport.exchanges.length;
    const { status, body: said } = await core.post(path, body, headers === undefined ? {} : { headers });
    const sent = transport.exchanges.slice(before).map((exchange) => exchange.sent);
    return { status, said: typeof said === 'string' ? (JSON.parse(said) as object) : {}, sent };
  };
  return {
    sendOpenly: (request: FullRequest, body: object) => send(request, body),
    sendBlocked: (request: FullRequest, body: object) => send(request, body, blocked.headers),
    sendRedacted: (request: FullRequest, body: object) => send(request, body, redacted.headers),
  };
}

/** What other formats become at a server of the OpenAI wire is tried at OpenAI. */
const CASES = [...scripts, ...PRESET_WIRES].flatMap(([wire, script]) =>
  Object.entries(FULL_REQUESTS)
    .filter(([format]) => format === 'chat completions' || scripts.some(([known]) => known === wire))
    .map(([format, requests]) => [format, wire, requests, script] as const),
);

describe('A filter sees whatever a model can read', () => {
  test.each(CASES)('of %s at %s', { timeout: 180_000 }, async (_format, _wire, requests, script) => {
    const { sendOpenly, sendBlocked, sendRedacted } = await createGuarded(script);
    const missed: string[] = [];
    let filtered = 0;
    let taken = 0;
    for (const request of requests) {
      const asItIs = await sendOpenly(request, request.body);
      if (asItIs.status !== 200) continue;
      taken += 1;
      for (const marked of markPlaces(request.body)) {
        if (isUnseen(marked)) continue;
        const isRead = async () => (await sendOpenly(request, marked.body)).sent.some(holdsMarker);
        const blocked = await sendBlocked(request, marked.body);
        const isBlocked = blocked.status === 403 && blocked.sent.length === 0;
        // Asked only where a filter fails, which is a fault where a model reads the place.
        if (!isBlocked && !(await isRead())) continue;
        filtered += 1;
        const problems = isBlocked ? [] : [`passes a filter that blocks: ${blocked.status}`];
        const redacted = await sendRedacted(request, marked.body);
        if (redacted.sent.some(holdsMarker)) problems.push('passes a filter that redacts');
        else if (redacted.status !== 200 && !JSON.stringify(redacted.said).includes('cannot be redacted')) {
          problems.push(`is redacted to what is refused: ${redacted.status} ${JSON.stringify(redacted.said)}`);
        }
        if (problems.length === 0 || (isBlocked && !(await isRead()))) continue;
        missed.push(...problems.map((problem) => `${marked.place} (${marked.variant}): ${problem}`));
      }
    }
    expect(missed).toEqual([]);
    // Bedrock takes no media by address, which each of Gemini's full requests has.
    expect(filtered > 0).toBe(taken > 0);
  });

  test('and every one of these requests is taken by some wire', async () => {
    const refused = new Set(Object.values(FULL_REQUESTS).flat());
    for (const [, script] of [...scripts, ...PRESET_WIRES]) {
      const { sendOpenly } = await createGuarded(script);
      for (const request of refused) {
        const { status } = await sendOpenly(request, request.body);
        if (status === 200) refused.delete(request);
      }
    }
    expect([...refused]).toEqual([]);
  });
});
