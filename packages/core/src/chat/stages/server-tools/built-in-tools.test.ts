import { expect, test } from 'vitest';

import { createVirtualPlatform } from '../../../../../../test/support/async/virtual-platform.ts';
import { createReplayTransport } from '../../../../../../test/support/upstreams/scripted-transport.ts';
import type { CatalogModel } from '../../../catalog/catalog.ts';
import { GatewayError } from '../../../foundation/errors.ts';
import { createSearchEngine, type SearchEngineName } from '../../web/search-engines.ts';
import type { SearchEngine, SearchQuery } from '../../web/web-access.ts';
import { createWebFetchTool, createWebSearchTool, datetimeTool, searchModelsTool } from './built-in-tools.ts';
import type { OpenTool, ServerTool } from './server-tool.ts';

const { signal } = new AbortController();
const models: CatalogModel[] = ['acme/chat', 'acme/coder', 'other/chat'].map((id) => ({
  id,
  definition: { id, description: `Good at ${id.includes('coder') ? 'programs' : 'talk'}`, endpoints: [] },
  endpoints: [],
}));
const open = (tool: ServerTool, parameters: Record<string, unknown> = {}): OpenTool =>
  tool.open(parameters, { platform: createVirtualPlatform(), models: () => models });
const ask = async (tool: OpenTool, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> =>
  JSON.parse((await tool.run(input, signal)).content) as Record<string, unknown>;

test.each([
  [{}, {}, '+00:00', 'UTC'],
  [{ timezone: 'Asia/Kolkata' }, {}, '+05:30', 'Asia/Kolkata'],
  [{ timezone: 'Asia/Kolkata' }, { timezone: 'America/St_Johns' }, '-03:30', 'America/St_Johns'],
])('returns the time with the parameters %j and the input %j', async (parameters, input, offset, timezone) => {
  const told = await ask(open(datetimeTool, parameters), input);
  expect(told).toMatchObject({ timezone });
  const text = String(told['datetime']);
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
  expect(text.slice(-6)).toBe(offset);
  expect(Date.parse(text)).toBe(createVirtualPlatform().now());
});

test('reports an invalid time zone to the model', async () => {
  await expect(ask(open(datetimeTool), { timezone: 'Mars/Base' })).rejects.toThrow(
    '"Mars/Base" is not an IANA time zone',
  );
  expect(() => open(datetimeTool, { timezone: 'Mars/Base' })).toThrow('IANA');
});

test('finds models by words, best match first, up to the requested number', async () => {
  const idsOf = async (tool: OpenTool, input: Record<string, unknown>) =>
    ((await ask(tool, input))['models'] as { id: string }[]).map(({ id }) => id);
  const tool = open(searchModelsTool, { max_results: 2 });
  expect(await idsOf(tool, { query: 'Acme chat' })).toEqual(['acme/chat', 'acme/coder']);
  expect(await idsOf(tool, { query: 'programs' })).toEqual(['acme/coder']);
  expect(await idsOf(tool, { query: 'talk', max_results: 1 })).toEqual(['acme/chat']);
  expect(await idsOf(tool, { query: 'nothing' })).toEqual([]);
});

const found = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    url: `https://site-${index}.example/page`,
    title: `Page ${index}`,
    snippet: 'x'.repeat(5000),
  }));
const engineOf = (results = found(9)): { engine: SearchEngine; queries: SearchQuery[] } => {
  const queries: SearchQuery[] = [];
  const search = (query: SearchQuery) =>
    Promise.resolve(results.slice(0, query.maxResults)).finally(() => queries.push(query));
  return { engine: { name: 'test', search }, queries };
};

