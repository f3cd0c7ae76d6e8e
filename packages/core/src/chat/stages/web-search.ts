import { z } from 'zod';

import { annotation } from '../../calls/message-places.ts';
import { raceAbort } from '../../foundation/awaitable.ts';
import { parseWith } from '../../foundation/parse.ts';
import { guardAdded, guardText } from '../../guardrails/guard-call.ts';
import type { ChatCompletionRequest, ChatMessage } from '../../wire/chat-request.ts';
import { findPlugin } from '../chat-kind.ts';
import type { ChatRun } from '../chat-run.ts';
import { annotateCompletion } from '../committed-completion.ts';
import {
  DEFAULT_RESULTS,
  MAX_RESULTS,
  MAX_SNIPPET_CHARACTERS,
  MAX_URL_CHARACTERS,
  toSearchPrompt,
} from '../web/search-prompt.ts';
import {
  clipText,
  isDomainAllowed,
  type SearchEngine,
  type SearchResult,
  toUrlCitation,
  type WebAccess,
} from '../web/web-access.ts';
import type { Begin, ChatTurn, Stage } from './stage.ts';

const sites = z.array(z.string().max(300)).max(100).nullish();
const optionsSchema = z.looseObject({
  max_results: z.int().min(1).max(MAX_RESULTS).nullish(),
  search_prompt: z.string().max(10_000).nullish(),
  include_domains: sites,
  exclude_domains: sites,
});
type SearchOptions = z.infer<typeof optionsSchema>;

const MAX_QUERY_CHARACTERS = 400;

/**
 * Searches the web once before a model is called, and adds the results before the last user message (wire.md 9.4). A
 * search that fails leaves the request unchanged.
 */
export function createWebSearchStage({ searchEngine: engine }: Pick<WebAccess, 'searchEngine'>): Stage {
  return {
    plugins: ['web'],
    findPluginProblem: () =>
      engine === undefined ? 'is not available: no search engine is set up on this gateway' : null,
    plan(run) {
      const options = readSearchOptions(run.call.request);
      return engine === undefined ? null : { begin: (next) => searchFirst(next, { options, engine, run }) };
    },
  };
}

/** Reads the options of the plugin `web`; the variant `:online` has none. Throws `invalid_request`. */
function readSearchOptions(request: ChatCompletionRequest): SearchOptions {
  const plugin = findPlugin(request.plugins, 'web');
  if (plugin === undefined) return {};
  return parseWith(optionsSchema, plugin, { within: `plugins.${request.plugins?.indexOf(plugin) ?? 0}` });
}

interface Search {
  readonly options: SearchOptions;
  readonly engine: SearchEngine;
  readonly run: ChatRun;
}

function searchFirst(next: Begin, search: Search): Begin {
  const { caller, pipeline, guard, parts } = search.run;
  return async (turn) => {
    const { request } = turn;
    const results = await findResults(search, turn);
    const prompt = toSearchPrompt(results, { introduction: search.options.search_prompt, now: parts.platform.now() });
    const { logger, platform } = parts;
    const { text, refusal } = await guardText(prompt, { policy: caller.policy, pipeline, logger, platform });
    if (results.length === 0 || refusal !== null) return next(turn);
    const citations = results.map(({ url, title, snippet }) => toUrlCitation({ url, title, content: snippet }));
    const shown = await guardAdded(citations, annotation, guard, platform);
    const completion = await next({ ...turn, request: { ...request, messages: insert(request.messages, text) } });
    return annotateCompletion(completion, shown);
  };
}

async function findResults(
  { options, engine, run: { pipeline, observer, parts } }: Search,
  { request, signal }: ChatTurn,
): Promise<readonly SearchResult[]> {
  const { include_domains: allowed, exclude_domains: excluded } = options;
  const maxResults = options.max_results ?? DEFAULT_RESULTS;
  const note = (data: Readonly<Record<string, unknown>>): void =>
    pipeline.add({ type: 'plugin', name: 'web', data: { engine: engine.name, ...data } });
  try {
    const found = await raceAbort(
      engine.search({
        query: clipText(lastSaid(request.messages), MAX_QUERY_CHARACTERS),
        maxResults,
        allowedDomains: allowed ?? [],
        excludedDomains: excluded ?? [],
        signal,
      }),
      signal,
    );
    const results = found
      .filter(({ url }) => url.length <= MAX_URL_CHARACTERS && isDomainAllowed(url, { allowed, excluded }))
      .slice(0, maxResults);
    note({ status: 'completed', results: results.length });
    observer.noteSearch({ engine: engine.name, results: results.length });
    return results.map((result) => ({ ...result, snippet: clipText(result.snippet, MAX_SNIPPET_CHARACTERS) }));
  } catch (error) {
    signal.throwIfAborted();
    const { requestId } = pipeline;
    parts.logger.warn('a web search has failed', { requestId, engine: engine.name, reason: String(error) });
    note({ status: 'failed' });
    return [];
  }
}

function lastSaid(messages: readonly ChatMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function insert(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  return messages.toSpliced(Math.max(at, 0), 0, { role: 'system', content: text });
}
