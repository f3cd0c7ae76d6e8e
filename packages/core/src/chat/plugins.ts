import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';

type Plugins = ChatCompletionRequest['plugins'];
export type Plugin = NonNullable<Plugins>[number];

/** Returns the plugin when it is requested and not switched off. */
export function findPlugin(plugins: Plugins, id: string): Plugin | undefined {
  return plugins?.find((plugin) => plugin.id === id && plugin.enabled !== false);
}

/** Whether a plugin is requested and not switched off. */
export function hasPlugin(plugins: Plugins, id: string): boolean {
  return findPlugin(plugins, id) !== undefined;
}
