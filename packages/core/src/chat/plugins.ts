import type { Compression } from '../calls/call-kind.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';

type Plugins = ChatCompletionRequest['plugins'];
export type Plugin = NonNullable<Plugins>[number];

/** Returns the plugin when it is requested and not switched off. */
export function findPlugin(plugins: Plugins, id: string): Plugin | undefined {
  return plugins?.find((plugin) => plugin.id === id && plugin.enabled !== false);
}

export function hasPlugin(plugins: Plugins, id: string): boolean {
  return findPlugin(plugins, id) !== undefined;
}

/** Whether one of the model slugs has the variant that searches the web first. */
export function isOnline({ model, models }: ChatCompletionRequest): boolean {
  return (model?.includes(':online') ?? false) || (models?.some((slug) => slug.includes(':online')) ?? false);
}

/** Whether a request has tools that the gateway runs. */
export function hasServerTools({ tools, plugins }: ChatCompletionRequest): boolean {
  return (tools?.some(({ type }) => type !== 'function') ?? false) || hasPlugin(plugins, 'web-fetch');
}

/** Reads the request's options for context compression, in the present form or the older one. */
export function compressionOf({ plugins, transforms, modalities }: ChatCompletionRequest): Compression {
  if (modalities?.length && !modalities.includes('text')) return 'never';
  const plugin = plugins?.find(({ id }) => id === 'context-compression');
  if (plugin !== undefined) return plugin.enabled === false ? 'never' : 'always';
  if (transforms == null) return 'small';
  return transforms.includes('middle-out') ? 'always' : 'never';
}
