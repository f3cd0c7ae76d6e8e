import { z } from 'zod';

import type { CatalogModel } from '../../../catalog/catalog.ts';
import { GatewayError } from '../../../foundation/errors.ts';
import {
  clipText,
  fetchAddress,
  type FetchedAddress,
  isDomainAllowed,
  type ReadablePage,
  type SearchResult,
  toUrlCitation,
  type WebAccess,
} from '../../web/web-access.ts';
import { type ServerTool, ToolFailure } from './server-tool.ts';

const MAX_FETCHES = 50;
const MAX_BYTES = 5 * 1024 * 1024;
const MAX_CHARACTERS = 100_000;
const CHARACTERS_A_TOKEN = 4;

const sites = z.array(z.string().max(300)).max(100).nullish();
const webFetchOptionsSchema = z.object({
  engine: z.string().nullish(),
  max_uses: z.int().min(1).nullish(),
  max_content_tokens: z.int().min(1).nullish(),
  allowed_domains: sites,
  blocked_domains: sites,
});

/** Reads pages of the public web (wire.md 10.2). */
export function createWebFetchTool({ transport, readHtml, readPdf }: WebAccess): ServerTool {
  return {
    name: 'web_fetch',
    description: 'Fetches one address of the public web and returns its text.',
    inputSchema: {
      type: 'object',
      properties: { url: { type: 'string', description: 'The whole address, with https://' } },
      required: ['url'],
      additionalProperties: false,
    },
    open(parameters, { platform }) {
      const options = webFetchOptionsSchema.parse(parameters);
      const rules = { allowed: options.allowed_domains, excluded: options.blocked_domains };
      const maxCharacters = Math.min(
        (options.max_content_tokens ?? MAX_CHARACTERS) * CHARACTERS_A_TOKEN,
        MAX_CHARACTERS,
      );
      let uses = 0;
      const check = (address: string): void => {
        if (!isDomainAllowed(address, rules)) throw new ToolFailure('this address may not be fetched in this request');
      };
      return {
        async run({ url }, signal) {
          if (transport === undefined) throw new ToolFailure('fetching pages is not set up on this gateway');
          if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) {
            throw new ToolFailure('url: must be an address that begins with https:// or http://');
          }
          uses += 1;
          if (uses > Math.min(options.max_uses ?? MAX_FETCHES, MAX_FETCHES)) {
            throw new ToolFailure('no more pages can be fetched in this request');
          }
          const fetched = await fetchAddress(url, { transport, signal, maxBytes: MAX_BYTES, check });
          const { title, text } = await toPage(fetched, { readHtml, readPdf });
          return {
            content: JSON.stringify({
              url: fetched.url,
              title,
              content: clipText(text, maxCharacters),
              status: 'completed',
              retrieved_at: new Date(platform.now()).toISOString(),
            }),
          };
        },
      };
    },
  };
}

async function toPage(
  { url, contentType, bytes }: FetchedAddress,
  { readHtml, readPdf }: Pick<WebAccess, 'readHtml' | 'readPdf'>,
): Promise<ReadablePage> {
  if (contentType.startsWith('application/pdf')) {
    if (readPdf === undefined) throw new ToolFailure('the address returned a PDF, which cannot be read here');
    const pages = await readPdf(bytes).catch((error: unknown) => {
      throw toFailure(error, 'the address returned a PDF that cannot be read');
    });
    return { title: url, text: pages.join('\n\n') };
  }
  if (!/^(text\/|application\/([\w.-]+\+)?(json|xml)|application\/xhtml|$)/.test(contentType)) {
    throw new ToolFailure(`the address returned ${clipText(contentType, 80)}, which is not text`);
  }
  const text = decode(bytes, contentType);
  if (!/html/.test(contentType)) return { title: url, text };
  if (readHtml === undefined) throw new ToolFailure('HTML pages cannot be read on this gateway');
  return readHtml(text).catch((error: unknown) => {
    throw toFailure(error, 'the page cannot be read');
  });
}

