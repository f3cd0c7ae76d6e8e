import { describe, expect, test } from 'vitest';

import { ask, type Asked, replayStreams, replayWhole, scripts } from '../../support/gateways/ask-wire.ts';
import { jsonOf } from '../../support/gateways/core-gateway.ts';
import { findCaptures, missingCaptures } from '../../support/upstreams/captures.ts';
import type { ScriptedTransport } from '../../support/upstreams/scripted-transport.ts';
import { type Refusal, type RefusalCase, SPILLED_PARTS, type WireScript } from '../../support/wires/wire-script.ts';

/** Every way in which a refusal may come: with its status, asked whole and streamed, and as the first event. */
const waysOf = (script: WireScript, refusal: Refusal): readonly (readonly [string, ScriptedTransport, boolean])[] => [
  ['whole', replayWhole(refusal), false],
  ['streamed', replayWhole(refusal), true],
  ...replayStreams(script, [refusal.event], '').map(
    ([chunking, transport]) => [`first event, ${chunking}`, transport, true] as const,
  ),
];

const healthOf = async ({ core }: Asked): Promise<unknown> => {
  const response = await core.get('/api/v1/models/test/model/endpoints');
  return (jsonOf(response) as unknown as { data: { endpoints: { uptime_last_5m: unknown }[] } }).data.endpoints[0]
    ?.uptime_last_5m;
};

const metadataOf = ({ completion }: Asked): Readonly<Record<string, unknown>> => completion.error?.metadata ?? {};

describe.each(scripts)('The wire %s', (_wire, script) => {
  test.each<[RefusalCase, number]>([
    ['bad request', 400],
    ['rate limit', 429],
    ['forbidden', 502],
  ])('%s: tells the reason and the error itself, without secrets and addresses, as a %i', async (name, status) => {
    const refusal = script.refusals[name];
    for (const [way, transport, stream] of waysOf(script, refusal)) {
      const asked = await ask(script, transport, { stream });
      const { error } = asked.completion;
      expect({ way, code: error?.code }).toEqual({ way, code: status });
      expect(error?.message).toMatch(/temperature|3 requests a minute|Country|region/);
      expect(metadataOf(asked)).toMatchObject({ provider_name: 'Up', raw: expect.stringContaining(refusal.said) });
      expect(JSON.stringify(asked.completion)).not.toMatch(SPILLED_PARTS);
      // The record has it, too.
      expect(asked.core.store.appended[0]?.content).toMatchObject({
        error: { raw: expect.stringContaining(refusal.said) },
      });
      expect(JSON.stringify(asked.core.store.appended)).not.toMatch(SPILLED_PARTS);
    }
  });

  test('moderation: a 403 with its reasons that is nobody’s outage, and not the operator’s fault', async () => {
    const refusal = script.refusals.moderation;
    for (const [way, transport, stream] of waysOf(script, refusal)) {
      const messages = [{ role: 'user', content: `how to hurt ${'x'.repeat(200)} end` }];
      const asked = await ask(script, transport, { stream, messages });
      const { error } = asked.completion;
      expect({ way, code: error?.code }).toEqual({ way, code: 403 });
      expect(error?.message).not.toMatch(/operator|account/);
      const metadata = metadataOf(asked);
      expect(metadata).toMatchObject({
        error_type: 'permission_denied',
        reasons: refusal.reasons,
        flagged_input: expect.stringMatching(/^how to hurt/),
        provider_name: 'Up',
        model_slug: 'test/model',
        raw: expect.stringContaining(refusal.said),
      });
      expect(String(metadata['flagged_input']).length).toBeLessThanOrEqual(100);
      expect(JSON.stringify(asked.completion)).not.toMatch(SPILLED_PARTS);
      expect(await healthOf(asked)).toBeNull();
    }
  });

  test('forbidden: is the operator’s to mend, and counts against the provider', async () => {
    const asked = await ask(script, replayWhole(script.refusals.forbidden), {});
    expect(asked.completion.error?.message).toMatch(/the operator must check/);
    expect(await healthOf(asked)).toBe(0);
  });

  test('native: upstream’s own word is in the response and the record, whole and streamed', async () => {
    for (const name of ['text', 'length', 'tools'] as const) {
      const { whole, events = [] } = script.responses[name];
      const asked = [await ask(script, replayWhole({ whole }), {})];
      for (const [, stream] of replayStreams(script, events)) asked.push(await ask(script, stream, { stream: true }));
      for (const { completion, core } of asked) {
        expect(completion.native).toMatch(WORDS[name]);
        expect(core.store.appended[0]?.record.generation.native_finish_reason).toBe(completion.native);
      }
    }
  });
});

