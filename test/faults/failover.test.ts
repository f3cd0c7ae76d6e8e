import type { AccountOptions, ModelDefinition } from '@model-gateway/core';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { createVirtualPlatform, type VirtualPlatform } from '../support/async/virtual-platform.ts';
import {
  continuesText,
  cutOffIn,
  type Fault,
  FAULTS,
  refusesPrefill,
  serveWhole,
  startFaulty,
  WHOLE_TEXT,
} from '../support/failover/scripted-failures.ts';
import { parseFrames } from '../support/gateways/core-gateway.ts';
import { type FaultGateway, startFaultGateway } from '../support/gateways/fault-gateway.ts';
import { chunkings } from '../support/upstreams/chunkings.ts';
import type { RawUpstream } from '../support/upstreams/raw-upstream.ts';

/** The settings that docs/routing.md names for failover. */
const SETTINGS: NonNullable<AccountOptions['routing']> = {
  waitForRetryAfterMs: 3000,
  retriesAtEndpoint: 1,
  fallbackOnRefusal: false,
  holdStreams: true,
  limitsBeforeFallback: { headersMs: 10_000, firstTokenMs: 10_000, idleMs: 10_000, nonStreamMs: 12_000 },
};

/** How the fallback is told to the gateway: as a second provider of the model, or as a second model of the call. */
const ROWS = ['two providers', 'models'] as const;
type Row = (typeof ROWS)[number];

const FORMS = [
  ['streamed', true],
  ['whole', false],
] as const;
const CELLS = ROWS.flatMap((row) => FORMS.map(([form, stream]) => [row, form, stream] as const));

/** The machine may be busy, and the first call of a process loads what it needs. */
const PATIENCE = { timeout: 10_000, interval: 5 };

interface Setting {
  readonly row: Row;
  readonly primary: Fault;
  readonly fallback?: Fault;
  readonly routing?: AccountOptions['routing'];
  readonly prefill?: 'continues';
}

interface Failover {
  readonly primary: RawUpstream;
  readonly fallback: RawUpstream;
  readonly clock: VirtualPlatform;
  readonly gateway: FaultGateway;
  /** Calls for the primary, with the fallback of the row behind it, and reads the response to its end. */
  ask(stream: boolean, body?: object, init?: RequestInit): Promise<Reply>;
  /** Requests at the primary and at the fallback. */
  counts(): readonly [number, number];
}

interface Reply {
  readonly status: number;
  readonly text: string;
  /** Undefined where the response is no error and ends with none. */
  readonly error: unknown;
  readonly provider: string | undefined;
  readonly usage: unknown;
}

const modelsOf = (row: Row, prefill: 'continues' | undefined): ModelDefinition[] => {
  const endpoint = (provider: string, price: number, context_length: number) => ({
    provider,
    providerModel: 'up-model',
    context_length,
    pricing: { prompt: '0.000001', completion: `0.00000${price}` },
    ...(prefill !== undefined && { prefill }),
  });
  const [first, second] = [endpoint('up0', 2, 8000), endpoint('up1', 3, 128_000)] as const;
  return row === 'models'
    ? [
        { id: 'test/model', endpoints: [first] },
        { id: 'test/other', endpoints: [second] },
      ]
    : [{ id: 'test/model', endpoints: [first, second] }];
};

/** Starts both upstreams and the gateway before them, whose time stands still until a test moves it. */
async function openFailover({
  row,
  primary: fault,
  fallback: other = serveWhole,
  ...setting
}: Setting): Promise<Failover> {
  const [primary, fallback] = [await startFaulty(fault), await startFaulty(other)];
  const clock = createVirtualPlatform();
  // What ends with the test may wait for a limit: its time passes from the end of the test on.
  let passing: NodeJS.Timeout | undefined;
  onTestFinished(() => clearInterval(passing));
  const gateway = await startFaultGateway([primary, fallback], {
    transport: { platform: clock },
    gateway: {
      platform: clock,
      models: modelsOf(row, setting.prefill),
      account: { routing: setting.routing ?? SETTINGS },
    },
  });
  onTestFinished(() => void (passing = setInterval(() => void clock.advance(60_000), 5)));
  const named = row === 'models' ? { models: ['test/other'] } : {};
  return {
    primary,
    fallback,
    clock,
    gateway,
    async ask(stream, body = {}, init = {}) {
      const { provider = {}, ...others } = body as { provider?: object };
      const sent = { stream, ...named, ...others, provider: { order: ['up0', 'up1'], ...provider } };
      return readReply(await gateway.ask(sent, init), stream);
    },
    counts: () => [primary.requests.length, fallback.requests.length],
  };
}

