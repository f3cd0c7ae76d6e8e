import { type CallKind, type CallNeeds, minTokensOf, mostTokensOf } from '../../calls/call-kind.ts';
import type { RequestText } from '../../calls/text-map.ts';
import type { EmbeddingsRequest } from '../../wire/embeddings/embeddings.ts';

/** The kind of calls that convert texts to vectors (docs/decisions/0025). */
export const embeddingsKind: CallKind<EmbeddingsRequest> = {
  name: 'embeddings',
  modelsOf: ({ model }) => ({ model }),
  preferencesOf: ({ provider }) => ({ provider: provider ?? {}, partition: 'model' }),
  labelsOf: ({ session_id: session = null, user = null, trace = null }) => ({ session, externalUser: user, trace }),
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
  const say = (text: string): string => change({ text, role: 'user', isContinued: false, isJson: false });
  const { input, user, session_id: session } = request;
  return {
    ...request,
    input: mapInput(input, say),
    ...(user != null && { user: say(user) }),
    ...(session != null && { session_id: say(session) }),
  };
}

/** Filters cannot read input that is given as tokens. */
function mapInput(input: EmbeddingsRequest['input'], say: (text: string) => string): EmbeddingsRequest['input'] {
  if (typeof input === 'string') return say(input);
  return isTexts(input) ? input.map(say) : input;
}

const isTexts = (input: Exclude<EmbeddingsRequest['input'], string>): input is string[] => typeof input[0] === 'string';
