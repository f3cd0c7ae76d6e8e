import type { Generation, Model } from '@model-gateway/core/wire';

export interface CallKind {
  /** Output modality of the models that it is for. */
  readonly output: string;
  readonly path: string;
  /** The body of such a call, but for its model. */
  readonly example: object;
  /** Where the playground makes such calls: among chats, or in a workbench of their own; absent where it does not. */
  readonly playground?: 'chat' | 'own';
}

/** Every kind of call, by its name in records. */
const CALL_KINDS: Readonly<Record<Generation['api_type'], CallKind>> = {
  completions: {
    output: 'text',
    path: '/chat/completions',
    example: { messages: [{ role: 'user', content: 'Hello!' }] },
  },
  video: { output: 'video', path: '/videos', example: { prompt: 'A fox in the snow, at dusk' } },
  embeddings: { output: 'embeddings', path: '/embeddings', example: { input: 'Hello!' }, playground: 'own' },
  rerank: { output: 'rerank', path: '/rerank', example: { query: 'Hello!', documents: ['Hello!'] }, playground: 'own' },
  transcription: {
    output: 'transcription',
    path: '/audio/transcriptions',
    example: { input_audio: { data: '…', format: 'wav' } },
    playground: 'own',
  },
  speech: {
    output: 'speech',
    path: '/audio/speech',
    example: { input: 'Hello!', response_format: 'mp3' },
    playground: 'own',
  },
  image: { output: 'image', path: '/images', example: { prompt: 'A fox in the snow, at dusk' }, playground: 'chat' },
  moderation: { output: 'moderation', path: '/moderations', example: { input: 'Hello!' }, playground: 'own' },
};

export const API_TYPES: readonly string[] = Object.keys(CALL_KINDS).toSorted();

const OTHER_KINDS = Object.values(CALL_KINDS).filter(({ output }) => output !== 'text');

/** What models make. Chats may make images and sounds, too. */
export const OUTPUTS: readonly string[] = [
  ...new Set(['text', 'image', 'audio', ...OTHER_KINDS.map(({ output }) => output)]),
];

/** The kind of call that a model is for, where that is not the chat; null where it is. */
export function toOtherKind({
  architecture: { output_modalities: outputs },
}: Pick<Model, 'architecture'>): CallKind | null {
  if (outputs.includes('text')) return null;
  return OTHER_KINDS.find(({ output }) => outputs.includes(output)) ?? null;
}

/** What the address of the playground says to call a model there; null where it cannot. */
export function toPlaygroundOf(
  model: Pick<Model, 'id' | 'architecture'>,
): { readonly models: string; readonly kind?: string } | null {
  const kind = toOtherKind(model);
  if (kind === null || kind.playground === 'chat') return { models: model.id };
  return kind.playground === 'own' ? { kind: kind.output, models: model.id } : null;
}
