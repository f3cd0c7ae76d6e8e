import { readText, type Transport } from '../../foundation/transport.ts';
import { ToolFailure } from '../stages/server-tools/server-tool.ts';
import type { SearchEngine, SearchResult } from './web-access.ts';

interface EngineSettings {
  readonly transport: Transport;
  /** Default: the engine's public address. */
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}

interface EngineCall {
  readonly transport: Transport;
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; without it the request is a GET. */
  readonly body?: object | undefined;
  readonly signal: AbortSignal;
}

const TIMEOUT_MS = 15_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Reads JSON from an engine. Throws `ToolFailure` when it refuses; its message may contain its key and is not passed
 * on.
 */
async function askEngine({ transport, name, url, headers, body, signal }: EngineCall): Promise<unknown> {
  const response = await transport.send({
    method: body === undefined ? 'GET' : 'POST',
    url,
    headers: { accept: 'application/json', ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal,
    headersTimeoutMs: TIMEOUT_MS,
    idleTimeoutMs: TIMEOUT_MS,
    totalTimeoutMs: TIMEOUT_MS,
  });
  const text = await readText(response.body, MAX_RESPONSE_BYTES);
  if (response.status !== 200) throw new ToolFailure(`the search engine ${name} returned status ${response.status}`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ToolFailure(`the search engine ${name} returned something that is not JSON`);
  }
}

/** Reads a list of results, ignoring their other fields; a result without an address is left out. */
function readResults(list: unknown, snippetField: string): readonly SearchResult[] {
  if (!Array.isArray(list)) return [];
  return (list as readonly unknown[]).flatMap((item) => {
    if (typeof item !== 'object' || item === null) return [];
    const { url, title, [snippetField]: snippet } = item as Readonly<Record<string, unknown>>;
    if (typeof url !== 'string' || URL.parse(url) === null) return [];
    return [
      {
        url,
        title: typeof title === 'string' && title !== '' ? title : url,
        snippet: typeof snippet === 'string' ? snippet : '',
      },
    ];
  });
}

/** A member of an untrusted object. */
function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

const BRAVE_URL = 'https://api.search.brave.com';
const MAX_COUNT = 20;

/** The Brave Search API. */
function createBraveEngine({ transport, baseUrl = BRAVE_URL, apiKey = '' }: EngineSettings): SearchEngine {
  const name = 'brave';
  return {
    name,
    async search({ query, maxResults, allowedDomains, excludedDomains, country, signal }) {
      const sites = allowedDomains.map((domain) => `site:${domain.replace(/^\*\./, '')}`).join(' OR ');
      const without = excludedDomains.map((domain) => `-site:${domain.replace(/^\*\./, '')}`).join(' ');
      const parameters = new URLSearchParams({
        q: [query, sites, without].filter((part) => part !== '').join(' '),
        count: String(Math.min(maxResults, MAX_COUNT)),
        ...(country !== undefined && { country }),
      });
      const response = await askEngine({
        transport,
        name,
        url: `${baseUrl.replace(/\/+$/, '')}/res/v1/web/search?${parameters.toString()}`,
        headers: { 'x-subscription-token': apiKey },
        signal,
      });
      return readResults(memberOf(memberOf(response, 'web'), 'results'), 'description');
    },
  };
}

const EXA_URL = 'https://api.exa.ai';
const MAX_TEXT_CHARACTERS = 2000;

/** The Exa search API. */
function createExaEngine({ transport, baseUrl = EXA_URL, apiKey = '' }: EngineSettings): SearchEngine {
  const name = 'exa';
  return {
    name,
    async search({ query, maxResults, allowedDomains, excludedDomains, country, signal }) {
      const response = await askEngine({
        transport,
        name,
        url: `${baseUrl.replace(/\/+$/, '')}/search`,
        headers: { 'x-api-key': apiKey },
        body: {
          query,
          numResults: maxResults,
          contents: { text: { maxCharacters: MAX_TEXT_CHARACTERS } },
          ...(allowedDomains.length > 0 && { includeDomains: allowedDomains }),
          ...(excludedDomains.length > 0 && { excludeDomains: excludedDomains }),
          ...(country !== undefined && { userLocation: country }),
        },
        signal,
      });
      return readResults(memberOf(response, 'results'), 'text');
    },
  };
}

const TAVILY_URL = 'https://api.tavily.com';
const MAX_TAVILY_RESULTS = 20;

/** The Tavily search API. */
function createTavilyEngine({ transport, baseUrl = TAVILY_URL, apiKey = '' }: EngineSettings): SearchEngine {
  const name = 'tavily';
  return {
    name,
    async search({ query, maxResults, allowedDomains, excludedDomains, signal }) {
      const response = await askEngine({
        transport,
        name,
        url: `${baseUrl.replace(/\/+$/, '')}/search`,
        headers: { authorization: `Bearer ${apiKey}` },
        body: {
          query,
          max_results: Math.min(maxResults, MAX_TAVILY_RESULTS),
          ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
          ...(excludedDomains.length > 0 && { exclude_domains: excludedDomains }),
        },
        signal,
      });
      return readResults(memberOf(response, 'results'), 'content');
    },
  };
}

const ENGINES = {
  searxng: createSearxngEngine,
  brave: createBraveEngine,
  tavily: createTavilyEngine,
  exa: createExaEngine,
} as const satisfies Readonly<Record<string, (settings: EngineSettings) => SearchEngine>>;

export type SearchEngineName = keyof typeof ENGINES;

/** Creates a client of one of the search engines that are known by name. */
export function createSearchEngine(name: SearchEngineName, settings: EngineSettings): SearchEngine {
  return ENGINES[name](settings);
}

/** A SearXNG instance, which must offer the format `json`. */
function createSearxngEngine({ transport, baseUrl = '', apiKey }: EngineSettings): SearchEngine {
  const name = 'searxng';
  return {
    name,
    async search({ query, maxResults, allowedDomains, signal }) {
      const sites = allowedDomains.map((domain) => `site:${domain.replace(/^\*\./, '')}`).join(' OR ');
      const parameters = new URLSearchParams({ q: sites === '' ? query : `${query} ${sites}`, format: 'json' });
      const response = await askEngine({
        transport,
        name,
        url: `${baseUrl.replace(/\/+$/, '')}/search?${parameters.toString()}`,
        headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
        signal,
      });
      return readResults(memberOf(response, 'results'), 'content').slice(0, maxResults);
    },
  };
}
