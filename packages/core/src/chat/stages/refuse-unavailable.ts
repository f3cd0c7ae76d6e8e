import type { Catalog } from '../../catalog/catalog.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import type { Moderator } from '../moderate-call.ts';
import { isOnline, type Plugin } from '../plugins.ts';
import type { ListedStage } from './stage.ts';

/** Plugins that choose a model, and are read where that is done. */
const ROUTER_PLUGINS: readonly string[] = ['auto-router', 'auto-beta-router'];

export interface AvailableParts {
  readonly stages: readonly ListedStage[];
  /** Undefined where none is set up. */
  readonly moderator: Moderator | undefined;
}

interface UnavailableParts extends AvailableParts {
  /** A plugin that a provider runs is not refused here; routing finds out whether one that serves the model does. */
  readonly catalog: Pick<Catalog, 'gatewayPlugins'>;
}

/**
 * Throws `invalid_request` for fields that would have no effect: presets, and plugins that add or guard content and are
 * not configured. Fields that only tune a completion are accepted without effect.
 */
export function refuseUnavailable(request: ChatCompletionRequest, parts: UnavailableParts): void {
  const { gatewayPlugins } = parts.catalog;
  request.plugins?.forEach((plugin, index) => {
    if (plugin.enabled === false || gatewayPlugins.has(plugin.id)) return;
    const reason = objectToPlugin(plugin, parts);
    if (reason !== null) throw refuseField(`plugins.${index}`, `the plugin "${plugin.id.slice(0, 60)}" ${reason}`);
  });
  if (isOnline(request) && !gatewayPlugins.has('web')) {
    const reason = objectToPlugin({ id: 'web' }, parts);
    if (reason !== null) throw refuseField('model', `the variant :online ${reason}`);
  }
  if (request.preset) throw refuseField('preset', 'a stored preset is not available in this version');
  const { reasoning, reasoning_effort: effort } = request;
  if (reasoning?.effort && effort && reasoning.effort !== effort) {
    throw refuseField('reasoning_effort', 'must not differ from reasoning.effort');
  }
}

/** Why this gateway cannot run a plugin, in words for the caller; null when it can. */
export function objectToPlugin(plugin: Plugin, { stages, moderator }: AvailableParts): string | null {
  if (ROUTER_PLUGINS.includes(plugin.id)) return null;
  if (plugin.id === 'moderation') {
    return moderator === undefined ? 'is not available: no moderator is set up on this gateway' : null;
  }
  const listed = stages.find(({ stage }) => stage.plugins?.includes(plugin.id) === true);
  return listed === undefined ? 'is not available in this version' : (listed.stage.objectToPlugin?.(plugin) ?? null);
}
