import type { SearchEngine } from '../web/search-engine.ts';
import { askEngine, type EngineSettings, memberOf, readResults } from './ask-engine.ts';

const PUBLIC_URL = 'https://api.tavily.com';
const MAX_RESULTS = 20;

/** The Tavily search API. */
export function createTavilyEngine({ transport, baseUrl = PUBLIC_URL, apiKey = '' }: EngineSettings): SearchEngine {
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
          max_results: Math.min(maxResults, MAX_RESULTS),
          ...(allowedDomains.length > 0 && { include_domains: allowedDomains }),
          ...(excludedDomains.length > 0 && { exclude_domains: excludedDomains }),
        },
        signal,
      });
      return readResults(memberOf(response, 'results'), 'content');
    },
  };
}
