import { deepStrictEqual, strictEqual } from 'node:assert/strict';

import { BENCH_KEY, OWN_ROUTE, toRequestBody } from '../load/bench-request.ts';
import type { Target } from './start-targets.ts';
import { BURST, textOfStream, usageOf, WHOLE_TEXT, WHOLE_TOKENS } from './upstream-script.ts';

/** Fields of a chunk or a whole response that are checked. */
interface ResponseBody {
  readonly choices?: readonly {
    readonly message?: { readonly content?: string };
    readonly delta?: { readonly content?: string };
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly error?: unknown;
}

/**
 * Checks one whole and one streamed response of a target, and what the gateway has recorded of them. Throws when
 * anything is wrong, because what a wrong response costs is of no interest. Of Portkey only the whole response is
 * checked, as only that is measured: to streams of this provider, 1.15.2 responds with status 500 on Node.js 24.
 */
export async function checkResponses(target: Target): Promise<void> {
  await checkWhole(target);
  if (target.name !== 'Portkey') await checkStream(target);
}

async function checkWhole(target: Target): Promise<void> {
  const response = await ask(target, false);
  const body = (await response.json()) as ResponseBody;
  strictEqual(body.choices?.[0]?.message?.content, WHOLE_TEXT, `text of the whole completion of the ${target.name}`);
  checkUsage(body.usage, WHOLE_TOKENS, target);
  await checkRecord(target, response, WHOLE_TEXT);
}

async function checkStream(target: Target): Promise<void> {
  const response = await ask(target, true);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  strictEqual(lines.at(-1), 'data: [DONE]', `end of the stream of the ${target.name}`);
  const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.slice(6)) as ResponseBody);
  const text = chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join('');
  strictEqual(text, textOfStream(BURST), `text of the stream of the ${target.name}`);
  const reasons = chunks.flatMap(({ choices }) => choices?.[0]?.finish_reason ?? []);
  deepStrictEqual(reasons, ['stop'], `finish reasons of the stream of the ${target.name}`);
  deepStrictEqual(
    chunks.filter(({ error }) => error !== undefined),
    [],
    `errors in the stream of the ${target.name}`,
  );
  const usages = chunks.map(({ usage }) => usage).filter((usage) => usage != null);
  strictEqual(usages.length, 1, `usage chunks of the ${target.name}`);
  checkUsage(usages[0], BURST.chunks, target);
  await checkRecord(target, response, text);
}

async function ask(target: Target, stream: boolean): Promise<Response> {
  const { path, headers } = target.route ?? OWN_ROUTE;
  const response = await fetch(`http://127.0.0.1:${target.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json', ...headers },
    body: toRequestBody(BURST.name, stream),
  });
  strictEqual(response.status, 200, `status of the ${target.name}`);
  return response;
}

function checkUsage(usage: ResponseBody['usage'], completionTokens: number, { name }: Target): void {
  // The gateway adds costs and details to the usage.
  const counts = Object.fromEntries(Object.keys(usageOf(0)).map((key) => [key, usage?.[key]]));
  deepStrictEqual(counts, usageOf(completionTokens), `usage of the ${name}`);
}

/** Checks that the gateway has recorded the call with its text by the end of the response. */
async function checkRecord({ name, port }: Target, response: Response, text: string): Promise<void> {
  if (name !== 'gateway') return;
  const id = response.headers.get('x-generation-id');
  const recorded = await fetch(`http://127.0.0.1:${port}/api/v1/generation/content?id=${id}`, {
    headers: { authorization: `Bearer ${BENCH_KEY}` },
  });
  const { data } = (await recorded.json()) as { data?: { output?: { completion?: unknown } } };
  strictEqual(data?.output?.completion, text, `text that the gateway has recorded of ${id}`);
}
