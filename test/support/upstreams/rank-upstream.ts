import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

/** The score of a document, by its place in the request: neither the first nor the last is the best. */
const scoreOf = (index: number): number => [0.2, 0.9, 0.1][index] ?? 0;

interface Ranked {
  readonly index: number;
  readonly relevance_score: number;
}

interface RankForm {
  /** Where it is called. */
  readonly path: string;
  /** The address that is configured. */
  readonly base: string;
  readonly limitField: 'top_n' | 'top_k';
  /** What a field that it does not know, or a document that is no text, is refused with. */
  readonly toError: (message: string) => object;
  readonly toBody: (ranked: readonly Ranked[], documents: readonly string[]) => object;
}

const withText = (ranked: readonly Ranked[], documents: readonly string[]): object[] =>
  ranked.map((one) => ({ ...one, document: { text: documents[one.index] } }));

/** Rankings as their providers have them, each strict about what it takes. */
export const RANK_FORMS = {
  cohere: {
    path: '/v2/rerank',
    base: '/compatibility/v1',
    limitField: 'top_n',
    toError: (message) => ({ id: 'c-2', message }),
    toBody: (results) => ({
      id: 'c-1',
      results,
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    }),
  },
  voyage: {
    path: '/v1/rerank',
    base: '/v1',
    limitField: 'top_k',
    toError: (detail) => ({ detail }),
    toBody: (data) => ({ object: 'list', data, model: 'ranker', usage: { total_tokens: 26 } }),
  },
  jina: {
    path: '/v1/rerank',
    base: '/v1',
    limitField: 'top_n',
    toError: (detail) => ({ detail }),
    toBody: (ranked, documents) => ({
      model: 'ranker',
      object: 'list',
      usage: { total_tokens: 26 },
      results: withText(ranked, documents),
    }),
  },
  vllm: {
    path: '/v1/rerank',
    base: '/v1',
    limitField: 'top_n',
    toError: (message) => ({ error: { message, type: 'BadRequestError', param: null, code: 400 } }),
    toBody: (ranked, documents) => ({
      id: 'rerank-1',
      model: 'ranker',
      usage: { prompt_tokens: 26, total_tokens: 26 },
      results: withText(ranked, documents),
    }),
  },
} as const satisfies Record<string, RankForm>;

export type RankFormName = keyof typeof RANK_FORMS;

/** Starts a server of one of the forms. Returns the address that a provider of it is configured with. */
export async function startRankUpstream(name: RankFormName): Promise<string> {
  const form: RankForm = RANK_FORMS[name];
  const reply = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as { documents: string[] } & Record<string, unknown>;
    const known = new Set(['model', 'query', 'documents', form.limitField]);
    const unknown = Object.keys(body).filter((field) => !known.has(field));
    const problem =
      request.url !== form.path
        ? `unknown address ${request.url}`
        : unknown.length > 0
          ? `unknown fields: ${unknown.join(', ')}`
          : body.documents.every((document) => typeof document === 'string')
            ? null
            : 'documents must be texts';
    const limit = Number(body[form.limitField] ?? body.documents.length);
    const ranked = body.documents
      .map((_, index) => ({ index, relevance_score: scoreOf(index) }))
      .toSorted((a, b) => b.relevance_score - a.relevance_score)
      .slice(0, limit);
    response.statusCode = problem === null ? 200 : 400;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(problem === null ? form.toBody(ranked, body.documents) : form.toError(problem)));
  };
  const server = createServer((request, response) => void reply(request, response));
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${form.base}`;
}
