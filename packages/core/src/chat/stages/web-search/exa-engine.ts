import type { SearchEngine } from '../web/search-engine.ts';
import { askEngine, type EngineSettings, memberOf, readResults } from './ask-engine.ts';

const PUBLIC_URL = 'https://api.exa.ai';
const MAX_TEXT_CHARACTERS = 2000;

/** The Exa search API. */
export function createExaEngine({ transport, baseUrl = PUBLIC_URL, apiKey = '' }: EngineSettings): SearchEngine {
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
