import { deepStrictEqual, strictEqual } from 'node:assert/strict';

import { BENCH_KEY, type Form, pathOf, ROUTES, toRequestBody } from '../load/bench-request.ts';
import { readStream, type ReadResponse, readWhole, STOP_REASONS } from './read-response.ts';
import type { Target } from './start-targets.ts';
import { BURST, PROMPT_TOKENS, textOfStream, WHOLE_TEXT, WHOLE_TOKENS } from './upstream-script.ts';

/**
 * Checks one whole and one streamed response of a target, and what the gateway has recorded of them. Throws when
 * anything is wrong, because what a wrong response costs is of no interest. Of Portkey only the whole response is
 * checked, as only that is measured: to streams of this provider, 1.15.2 responds with status 500 on Node.js 24. Streams
 * of claude-code-router's server may lack their usage: 1.0.53 drops what it reads together with the finish reason. What
 * several processes have recorded is not read, as it is a moment until each knows of it.
 */
export async function checkResponses(target: Target): Promise<void> {
  await checkWhole(target);
  if (target.name !== 'Portkey') await checkStream(target);
}

async function checkWhole(target: Target): Promise<void> {
  const response = await ask(target, false);
  const read = readWhole(formOf(target), await response.json());
  check(read, { text: WHOLE_TEXT, tokens: WHOLE_TOKENS, what: `the whole response of the ${target.name}` }, target);
  await checkRecord(target, response, read.text);
}

async function checkStream(target: Target): Promise<void> {
  const response = await ask(target, true);
  const read = readStream(formOf(target), await response.text());
  const tokens = target.name === 'llms' ? null : BURST.chunks;
  check(read, { text: textOfStream(BURST), tokens, what: `the stream of the ${target.name}` }, target);
  await checkRecord(target, response, read.text);
}

const formOf = ({ route = ROUTES.chat }: Target): Form => route.form;

interface Expected {
  readonly text: string;
  /** Of the completion; null where the usage may be missing. */
  readonly tokens: number | null;
  readonly what: string;
}

function check({ text, reasons, usages, errors }: ReadResponse, expected: Expected, target: Target): void {
  const { what } = expected;
  deepStrictEqual(errors, [], `errors in ${what}`);
  strictEqual(text, expected.text, `text of ${what}`);
  deepStrictEqual(reasons, [STOP_REASONS[formOf(target)]], `reasons for the end of ${what}`);
  if (expected.tokens === null) return;
  deepStrictEqual(usages, [{ input: PROMPT_TOKENS, output: expected.tokens }], `usage of ${what}`);
}

async function ask(target: Target, stream: boolean): Promise<Response> {
  const route = target.route ?? ROUTES.chat;
  const response = await fetch(`http://127.0.0.1:${target.port}${pathOf(route, BURST.name, stream)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BENCH_KEY}`, 'content-type': 'application/json', ...route.headers },
    body: toRequestBody(BURST.name, stream, route),
  });
  strictEqual(response.status, 200, `status of the ${target.name}`);
  return response;
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
