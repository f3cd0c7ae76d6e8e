import type { Policy } from '../../../guardrails/policy.ts';
import { z } from 'zod';

import { guardAdded } from '../../../guardrails/guard-added.ts';
import { parseWith } from '../../../foundation/parse-with.ts';
import type { ChatCompletionRequest } from '../../../wire/chat/chat-completion.ts';
import type { ChatMessage } from '../../../wire/chat/chat-message.ts';
import { annotateAnswer } from '../annotate-completion.ts';
import { guardText } from '../../guard-text.ts';
import type { PipelineStage } from '../../../wire/chat/pipeline-stage.ts';
import { findPlugin } from '../../plugins.ts';
import { raceAbort } from '../../../foundation/race-abort.ts';
import type { AttemptsOptions, BeginAnswer } from '../../../dispatch/run-attempts.ts';
import type { SearchEngine, SearchResult } from './search-engine.ts';
import { clipText } from '../server-tools/clip-text.ts';
import { isDomainAllowed } from '../server-tools/match-domain.ts';
import { toUrlCitation } from '../server-tools/to-url-citation.ts';

const sites = z.array(z.string().max(300)).max(100).nullish();
const optionsSchema = z.looseObject({
  max_results: z.int().min(1).max(25).nullish(),
  search_prompt: z.string().max(10_000).nullish(),
  include_domains: sites,
  exclude_domains: sites,
});
type SearchOptions = z.infer<typeof optionsSchema>;

const DEFAULT_RESULTS = 5;
const MAX_QUERY_CHARACTERS = 400;
const MAX_SNIPPET_CHARACTERS = 1000;

/** Whether one of the models is asked for with the variant that searches the web first. */
export function isOnline({ model, models }: ChatCompletionRequest): boolean {
  return (model?.includes(':online') ?? false) || (models?.some((slug) => slug.includes(':online')) ?? false);
}

/** What the plugin `web` is to do; null when it is not asked for. Throws `invalid_request`. */
export function readSearchOptions(request: ChatCompletionRequest): SearchOptions | null {
  const plugin = findPlugin(request.plugins, 'web');
  if (plugin !== undefined) return parseWith(optionsSchema, plugin);
  return isOnline(request) ? {} : null;
}

export interface SearchFirst {
  readonly options: SearchOptions;
  readonly engine: SearchEngine;
  readonly policy: Policy | null;
  readonly pipeline: PipelineStage[];
}

/**
 * Searches the web once before a model is asked, and puts what was found before the last thing the user has said (api
 * reference 9.4). A search that fails leaves the request as it was.
 */
export function searchFirst(begin: BeginAnswer, search: SearchFirst): BeginAnswer {
  return async (attempts) => {
    const results = await findResults(search, attempts);
    const { request, runtime } = attempts;
    const { text, refusal } = guardText(toPrompt(results, search, runtime.platform.now()), search.policy, {
      logger: runtime.logger,
      pipeline: search.pipeline,
    });
    if (results.length === 0 || refusal !== null) return begin(attempts);
    const citations = results.map(({ url, title, snippet }) => toUrlCitation({ url, title, content: snippet }));
    const told = guardAdded(citations, attempts.guard);
    const answer = await begin({ ...attempts, request: { ...request, messages: insert(request.messages, text) } });
    return annotateAnswer(answer, told);
  };
}

async function findResults(
  { options, engine, pipeline }: SearchFirst,
  { request, runtime, observer, signal }: AttemptsOptions,
): Promise<readonly SearchResult[]> {
  const { include_domains: allowed, exclude_domains: excluded } = options;
  const maxResults = options.max_results ?? DEFAULT_RESULTS;
  const note = (data: Readonly<Record<string, unknown>>): void =>
    void pipeline.push({ type: 'plugin', name: 'web', data: { engine: engine.name, ...data } });
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
    const results = found.filter(({ url }) => isDomainAllowed(url, { allowed, excluded })).slice(0, maxResults);
    note({ status: 'completed', results: results.length });
    observer.noteSearch({ engine: engine.name, results: results.length });
    return results.map((result) => ({ ...result, snippet: clipText(result.snippet, MAX_SNIPPET_CHARACTERS) }));
  } catch (error) {
    signal.throwIfAborted();
    runtime.logger.warn('a web search has failed', { engine: engine.name, reason: String(error) });
    note({ status: 'failed' });
    return [];
  }
}

function lastSaid(messages: readonly ChatMessage[]): string {
  const content = messages.findLast(({ role }) => role === 'user')?.content;
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function toPrompt(results: readonly SearchResult[], { options }: SearchFirst, now: number): string {
  const today = new Date(now).toISOString().slice(0, 10);
  const introduction =
    options.search_prompt ??
    `These results of a web search were found on ${today}. Use what bears on the question, and give your sources as ` +
      'Markdown links, each named by its domain, such as [example.com](https://example.com/page).';
  const listed = results.map(({ url, title, snippet }) => `${title}\n${url}\n${snippet}`);
  return [introduction, ...listed].join('\n\n');
}

function insert(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  return messages.toSpliced(Math.max(at, 0), 0, { role: 'system', content: text });
}
