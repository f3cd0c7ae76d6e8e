import type { SearchEngine } from '../web/search-engine.ts';
import type { EngineSettings } from './ask-engine.ts';
import { createBraveEngine } from './brave-engine.ts';
import { createExaEngine } from './exa-engine.ts';
import { createSearxngEngine } from './searxng-engine.ts';
import { createTavilyEngine } from './tavily-engine.ts';

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