const failing = scripts.flatMap(([wire, script]): [string, WireScript, NonNullable<WireScript['brokenOff']>][] =>
  script.brokenOff === undefined ? [] : [[wire, script, script.brokenOff]],
);

describe.each(failing)('The wire %s, which has a word for a completion that broke off', (_wire, script, brokenOff) => {
  test('a whole completion is returned with its error, recorded as failed, and charged', async () => {
    const { native, ...upstream } = brokenOff;
    const core = (await ask(script, replayWhole(upstream), {})).core;
    const response = await core.chat({ model: 'test/model' });
    expect(response.status).toBe(200);
    expect(jsonOf(response)).toMatchObject({
      choices: [
        {
          message: { content: 'Hello' },
          finish_reason: 'error',
          native_finish_reason: native,
          error: {
            code: 502,
            message: expect.stringContaining(native),
            metadata: { error_type: 'provider_unavailable', provider_name: 'Up' },
          },
        },
      ],
      // 8 tokens at 1 µ$, 4 from the cache at 0.1 µ$ and 8 at 2 µ$ make 24.4 µ$.
      usage: { cost: 0.0000244 },
    });
    expect(core.store.appended[0]).toMatchObject({
      record: {
        costNanoUsd: 24_400,
        generation: { finish_reason: 'error', native_finish_reason: native, cancelled: false },
      },
      content: { output: { completion: 'Hello' }, error: { status: 502, provider_name: 'Up' } },
    });
  });

  test('a stream ends with an error after its text, in any chunking, recorded and charged alike', async () => {
    const { native, events = [] } = brokenOff;
    for (const [chunking, transport] of replayStreams(script, events)) {
      const { completion, core } = await ask(script, transport, { stream: true });
      expect({ chunking, ...completion }).toMatchObject({
        chunking,
        status: 200,
        content: 'Hello',
        finish: 'error',
        native,
        usage: undefined,
        error: { code: 502, metadata: { error_type: 'provider_unavailable' } },
      });
      expect(core.store.appended[0]?.record).toMatchObject({
        costNanoUsd: 24_400,
        generation: { finish_reason: 'error', native_finish_reason: native },
      });
    }
  });
});

test.skipIf(missingCaptures !== undefined)(
  `recorded: tells the reasons of real refusals${missingCaptures === undefined ? '' : `: ${missingCaptures}`}`,
  async () => {
    const [google, openai] = ['google/google-429', 'openai/reasoning-model-legacy'].map((name) =>
      findCaptures(() => true).find((capture) => capture.name.startsWith(name)),
    );
    for (const [wire, capture, status, said] of [
      ['google', google, 429, 'RetryInfo'],
      ['openai', openai, 400, 'max_completion_tokens'],
    ] as const) {
      const script = scripts.find(([name]) => name === wire)?.[1] as WireScript;
      const whole = JSON.parse(capture?.payloads[0] ?? '') as object;
      for (const stream of [false, true]) {
        const { completion } = await ask(script, replayWhole({ status, whole }), { stream });
        expect(completion).toMatchObject({ status, error: { metadata: { raw: expect.stringContaining(said) } } });
      }
    }
  },
);

/** The words of the wires. */
const WORDS = {
  text: /^(stop|completed|end_turn|STOP)$/,
  length: /^(length|max_output_tokens|max_tokens|MAX_TOKENS)$/,
  tools: /^(tool_calls|completed|tool_use|STOP)$/,
};
