import type { SearchEngine } from '../web/search-engine.ts';
import { askEngine, type EngineSettings, memberOf, readResults } from './ask-engine.ts';

/** A SearXNG instance, which must offer the format `json`. */
export function createSearxngEngine({ transport, baseUrl = '', apiKey }: EngineSettings): SearchEngine {
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
