import { deepStrictEqual, strictEqual } from 'node:assert/strict';

import { BENCH_KEY, type Route } from '../load/bench-request.ts';
import type { Plan } from '../plan.ts';
import { EMBEDDINGS_CPU } from '../report/budgets.ts';
import { type Figure, formatMicroseconds } from '../report/figure.ts';
import { type Stage, startGatewayTarget, startProxyTarget, type Target } from '../targets/start-targets.ts';
import {
  NUMBERS,
  TEXTS,
  TEXT_TOKENS,
  toVectors,
  type VectorFormat,
  VECTORS_MODEL,
} from '../targets/upstream-vectors.ts';
import { type Job, runPairs, toRatio } from './compare-load.ts';

const FORMATS: readonly VectorFormat[] = ['base64', 'float'];
const CONNECTIONS = 8;

const toRoute = (format: VectorFormat): Route & { readonly body: string } => ({
  path: '/api/v1/embeddings',
  form: 'chat',
  headers: {},
  body: JSON.stringify({
    model: VECTORS_MODEL,
    input: Array.from({ length: TEXTS }, (_, index) => `A proxy stands between two others, ${index}.`),
    encoding_format: format,
  }),
});

/**
 * Compares what a call for many vectors costs the gateway and the bare proxy, by turns and under full load, in both ways
 * in which their numbers are written. Every vector is compared with what the upstream sent, before and after.
 */
export async function measureEmbeddings(stage: Stage, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const format of FORMATS) figures.push(await compare(stage, plan, format));
  return figures;
}

async function compare(stage: Stage, plan: Plan, format: VectorFormat): Promise<Figure> {
  const route = toRoute(format);
  const [gateway, proxy] = await Promise.all([startGatewayTarget(stage), startProxyTarget(stage)]);
  const targets = { gateway: { ...gateway, route }, proxy: { ...proxy, route } };
  const check = (): Promise<unknown> =>
    Promise.all(Object.values(targets).map((target) => checkVectors(target, format)));
  const job: Job = {
    script: format,
    stream: false,
    connections: CONNECTIONS,
    rampMs: 0,
    minBytes: JSON.stringify(toVectors(format).data).length,
  };
  try {
    await check();
    const pairs = await runPairs(stage, plan, { targets, job });
    await check();
    return toRatio(
      pairs,
      `embeddings as ${format}, ${TEXTS} × ${NUMBERS} numbers, ${CONNECTIONS} connections: CPU a request`,
      { format: formatMicroseconds, field: 'cpuUs', budget: EMBEDDINGS_CPU },
    );
  } finally {
    await Promise.all([gateway.stop(), proxy.stop()]);
  }
}

async function checkVectors({ port, route, name }: Target, format: VectorFormat): Promise<void> {
  const { path, body = '' } = route ?? toRoute(format);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json' },
    body,
  });
  strictEqual(response.status, 200, `status of the ${name}`);
  const { data, usage } = (await response.json()) as { data: unknown; usage: { prompt_tokens: unknown } };
  deepStrictEqual(data, toVectors(format).data, `vectors of the ${name}`);
  strictEqual(usage.prompt_tokens, TEXT_TOKENS, `tokens of the ${name}`);
}