/** A parser's error about a page is not shown; an error of the gateway is, with the reason why it cannot read. */
function toFailure(error: unknown, otherwise: string): ToolFailure {
  return new ToolFailure(error instanceof GatewayError ? error.message : otherwise);
}

/** Decodes by the charset of the response's content type, else by the one in the page's first bytes, else as UTF-8. */
function decode(bytes: Uint8Array, contentType: string): string {
  const opening = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  const said = /charset=["']?([\w-]+)/.exec(contentType)?.[1] ?? /<meta[^>]+charset=["']?([\w-]+)/i.exec(opening)?.[1];
  try {
    return new TextDecoder(said ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 25;
const MAX_TOTAL_RESULTS = 50;
const MAX_QUERY_CHARACTERS = 1000;
/** Characters of one snippet, by how much of the context a search may take. */
const SNIPPETS = { low: 400, medium: 1000, high: 2000 } as const;

const webSearchOptionsSchema = z.object({
  engine: z.string().nullish(),
  max_results: z.int().min(1).max(MAX_RESULTS).nullish(),
  max_uses: z.int().min(1).nullish(),
  max_total_results: z.int().min(1).nullish(),
  search_context_size: z.enum(['low', 'medium', 'high']).nullish(),
  max_characters: z.int().min(1).max(100_000).nullish(),
  allowed_domains: sites,
  excluded_domains: sites,
  /** The names are those of OpenAI's own web search. */
  filters: z.object({ allowed_domains: sites }).nullish(),
  user_location: z.object({ country: z.string().max(100).nullish() }).nullish(),
});

/** Searches the web with the configured engine (wire.md 10.2). */
export function createWebSearchTool({ searchEngine: engine }: WebAccess): ServerTool {
  return {
    name: 'web_search',
    description: 'Searches the web and returns addresses, titles and snippets of pages.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'What to search for' } },
      required: ['query'],
      additionalProperties: false,
    },
    open(parameters) {
      const options = webSearchOptionsSchema.parse(parameters);
      const allowed = options.allowed_domains ?? options.filters?.allowed_domains;
      const rules = { allowed, excluded: options.excluded_domains };
      const country = options.user_location?.country;
      let uses = 0;
      let left = options.max_total_results ?? MAX_TOTAL_RESULTS;
      return {
        async run({ query }, signal) {
          if (engine === undefined) throw new ToolFailure('no search engine is set up on this gateway');
          if (typeof query !== 'string' || query.trim() === '') throw new ToolFailure('query: must be text');
          uses += 1;
          if (options.max_uses != null && uses > options.max_uses) {
            throw new ToolFailure('no more searches can be made in this request');
          }
          if (left <= 0) throw new ToolFailure('no more results are available in this request');
          const maxResults = Math.min(options.max_results ?? DEFAULT_RESULTS, left);
          const found = await engine.search({
            query: clipText(query.trim(), MAX_QUERY_CHARACTERS),
            maxResults,
            allowedDomains: rules.allowed ?? [],
            excludedDomains: rules.excluded ?? [],
            ...(country && { country }),
            signal,
          });
          const results = found.filter(({ url }) => isDomainAllowed(url, rules)).slice(0, maxResults);
          left -= results.length;
          const maxCharacters = options.max_characters ?? SNIPPETS[options.search_context_size ?? 'medium'];
          return { ...toResult(results, maxCharacters), search: { engine: engine.name, results: results.length } };
        },
      };
    },
  };
}

function toResult(found: readonly SearchResult[], maxCharacters: number): { content: string; annotations: object[] } {
  const results = found.map((result) => ({ ...result, snippet: clipText(result.snippet, maxCharacters) }));
  return {
    content: JSON.stringify({ results }),
    annotations: results.map(({ url, title, snippet }) => toUrlCitation({ url, title, content: snippet })),
  };
}

const MAX_MODELS = 20;

const searchModelsOptionsSchema = z.object({ max_results: z.int().min(1).max(MAX_MODELS).nullish() });

/** Finds models of the catalog by words of their id, name and description (wire.md 10.2). */
export const searchModelsTool: ServerTool = {
  name: 'search_models',
  description: 'Searches the AI models that this service offers, by words of their name, author or description.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Words to look for; empty for the newest models' },
      max_results: { type: 'integer', minimum: 1, maximum: MAX_MODELS },
    },
    required: ['query'],
    additionalProperties: false,
  },
  open(parameters, { models }) {
    const limit = searchModelsOptionsSchema.parse(parameters).max_results ?? 5;
    return {
      run({ query, max_results: asked }) {
        const words = (typeof query === 'string' ? query : '')
          .toLowerCase()
          .split(/\s+/)
          .filter((word) => word !== '');
        const found = models()
          .map((model) => ({ model, score: scoreOf(model, words) }))
          .filter(({ score }) => score > 0 || words.length === 0)
          .toSorted((a, b) => b.score - a.score || createdOf(b.model) - createdOf(a.model))
          .slice(0, typeof asked === 'number' && asked >= 1 ? Math.min(Math.floor(asked), MAX_MODELS) : limit);
        return { content: JSON.stringify({ models: found.map(({ model }) => describe(model)) }) };
      },
    };
  },
};

