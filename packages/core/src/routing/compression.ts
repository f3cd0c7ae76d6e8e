import type { Compression } from '../calls/needs.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';

/** Endpoints of at most this context have it switched on by default (api reference 9.2). */
const SMALL_CONTEXT = 8192;

/** Reads what the request says of context compression, in its present form or the older one. */
export function compressionOf({ plugins, transforms, modalities }: ChatCompletionRequest): Compression {
  if (modalities?.length && !modalities.includes('text')) return 'never';
  const plugin = plugins?.find(({ id }) => id === 'context-compression');
  if (plugin !== undefined) return plugin.enabled === false ? 'never' : 'always';
  if (transforms == null) return 'small';
  return transforms.includes('middle-out') ? 'always' : 'never';
}

/** Whether a prompt is shortened for an endpoint with this context, should it have to be. */
export function isCompressed(contextLength: number | null, compression: Compression): contextLength is number {
  if (contextLength === null || compression === 'never') return false;
  return compression === 'always' || contextLength <= SMALL_CONTEXT;
}