interface Chunk {
  readonly provider?: string;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string };
    readonly message?: { readonly content: string };
  }[];
}

async function readReply(response: Response, stream: boolean): Promise<Reply> {
  const body = await response.text();
  const chunks = (
    stream && response.status === 200 ? parseFrames(body).filter((frame) => frame !== 'done') : [JSON.parse(body)]
  ) as readonly Chunk[];
  const text = chunks
    .flatMap(({ choices = [] }) => choices.map(({ delta, message }) => delta?.content ?? message?.content ?? ''))
    .join('');
  return {
    status: response.status,
    text,
    error: chunks.find(({ error }) => error !== undefined)?.error,
    provider: chunks.find(({ provider }) => provider !== undefined)?.provider,
    usage: chunks.findLast(({ usage }) => usage !== undefined)?.usage,
  };
}

const rescued = (provider: string) => ({ status: 200, text: WHOLE_TEXT, error: undefined, provider });
const BY_PRIMARY = rescued('Up0');
const BY_FALLBACK = rescued('Up1');

/** Lets time pass once the primary has the call. */
async function passAtPrimary({ primary, clock }: Failover, ms: number): Promise<void> {
  await vi.waitFor(() => expect(primary.requests).toHaveLength(1), PATIENCE);
  await clock.advance(ms);
}

/** Waits until the gateway has set itself a timer of so many milliseconds. */
function watchTimers(clock: VirtualPlatform, delayMs: number): () => Promise<void> {
  const set = vi.spyOn(clock, 'setTimer');
  onTestFinished(() => set.mockRestore());
  return () => vi.waitFor(() => expect(set.mock.calls.map(([, delay]) => delay)).toContain(delayMs), PATIENCE);
}

const attemptsOf = async ({ gateway }: Failover, number = 0): Promise<unknown> =>
  (await gateway.record(number)).record.generation.provider_responses;

