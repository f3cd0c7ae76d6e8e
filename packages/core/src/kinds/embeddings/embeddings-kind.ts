import { type CallKind, type CallNeeds, minTokensOf, mostTokensOf } from '../../calls/call-kind.ts';
import { checked, chosen, type Place, record, text } from '../../calls/text-places.ts';
import { type RequestText, toVisitor } from '../../calls/texts.ts';
import type { EmbeddingsRequest } from '../../wire/embeddings.ts';

/** The kind of calls that convert texts to vectors (docs/decisions/0025). */
export const embeddingsKind: CallKind<EmbeddingsRequest> = {
  name: 'embeddings',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf: ({ provider }) => ({ provider: provider ?? {}, partition: 'model' }),
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
  withSession: (request, session) => ({ ...request, session_id: session }),
  needsOf,
  boundOf: ({ input }) => ({
    textTokens: mostTokensOf(input),
    mediaTokens: 0,
    images: 0,
    hasAudio: false,
    maxTokens: 0,
    predictedTokens: 0,
  }),
  mapTexts,
  unreadableIn: ({ input }) => (itemsOf(input).every((item) => typeof item === 'string') ? null : 'tokens in input'),
};

function needsOf({ input }: EmbeddingsRequest): CallNeeds {
  return {
    parameters: [],
    inputModalities: [],
    outputModalities: ['embeddings'],
    // Each text has the context to itself.
    minPromptTokens: Math.max(...itemsOf(input).map(leastTokensOf)),
    outputTokens: 0,
    compression: 'never',
  };
}

/** The texts of an input, each as text or as tokens. */
export function itemsOf(input: EmbeddingsRequest['input']): readonly (string | readonly number[])[] {
  if (typeof input === 'string') return [input];
  return isOneList(input) ? [input] : input;
}

const isOneList = (input: Exclude<EmbeddingsRequest['input'], string>): input is number[] =>
  typeof input[0] === 'number';

const leastTokensOf = (item: string | readonly number[]): number =>
  typeof item === 'string' ? minTokensOf(item.length) : item.length;

function mapTexts(request: EmbeddingsRequest, change: (text: RequestText) => string): EmbeddingsRequest {
  const visit = toVisitor(change);
  const say = toVisitor(change, 'user');
  let changed = request;
  for (const field of ['input', 'input_type', 'user', 'session_id', 'trace'] as const) {
    const mapped = PLACES[field](request[field], field === 'input' ? say : visit);
    if (mapped !== request[field]) changed = { ...changed, [field]: mapped };
  }
  return changed;
}

/** Tokens are not looked at as numbers: a call with any is refused where a filter acts. */
const input: Place = chosen((value) => (typeof value === 'string' ? text : checked));

const PLACES = { input, input_type: text, user: text, session_id: text, trace: record } as const;
