import type { ChatCompletionRequest, Model } from '@model-gateway/core/wire';

import type { Column, Experiment } from '../../features/playground/experiment.ts';
import { findOpenCalls, isPending, lastCompletion } from './experiment/edit-turns.ts';
import { toRequest } from './experiment/to-request.ts';

/** Common to languages with letters. Other scripts need more tokens. */
const CHARACTERS_PER_TOKEN = 4;
/** A message has tokens around it, too. */
const TOKENS_PER_MESSAGE = 4;
const EXPECTED_TOKENS = 500;

export interface Estimate {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Null where a price is not known. */
  readonly usd: number | null;
  /** Something is sent that is not counted: images, files or audio. */
  readonly hasMedia: boolean;
  /** The `max_tokens` that the limit of the key makes necessary; null where it makes none. */
  readonly fittedTokens: number | null;
}

/**
 * What a request may cost, by the length of its texts. `lastTokens` is how long the completion before was: the next is
 * taken to be as long.
 */
export function estimateCost(
  request: Pick<ChatCompletionRequest, 'messages' | 'tools' | 'response_format' | 'max_tokens'>,
  pricing: Model['pricing'] | undefined,
  lastTokens: number | null,
): Estimate {
  const { messages, tools, response_format: format, max_tokens: limit } = request;
  let characters = [tools, format].reduce<number>((sum, each) => sum + (JSON.stringify(each)?.length ?? 0), 0);
  let hasMedia = false;
  for (const { content, ...message } of messages) {
    characters += 'tool_calls' in message ? JSON.stringify(message.tool_calls ?? '').length : 0;
    for (const part of typeof content === 'string' ? [{ type: 'text' as const, text: content }] : (content ?? [])) {
      if (part.type === 'text') characters += part.text.length;
      else hasMedia = true;
    }
  }
  const promptTokens = Math.ceil(characters / CHARACTERS_PER_TOKEN) + messages.length * TOKENS_PER_MESSAGE;
  const completionTokens = Math.min(lastTokens ?? EXPECTED_TOKENS, limit ?? Number.POSITIVE_INFINITY);
  const usd = toUsd(pricing, promptTokens, completionTokens);
  return { promptTokens, completionTokens, usd, hasMedia, fittedTokens: null };
}

function toUsd(pricing: Model['pricing'] | undefined, promptTokens: number, completionTokens: number): number | null {
  const [prompt, completion, request] = [pricing?.prompt, pricing?.completion, pricing?.request ?? 0].map(Number);
  if (!(Number(prompt) >= 0) || !(Number(completion) >= 0)) return null;
  return Number(prompt) * promptTokens + Number(completion) * completionTokens + Math.max(0, Number(request) || 0);
}

/**
 * What the next request of each column may cost, by their ids; columns that cannot be sent to are left out. `fit` makes
 * a request fit the limit of the key.
 */
export function estimateColumns(
  experiment: Experiment,
  models: readonly Model[],
  fit: (request: ChatCompletionRequest) => ChatCompletionRequest,
): ReadonlyMap<string, Estimate> {
  const { setup, columns, text, attached, variables } = experiment;
  const isTyped = text.trim() !== '' || attached.length > 0;
  const asked = { type: 'user' as const, id: 'next', text, attached, kept: [] };
  const original = columns.find(({ isOriginal }) => isOriginal);
  const estimate = (column: Column): Estimate | undefined => {
    if (column.isOriginal || findOpenCalls(column.turns).length > 0) return undefined;
    if (!isTyped && !isPending(column)) return undefined;
    const model = models.find(({ id }) => id === column.model);
    const turns = isTyped ? [...column.turns, asked] : column.turns;
    const request = toRequest(setup, { ...column, turns }, model, variables);
    if (typeof request === 'string') return undefined;
    const last = lastCompletion(column.turns) ?? lastCompletion(original?.turns ?? []);
    const fitted = fit(request);
    const estimated = estimateCost(fitted, model?.pricing, last?.outcome?.completionTokens ?? null);
    return fitted === request ? estimated : { ...estimated, fittedTokens: fitted.max_tokens ?? null };
  };
  return new Map(
    columns.flatMap((column) => {
      const found = estimate(column);
      return found === undefined ? [] : [[column.id, found] as const];
    }),
  );
}