describe.each(CELLS)('%s, %s', (row, _form, stream) => {
  test('S01: a short Retry-After is waited out at the same endpoint', async () => {
    const failover = await openFailover({ row, primary: FAULTS.rateLimitedOnce });
    const waits = watchTimers(failover.clock, 2000);
    const reply = failover.ask(stream);
    await waits();
    await failover.clock.advance(1900);
    expect(failover.counts()).toEqual([1, 0]);
    await failover.clock.advance(100);
    expect(await reply).toMatchObject(BY_PRIMARY);
    expect(failover.counts()).toEqual([2, 0]);
    expect(await attemptsOf(failover)).toMatchObject([
      { provider_name: 'Up0', status: 429 },
      { provider_name: 'Up0', status: 200, again: 'waited' },
    ]);
  });

  test('S02: a rate limit that stays goes to the fallback', async () => {
    const failover = await openFailover({ row, primary: FAULTS.rateLimited });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([1, 1]);
  });

  test('S02: a wait in vain goes to the fallback, and the next call does not wait again', async () => {
    const failover = await openFailover({ row, primary: FAULTS.rateLimitedInVain });
    const waits = watchTimers(failover.clock, 2000);
    const reply = failover.ask(stream);
    await waits();
    await failover.clock.advance(2000);
    expect(await reply).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([2, 1]);
    await failover.clock.advance(5000);
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([3, 2]);
  });

  test('S03: an endpoint that fails once is asked again, once', async () => {
    const failover = await openFailover({ row, primary: FAULTS.failsOnce });
    expect(await failover.ask(stream)).toMatchObject(BY_PRIMARY);
    expect(failover.counts()).toEqual([2, 0]);
    expect(await attemptsOf(failover)).toMatchObject([{ status: 500 }, { status: 200, again: 'failed' }]);
  });

  test('S03: one that fails again is left for the fallback', async () => {
    const failover = await openFailover({ row, primary: FAULTS.fails });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([2, 1]);
  });

  test('S04: an endpoint that is overloaded goes to the fallback', async () => {
    const failover = await openFailover({ row, primary: FAULTS.overloaded });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([1, 1]);
  });

  test('S05: a connection that is reset before the headers is asked again, then the fallback', async () => {
    const failover = await openFailover({ row, primary: FAULTS.resets });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([2, 1]);
  });

  test.each([
    ['S06: an endpoint that never responds', FAULTS.staysSilent],
    ['S07: an endpoint that sends no token', FAULTS.sendsNoToken],
  ])('%s is left within 15 seconds', async (_fault, primary) => {
    const failover = await openFailover({ row, primary });
    const reply = failover.ask(stream);
    await passAtPrimary(failover, 15_000);
    expect(await reply).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([1, 1]);
  });

  test('S06: the last endpoint that is left has the long limits', async () => {
    const failover = await openFailover({ row, primary: FAULTS.overloaded, fallback: FAULTS.staysSilent });
    const client = new AbortController();
    const reply = failover.ask(stream, {}, { signal: client.signal }).catch(() => 'left');
    await vi.waitFor(() => expect(failover.fallback.requests).toHaveLength(1), PATIENCE);
    await failover.clock.advance(60_000);
    expect(failover.gateway.recorded).toEqual([]);
    client.abort();
    expect(await reply).toBe('left');
  });

  test('S08: a response that is cut off begins anew, and nothing comes twice', async () => {
    const failover = await openFailover({ row, primary: FAULTS.cutAfter40 });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([2, 1]);
  });

  test('S09: a stream that falls silent begins anew', async () => {
    const failover = await openFailover({ row, primary: FAULTS.silentAfter20 });
    const reply = failover.ask(stream);
    await passAtPrimary(failover, 25_000);
    expect(await reply).toMatchObject(BY_FALLBACK);
  });

  test('S10: a response that is no JSON begins anew', async () => {
    const failover = await openFailover({ row, primary: FAULTS.sendsNoJson });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
  });

  test('S11: a stream that finished is whole without [DONE]', async () => {
    const failover = await openFailover({ row, primary: FAULTS.endsWithoutDone });
    expect(await failover.ask(stream)).toMatchObject(BY_PRIMARY);
    expect(failover.counts()).toEqual([1, 0]);
  });

  test('S12: a prompt that is too long goes to the endpoint with more room', async () => {
    const failover = await openFailover({ row, primary: FAULTS.refusesLength });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([1, 1]);
  });

  test('S13: the refusal of a content filter is final', async () => {
    const failover = await openFailover({ row, primary: FAULTS.refusesContent });
    expect(await failover.ask(stream)).toMatchObject({ status: 403, error: { code: 403 } });
    expect(failover.counts()).toEqual([1, 0]);
  });

  test('S14: what breaks off begins anew without a prefill', async () => {
    const failover = await openFailover({
      row,
      primary: FAULTS.cutAfter40,
      fallback: refusesPrefill,
      prefill: 'continues',
      routing: { ...SETTINGS, continueBrokenStreams: true, continueWithOtherModels: true },
    });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.fallback.requests.map(({ body }) => body.includes('"assistant"'))).toEqual([false]);
  });

  test('S16: the response names who served it, with the usage of that one', async () => {
    const failover = await openFailover({ row, primary: FAULTS.overloaded });
    const { provider, usage } = await failover.ask(stream, { stream_options: { include_usage: true } });
    expect({ provider, usage }).toMatchObject({ provider: 'Up1', usage: { prompt_tokens: 12, completion_tokens: 8 } });
    const { record } = await failover.gateway.record();
    expect(record.generation).toMatchObject({
      provider_name: 'Up1',
      model: row === 'models' ? 'test/other' : 'test/model',
    });
  });

  test.each([
    [4000, 'with the settings', SETTINGS],
    [4100, 'with the settings', SETTINGS],
    [4000, 'without them', {}],
  ])(
    'S15: an outage is left after a few calls, one every %i ms %s, and over within 30 s',
    async (everyMs, _which, routing) => {
      let isOut = true;
      const failover = await openFailover({
        row,
        routing,
        primary: (request, call) => (isOut ? FAULTS.fails(request, call) : serveWhole(request)),
      });
      const servedBy: (string | undefined)[] = [];
      let back: number | undefined;
      for (let at = 0; at < 20 * everyMs; at += everyMs) {
        isOut = at < 60_000;
        const { text, provider } = await failover.ask(stream);
        expect(text).toBe(WHOLE_TEXT);
        servedBy.push(provider);
        if (provider === 'Up0') back ??= at;
        await failover.clock.advance(everyMs);
      }
      const dead = failover.primary.requests.length - servedBy.filter((provider) => provider === 'Up0').length;
      expect(dead).toBeLessThanOrEqual(10);
      expect(back).toBeGreaterThanOrEqual(60_000);
      expect(back).toBeLessThanOrEqual(90_000);
    },
  );
});

