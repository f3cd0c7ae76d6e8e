import { z } from 'zod';

import { clipText } from '../web/clip-text.ts';
import { isDomainAllowed } from '../web/is-domain-allowed.ts';
import type { SearchResult } from '../web/search-engine.ts';
import { toUrlCitation } from '../web/to-url-citation.ts';
import type { WebAccess } from '../web/web-access.ts';
import { type ServerTool, ToolFailure } from './server-tool.ts';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 25;
const MAX_TOTAL_RESULTS = 50;
const MAX_QUERY_CHARACTERS = 1000;
/** Characters of one snippet, by how much of the context a search may take. */
const SNIPPETS = { low: 400, medium: 1000, high: 2000 } as const;

const sites = z.array(z.string().max(300)).max(100).nullish();
const optionsSchema = z.object({
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
      const options = optionsSchema.parse(parameters);
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
          if (left <= 0) throw new ToolFailure('no more results can be had in this request');
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
