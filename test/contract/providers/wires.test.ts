import { describe, expect, test } from 'vitest';

import { ask, JSON_TYPE, replayStreams, replayWhole, scripts, wires } from '../../support/gateways/ask-wire.ts';
import { createReplayTransport } from '../../support/upstreams/scripted-transport.ts';
import { COUNTS, EXPECTED, REQUESTS, type ResponseCase } from '../../support/wires/wire-script.ts';

const cases = Object.keys(EXPECTED) as ResponseCase[];

test('finds the wires on disk', () => {
  expect(wires).toEqual(expect.arrayContaining(['anthropic', 'google', 'openai', 'openai-responses']));
});

describe.each(scripts)('The wire %s', (_wire, script) => {
  test.each(cases)('%s: the same message, usage and cost whole and streamed in any chunking', async (name) => {
    const upstream = script.responses[name];
    const { completion: whole, transport } = await ask(script, replayWhole(upstream), REQUESTS[name]);

    const { calls = [], ...expected } = script.expected?.[name] ?? EXPECTED[name];
    expect(whole).toMatchObject({ status: 200, refusal: null, ...expected, error: undefined });
    expect(whole.calls.map(([tool, text]) => [tool, JSON.parse(text)])).toEqual(
      calls.map(([tool, text]) => [tool, JSON.parse(text)]),
    );
    expect(whole.native).toEqual(expect.any(String));
    // 8 tokens at 1 µ$, 4 from the cache at 0.1 µ$ and 8 at 2 µ$ make 24.4 µ$.
    expect(whole.usage).toMatchObject({
      prompt_tokens: COUNTS.prompt,
      completion_tokens: COUNTS.completion,
      total_tokens: COUNTS.prompt + COUNTS.completion,
      prompt_tokens_details: { cached_tokens: COUNTS.cached },
      cost: 0.0000244,
    });

    const sent = script.sent[name as keyof typeof script.sent] as object | undefined;
    if (sent !== undefined) expect(transport.latest().sent).toMatchObject(sent);

    for (const [chunking, stream] of replayStreams(script, upstream.events ?? [])) {
      const { completion } = await ask(script, stream, { ...REQUESTS[name], stream: true });
      expect({ chunking, ...completion }).toEqual({ chunking, ...whole });
    }
  });

  test('reasoning: what a caller hands back reaches the model that made it as it came', async () => {
    const { completion } = await ask(script, replayWhole(script.responses.reasoning), REQUESTS.reasoning);
    const messages = [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: completion.content, reasoning_details: completion.details },
      { role: 'user', content: 'And?' },
    ];
    const { transport } = await ask(script, replayWhole(script.responses.text), { ...REQUESTS.reasoning, messages });
    expect(transport.latest().sent).toMatchObject(script.sentBack);
  });

  test.each([
    ['rate limit', 429, 'rate_limit_exceeded'],
    ['overload', 503, 'provider_overloaded'],
  ] as const)('%s: a %i before anything is sent, whole and streamed', async (name, status, type) => {
    for (const stream of [false, true]) {
      const { completion, retryAfter } = await ask(script, replayWhole(script.errors[name]), { stream });
      expect(completion).toMatchObject({ status, error: { code: status, metadata: { error_type: type } } });
      if (name === 'rate limit') expect(String(retryAfter)).toBe('7');
    }
  });

  test('context too long: a 400 that says so in words, whole and streamed', async () => {
    for (const stream of [false, true]) {
      const { completion } = await ask(script, replayWhole(script.errors['context too long']), { stream });
      expect(completion).toMatchObject({
        status: 400,
        error: { code: 400, message: expect.stringMatching(/token/), metadata: { error_type: script.contextTooLong } },
      });
    }
  });

  test('cut stream: never a success, in any chunking and cut after any event', async () => {
    const events = script.responses.text.events ?? [];
    for (let kept = 1; kept < events.length - 1; kept += 1) {
      for (const [chunking, stream] of replayStreams(script, events.slice(0, kept), '')) {
        const { completion, core } = await ask(script, stream, { stream: true });
        const { error, usage } = completion;
        expect({ chunking, kept, code: error?.code }).toEqual({ chunking, kept, code: 502 });
        expect(usage === undefined || completion.finish === 'error').toBe(true);
        expect(core.store.appended[0]?.record.generation.finish_reason).toBe('error');
      }
    }
  });

  test('cut stream: neither is a response in one piece that is cut', async () => {
    const text = JSON.stringify(script.responses.text.whole);
    const transport = createReplayTransport({ headers: JSON_TYPE, pieces: [text.slice(0, -9)] });
    const { completion, core } = await ask(script, transport, {});
    expect(completion).toMatchObject({ status: 502, error: { metadata: { error_type: 'provider_unavailable' } } });
    expect(core.store.appended[0]?.record.generation.finish_reason).toBe('error');
  });

  test('error event: what came before it, then the error, in any chunking', async () => {
    const before = (script.responses.text.events ?? []).slice(0, 5);
    for (const [chunking, stream] of replayStreams(script, [...before, script.errorEvent])) {
      const { completion, core } = await ask(script, stream, { stream: true });
      expect({ chunking, ...completion }).toMatchObject({
        chunking,
        status: completion.content === null ? 503 : 200,
        finish: 'error',
        error: { code: 503, metadata: { error_type: 'provider_overloaded' } },
      });
      expect(core.store.appended[0]?.record.generation.finish_reason).toBe('error');
    }
  });
});