describe.each(CELLS)('without the settings, %s, %s', (row, _form, stream) => {
  test.each([
    ['S01', FAULTS.rateLimitedOnce],
    ['S03', FAULTS.failsOnce],
    ['S05', FAULTS.resets],
  ])('%s: no endpoint is asked again', async (_fault, primary) => {
    const failover = await openFailover({ row, primary, routing: {} });
    expect(await failover.ask(stream)).toMatchObject(BY_FALLBACK);
    expect(failover.counts()).toEqual([1, 1]);
  });

  test.each([
    ['S06', FAULTS.staysSilent],
    ['S07', FAULTS.sendsNoToken],
    ['S09', FAULTS.silentAfter20],
  ])('%s: the long limits hold', async (_fault, primary) => {
    const failover = await openFailover({ row, primary, routing: {} });
    const client = new AbortController();
    const reply = failover.ask(stream, {}, { signal: client.signal }).catch(() => 'left');
    await passAtPrimary(failover, 60_000);
    expect([failover.counts(), failover.gateway.recorded]).toEqual([[1, 0], []]);
    client.abort();
    expect(await reply).toBe('left');
  });

  test('S13: another model is asked after a refusal, another provider is not', async () => {
    const failover = await openFailover({ row, primary: FAULTS.refusesContent, routing: {} });
    await failover.ask(stream);
    expect(failover.counts()).toEqual(row === 'models' ? [1, 1] : [1, 0]);
  });
});

describe.each(ROWS)('without the settings, %s, streamed alone', (row) => {
  test.each([
    ['S08', FAULTS.cutAfter40, 40],
    ['S10', FAULTS.sendsNoJson, 30],
  ])('%s: the stream ends with the error', async (_fault, primary, deltas) => {
    const failover = await openFailover({ row, primary, routing: {} });
    const { text, error } = await failover.ask(true);
    expect(error).toMatchObject({ code: 502 });
    expect(text.split(' ')).toHaveLength(deltas + 1);
    expect(failover.counts()).toEqual([1, 0]);
  });
});

describe.each(ROWS)('a stream that goes on, %s', (row) => {
  const routing = { continueBrokenStreams: true, continueWithOtherModels: true };
  const open = (fallback: Fault, more: AccountOptions['routing'] = routing): Promise<Failover> =>
    openFailover({ row, primary: FAULTS.cutAfter40, fallback, prefill: 'continues', routing: more });

  test('S08: continues at the fallback', async () => {
    const failover = await open(continuesText);
    expect(await failover.ask(true)).toMatchObject(BY_PRIMARY);
    expect(await attemptsOf(failover)).toMatchObject([{ provider_name: 'Up0' }, { provider_name: 'Up1', status: 200 }]);
  });

  test('another model continues it only where that is allowed', async () => {
    const failover = await open(continuesText, { continueBrokenStreams: true });
    const { error } = await failover.ask(true);
    expect([error === undefined, failover.counts()[1]]).toEqual(row === 'models' ? [false, 0] : [true, 1]);
    const provider = { continue_with_other_models: true };
    expect((await failover.ask(true, { provider })).text).toBe(WHOLE_TEXT);
  });

  test('S14: an endpoint that refused to continue is not asked to again', async () => {
    const failover = await open(refusesPrefill);
    for (const asked of [1, 1]) {
      expect((await failover.ask(true)).error).toMatchObject({ code: 502 });
      expect(failover.fallback.requests).toHaveLength(asked);
    }
  });
});

test.each(chunkings([]).map(([name], at) => [name, at] as const))(
  'a held stream that is cut off comes whole and once, upstream %s',
  async (_chunking, at) => {
    const primary = cutOffIn((events) => chunkings(events)[at]?.[1] ?? []);
    const failover = await openFailover({ row: 'two providers', primary });
    expect(await failover.ask(true)).toMatchObject(BY_FALLBACK);
  },
);

test('a held stream sends comments until it is whole', async () => {
  let finish = (): void => undefined;
  const failover = await openFailover({
    row: 'two providers',
    primary: (request) => {
      FAULTS.silentAfter20(request);
      finish = () => request.socket.resetAndDestroy();
    },
    routing: {},
  });
  const ask = failover.gateway.ask({ stream: true, provider: { order: ['up0', 'up1'], hold_stream: true } });
  await passAtPrimary(failover, 11_000);
  const reader = (await ask).body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toMatch(/^:/);
  finish();
  let text = '';
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) text += next.value;
  expect(text).toContain('w59 ');
  expect(failover.counts()).toEqual([1, 1]);
});

test('a client that leaves while a Retry-After is waited out ends the call', async () => {
  const failover = await openFailover({ row: 'two providers', primary: FAULTS.rateLimitedInVain });
  const waits = watchTimers(failover.clock, 2000);
  const client = new AbortController();
  const reply = failover.ask(false, {}, { signal: client.signal }).catch(() => 'left');
  await waits();
  client.abort();
  expect(await reply).toBe('left');
  expect((await failover.gateway.record()).record.generation.cancelled).toBe(true);
  await failover.clock.advance(5000);
  expect(failover.counts()).toEqual([1, 0]);
});