/** Words in the id weigh most: that is what a model is known by. */
function scoreOf({ id, definition }: CatalogModel, words: readonly string[]): number {
  const name = (definition.name ?? '').toLowerCase();
  const description = (definition.description ?? '').toLowerCase();
  let score = 0;
  for (const word of words) {
    if (id.toLowerCase().includes(word)) score += 4;
    if (name.includes(word)) score += 2;
    if (description.includes(word)) score += 1;
  }
  return score;
}

const createdOf = ({ definition }: CatalogModel): number => definition.created ?? 0;

function describe({ id, definition, endpoints }: CatalogModel): object {
  const { prompt, completion } = endpoints[0]?.pricing ?? {};
  return {
    id,
    name: definition.name ?? id,
    ...(definition.description && { description: definition.description.slice(0, 300) }),
    context_length: definition.context_length ?? endpoints[0]?.contextLength ?? null,
    pricing: { prompt: prompt ?? null, completion: completion ?? null },
  };
}

const datetimeOptionsSchema = z.object({ timezone: z.string().max(64).nullish() });

/** Returns the current time (wire.md 10.2). */
export const datetimeTool: ServerTool = {
  name: 'datetime',
  description: 'Returns the current date and time, with the offset of the time zone.',
  inputSchema: {
    type: 'object',
    properties: { timezone: { type: 'string', description: 'IANA name such as Europe/Paris; default as set, or UTC' } },
    additionalProperties: false,
  },
  open(parameters, { platform }) {
    const { timezone } = datetimeOptionsSchema.parse(parameters);
    if (timezone && offsetMinutes(timezone, 0) === null) {
      throw new z.ZodError([
        { code: 'custom', path: ['timezone'], message: 'must be an IANA name, e.g. "Europe/Paris"', input: timezone },
      ]);
    }
    return {
      run({ timezone: asked }) {
        const zone = typeof asked === 'string' && asked !== '' ? asked : (timezone ?? 'UTC');
        const now = platform.now();
        const offset = offsetMinutes(zone, now);
        if (offset === null) throw new ToolFailure(`"${zone.slice(0, 64)}" is not an IANA time zone`);
        return { content: JSON.stringify({ datetime: toIsoText(now, offset), timezone: zone }) };
      },
    };
  },
};

/** How far a zone is ahead of UTC at a moment; null for a zone that there is not. */
function offsetMinutes(timeZone: string, at: number): number | null {
  try {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  } catch {
    return null;
  }
}

function toIsoText(at: number, offset: number): string {
  const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
  const pad = (value: number): string => String(value).padStart(2, '0');
  const size = Math.abs(offset);
  return `${local}${offset < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}
