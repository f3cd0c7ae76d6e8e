import type { SearchEngine } from '../web/search-engine.ts';
import { askEngine, type EngineSettings, memberOf, readResults } from './ask-engine.ts';

const PUBLIC_URL = 'https://api.search.brave.com';
const MAX_COUNT = 20;

/** The Brave Search API. */
export function createBraveEngine({ transport, baseUrl = PUBLIC_URL, apiKey = '' }: EngineSettings): SearchEngine {
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
