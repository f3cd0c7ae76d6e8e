import type { Compression } from '../calls/needs.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';

/** Reads the request's options for context compression, in the present form or the older one. */
export function compressionOf({ plugins, transforms, modalities }: ChatCompletionRequest): Compression {
  if (modalities?.length && !modalities.includes('text')) return 'never';
  const plugin = plugins?.find(({ id }) => id === 'context-compression');
  if (plugin !== undefined) return plugin.enabled === false ? 'never' : 'always';
  if (transforms == null) return 'small';
  return transforms.includes('middle-out') ? 'always' : 'never';
}