test('searches the web within the limits of its parameters, and names its sources', async () => {
  const { engine, queries } = engineOf();
  const tool = open(createWebSearchTool({ searchEngine: engine }), {
    max_results: 3,
    max_total_results: 5,
    max_characters: 10,
    user_location: { type: 'approximate', country: 'NO' },
  });
  const first = await tool.run({ query: ' trees ' }, signal);
  expect(queries[0]).toMatchObject({ query: 'trees', maxResults: 3, country: 'NO' });
  expect((JSON.parse(first.content) as { results: unknown[] }).results).toHaveLength(3);
  expect(first.annotations?.[0]).toEqual({
    type: 'url_citation',
    url_citation: {
      url: 'https://site-0.example/page',
      title: 'Page 0',
      content: 'x'.repeat(10),
      start_index: 0,
      end_index: 0,
    },
  });
  await tool.run({ query: 'trees' }, signal);
  expect(queries[1]).toMatchObject({ maxResults: 2 });
  await expect(ask(tool, { query: 'trees' })).rejects.toThrow('no more results');
});

test('uses only allowed sites, whatever the engine returns, and respects max_uses', async () => {
  const { engine } = engineOf();
  const tool = open(createWebSearchTool({ searchEngine: engine }), {
    allowed_domains: ['*.example'],
    excluded_domains: ['site-1.example'],
    max_uses: 1,
  });
  const { results } = (await ask(tool, { query: 'q' })) as { results: { url: string }[] };
  expect(results.map(({ url }) => new URL(url).host)).not.toContain('site-1.example');
  expect(results).toHaveLength(4);
  await expect(ask(tool, { query: 'q' })).rejects.toThrow('no more searches');
});

test('reports to the model that no search engine is configured', async () => {
  await expect(ask(open(createWebSearchTool({})), { query: 'q' })).rejects.toThrow('no search engine is set up');
});

const RESULT = { url: 'https://a.example/', title: 'A', content: 'text', description: 'text', text: 'text' };
test.each<[SearchEngineName, object, string, Record<string, string>, object | null]>([
  ['searxng', { results: [RESULT] }, 'https://e.example/search?q=trees+site%3Ab.example&format=json', {}, null],
  [
    'brave',
    { web: { results: [RESULT] } },
    'https://e.example/res/v1/web/search?q=trees+site%3Ab.example&count=5',
    { 'x-subscription-token': 'k' },
    null,
  ],
  [
    'tavily',
    { results: [RESULT] },
    'https://e.example/search',
    { authorization: 'Bearer k' },
    { query: 'trees', max_results: 5, include_domains: ['b.example'] },
  ],
  [
    'exa',
    { results: [RESULT] },
    'https://e.example/search',
    { 'x-api-key': 'k' },
    { query: 'trees', numResults: 5, includeDomains: ['b.example'] },
  ],
])('calls %s in its own format', async (name, completion, url, headers, body) => {
  const transport = createReplayTransport({ headers: {}, pieces: [JSON.stringify(completion)] });
  const engine = createSearchEngine(name, { transport, baseUrl: 'https://e.example/', apiKey: 'k' });
  const query = { query: 'trees', maxResults: 5, allowedDomains: ['b.example'], excludedDomains: [], signal };
  expect(await engine.search(query)).toEqual([{ url: 'https://a.example/', title: 'A', snippet: 'text' }]);
  const { request } = transport.latest();
  expect(request.url).toBe(url);
  expect(request.headers).toMatchObject(headers);
  if (body === null) expect(request.method).toBe('GET');
  else expect(transport.latest().sent).toMatchObject(body);
});

test('says of an engine that refuses no more than its status', async () => {
  const transport = createReplayTransport({ status: 401, pieces: ['the key k is wrong'] });
  const engine = createSearchEngine('tavily', { transport, apiKey: 'k' });
  const query = { query: 'q', maxResults: 1, allowedDomains: [], excludedDomains: [], signal };
  await expect(engine.search(query)).rejects.toThrow('the search engine tavily returned status 401');
});

const page = (body: string | Uint8Array, type = 'text/html; charset=utf-8') => ({
  headers: { 'content-type': type },
  pieces: [body],
});
const readHtml = (html: string) => Promise.resolve({ title: 'T', text: html.replace(/<[^>]*>/g, '') });

