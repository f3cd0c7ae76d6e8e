import { type ChatCall, createGateway, type Gateway, type ModelDefinition, type Provider } from '@model-gateway/core';
import { createMemoryStore } from '@model-gateway/core/stores/memory-store';
import { createNodePlatform } from '@model-gateway/node';

import { bodyOf } from '../../test/support/gateways/body-of.ts';
import type { Plan } from '../plan.ts';
import { type Figure, formatPercent, toFigure } from '../report/figure.ts';
import type { Stage } from '../targets/start-targets.ts';

const KEY = 'sk-gw-v1-bench';
/** USD per million tokens. */
const PRICES: Readonly<Record<string, number>> = { a: 1, b: 1.5, c: 2, d: 3 };
const CONVERSATIONS = 500;
const TURNS = 6;
/** Time by which the gateway's clock advances with each request, so that an open circuit is probed and closed. */
const BETWEEN_REQUESTS_MS = 100;

interface Way {
  readonly name: string;
  /** Whether the providers read from their caches for less. */
  readonly isCachingCheaper: boolean;
  readonly hasSession: boolean;
  /** Whether one provider fails during a turn in the middle. */
  readonly hasOutage?: boolean;
}

const WAYS: readonly Way[] = [
  { name: 'nothing', isCachingCheaper: false, hasSession: false },
  { name: 'the opening of the conversation', isCachingCheaper: true, hasSession: false },
  { name: 'session_id', isCachingCheaper: true, hasSession: true },
  {
    name: 'session_id, one of four providers out for a turn',
    isCachingCheaper: true,
    hasSession: true,
    hasOutage: true,
  },
];

/**
 * Measures how often a turn of a conversation finds the turn before it in its provider's cache: many conversations by
 * turns, over four simulated providers that each remember the conversations they have seen. Load is balanced all the
 * time, so the cheapest provider's share is reported, too.
 */
export async function measureCacheHits(_stage: Stage, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const way of WAYS) {
    const { hitShare, cheapestShare } = await converse(way);
    plan.progress(
      `${way.name}: ${formatPercent(hitShare)} cache hits, ${formatPercent(cheapestShare)} to the cheapest`,
    );
    const gateway = `${formatPercent(cheapestShare)} of the load to the cheapest, ${formatPercent(shareOfCheapest())} by price`;
    figures.push(toFigure(`Cache hits, by ${way.name}`, { gateway, value: hitShare, format: formatPercent }));
  }
  return figures;
}

/** The cheapest provider's share when each is weighted by one over the square of its price. */
function shareOfCheapest(): number {
  const weights = Object.values(PRICES).map((price) => 1 / price ** 2);
  return Math.max(...weights) / weights.reduce((sum, weight) => sum + weight, 0);
}

async function converse(way: Way): Promise<{ readonly hitShare: number; readonly cheapestShare: number }> {
  const seen = new Map(Object.keys(PRICES).map((slug) => [slug, new Set<string>()]));
  let hits = 0;
  let calls = 0;
  let callsToCheapest = 0;
  let isOut = false;
  let clockMs = 0;
  const note = (slug: string, { request }: ChatCall): void => {
    if (isOut && slug === 'a') throw new Error('out of order');
    const cache = seen.get(slug) as Set<string>;
    const conversation = request.user ?? '';
    calls += 1;
    if (cache.has(conversation)) hits += 1;
    if (slug === 'a') callsToCheapest += 1;
    cache.add(conversation);
  };
  const gateway = createGateway({
    providers: Object.keys(PRICES).map((slug) => createCachingProvider(slug, (call) => note(slug, call))),
    models: [toModel(way.isCachingCheaper)],
    store: createMemoryStore(),
    platform: { ...createNodePlatform(), monotonicNow: () => clockMs },
    bootstrapKeys: [{ key: KEY, kind: 'api', name: 'bench' }],
  });
  for (let turn = 0; turn < TURNS; turn += 1) {
    isOut = way.hasOutage === true && turn === TURNS / 2;
    for (let number = 0; number < CONVERSATIONS; number += 1) {
      clockMs += BETWEEN_REQUESTS_MS;
      await ask(gateway, number, turn, way.hasSession);
    }
  }
  await gateway.close();
  // The first turn of a conversation cannot be a hit.
  return { hitShare: hits / (CONVERSATIONS * (TURNS - 1)), cheapestShare: callsToCheapest / calls };
}

function createCachingProvider(slug: string, note: (call: ChatCall) => void): Provider {
  return {
    slug,
    name: slug,
    dataPolicy: { training: null, retainsPrompts: null },
    async *chat(call) {
      note(call);
      yield [
        { choices: [{ index: 0, delta: { content: 'Yes' }, finish_reason: 'stop', native_finish_reason: 'stop' }] },
      ];
    },
  };
}

function toModel(isCachingCheaper: boolean): ModelDefinition {
  const endpoints = Object.entries(PRICES).map(([provider, usd]) => {
    const price = (usd / 1e6).toFixed(9);
    const cached = isCachingCheaper ? { input_cache_read: (usd / 1e7).toFixed(9) } : {};
    return { provider, providerModel: 'm', pricing: { prompt: price, completion: price, ...cached } };
  });
  return { id: 'bench/chat', endpoints };
}

async function ask(gateway: Gateway, number: number, turn: number, hasSession: boolean): Promise<void> {
  const earlier = Array.from({ length: turn }, (_, index) => [
    { role: 'assistant', content: 'Yes' },
    { role: 'user', content: `And ${index}?` },
  ]).flat();
  const response = await gateway.handle({
    method: 'POST',
    path: '/api/v1/chat/completions',
    query: '',
    headers: { authorization: `Bearer ${KEY}` },
    json: {
      model: 'bench/chat',
      user: `conversation ${number}`,
      messages: [{ role: 'user', content: `Question ${number}?` }, ...earlier],
      ...(hasSession && { session_id: `session ${number}` }),
    },
    ...bodyOf(),
    signal: new AbortController().signal,
    baseUrl: 'http://127.0.0.1',
  });
  if (response.status !== 200)
    throw new Error(`A turn was answered ${response.status}: ${JSON.stringify(response.body)}`);
}