test('fetches a page and returns its text', async () => {
  const tool = open(createWebFetchTool({ transport: createReplayTransport(page('<p>Hej</p>')), readHtml }));
  expect(await ask(tool, { url: 'https://a.example/x' })).toEqual({
    url: 'https://a.example/x',
    title: 'T',
    content: 'Hej',
    status: 'completed',
    retrieved_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
});

test('reads other letters than those of UTF-8 where the page says so', async () => {
  const latin = Uint8Array.of(0x47, 0x72, 0xfc, 0xdf, 0x65);
  const tool = open(
    createWebFetchTool({ transport: createReplayTransport(page(latin, 'text/plain; charset=latin1')) }),
  );
  expect(await ask(tool, { url: 'https://a.example/' })).toMatchObject({ content: 'Grüße' });
});

test('follows redirects one by one, and none to a site that is not allowed', async () => {
  const redirect = { status: 302, headers: { location: '/there' }, pieces: [] };
  const away = { status: 302, headers: { location: 'https://evil.example/' }, pieces: [] };
  const transport = createReplayTransport(redirect, away);
  const tool = open(createWebFetchTool({ transport, readHtml }), { allowed_domains: ['a.example'] });
  await expect(ask(tool, { url: 'https://a.example/here' })).rejects.toThrow('may not be fetched');
  expect(transport.exchanges.map(({ request }) => request.url)).toEqual([
    'https://a.example/here',
    'https://a.example/there',
  ]);
  const round = open(createWebFetchTool({ transport: createReplayTransport(redirect), readHtml }));
  await expect(ask(round, { url: 'https://a.example/' })).rejects.toThrow('redirects too often');
});

test('keeps to max_uses and max_content_tokens', async () => {
  const transport = createReplayTransport(page('x'.repeat(1000), 'text/plain'));
  const tool = open(createWebFetchTool({ transport }), { max_uses: 1, max_content_tokens: 10 });
  expect(String((await ask(tool, { url: 'https://a.example/' }))['content'])).toHaveLength(40);
  await expect(ask(tool, { url: 'https://a.example/' })).rejects.toThrow('no more pages');
});

test('fetches no more than 50 pages for one request', async () => {
  const tool = open(createWebFetchTool({ transport: createReplayTransport(page('x', 'text/plain')) }));
  for (let count = 0; count < 50; count += 1) await ask(tool, { url: 'https://a.example/' });
  await expect(ask(tool, { url: 'https://a.example/' })).rejects.toThrow('no more pages');
});

test.each<[string, object, string, string]>([
  ['no address', {}, 'file:///etc/passwd', 'begins with https://'],
  ['a picture', page('x', 'image/png'), 'https://a.example/', 'which is not text'],
  ['an unreadable PDF', page('x', 'application/pdf'), 'https://a.example/', 'PDF, which cannot be read'],
  ['an error', { status: 404, pieces: [] }, 'https://a.example/', 'returned status 404'],
])('reports the reason of a failure to the model: %s', async (_, completion, url, reason) => {
  const transport = createReplayTransport(completion as { pieces: string[] });
  await expect(ask(open(createWebFetchTool({ transport })), { url })).rejects.toThrow(reason);
});

test('reports to the model what has to be installed before pages can be read', async () => {
  const missing = (): Promise<never> => Promise.reject(new GatewayError('invalid_request', 'npm install reader'));
  for (const type of ['text/html', 'application/pdf']) {
    const transport = createReplayTransport(page('<p>x', type));
    const tool = open(createWebFetchTool({ transport, readHtml: missing, readPdf: missing }));
    await expect(ask(tool, { url: 'https://a.example/' })).rejects.toThrow(/^npm install reader$/);
  }
});

test('reports to the model that pages cannot be fetched without a transport', async () => {
  await expect(ask(open(createWebFetchTool({})), { url: 'https://a.example/' })).rejects.toThrow('not set up');
});
