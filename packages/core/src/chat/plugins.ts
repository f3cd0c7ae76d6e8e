import type { EndpointConstraint } from '../calls/call-kind.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { actsOnInput } from '../guardrails/guard-call.ts';
import type { Policy } from '../guardrails/policy.ts';
import { PRESETS_ELSEWHERE } from '../routing/resolve-models.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { refuseField } from '../wire/fields.ts';
import { hasPlugin, isOnline, type Plugin } from './chat-kind.ts';
import type { Moderator } from './moderate-call.ts';
import type { ListedStage } from './stages/stage.ts';

/** Plugins that choose a model, and are read where that is done. */
const ROUTER_PLUGINS: readonly string[] = ['auto-router', 'auto-beta-router'];

/** What runs plugins. */
export interface PluginParts {
  readonly stages: readonly ListedStage[];
  /** Undefined where none is set up. */
  readonly moderator: Moderator | undefined;
  /** A plugin that a provider runs is not refused here; routing finds out whether one that serves the model does. */
  readonly catalog: Pick<Catalog, 'gatewayPlugins'>;
}

/**
 * Throws `invalid_request` for fields that would have no effect: presets in other formats, and plugins that add or guard content and are
 * not configured. Fields that only tune a completion are accepted without effect.
 */
export function refuseUnusableFields(request: ChatCompletionRequest, parts: PluginParts): void {
  const { gatewayPlugins } = parts.catalog;
  request.plugins?.forEach((plugin, index) => {
    if (plugin.enabled === false || gatewayPlugins.has(plugin.id)) return;
    const reason = findPluginProblem(plugin, parts);
    if (reason !== null) throw refuseField(`plugins.${index}`, `the plugin "${plugin.id.slice(0, 60)}" ${reason}`);
  });
  if (isOnline(request) && !gatewayPlugins.has('web')) {
    const reason = findPluginProblem({ id: 'web' }, parts);
    if (reason !== null) throw refuseField('model', `the variant :online ${reason}`);
  }
  if (request.preset) throw refuseField('preset', PRESETS_ELSEWHERE);
  const { reasoning, reasoning_effort: effort } = request;
  if (reasoning?.effort && effort && reasoning.effort !== effort) {
    throw refuseField('reasoning_effort', 'must not differ from reasoning.effort');
  }
}

/** Why this gateway cannot run a plugin, in words for the caller; null when it can. */
function findPluginProblem(plugin: Plugin, { stages, moderator }: PluginParts): string | null {
  if (ROUTER_PLUGINS.includes(plugin.id)) return null;
  if (plugin.id === 'moderation') {
    return moderator === undefined ? 'is not available: no moderator is set up on this gateway' : null;
  }
  const listed = stages.find(({ stage }) => stage.plugins?.includes(plugin.id) === true);
  return listed === undefined ? 'is not available in this version' : (listed.stage.findPluginProblem?.(plugin) ?? null);
}

const NONE: readonly Plugin[] = [];

/** The plugins of a request that this gateway cannot run itself, and a provider that is a gateway can. */
export function onwardPluginsOf(request: ChatCompletionRequest, parts: PluginParts): readonly Plugin[] {
  const { gatewayPlugins } = parts.catalog;
  if (gatewayPlugins.size === 0) return NONE;
  const { plugins } = request;
  const wanted = plugins?.filter(({ enabled }) => enabled !== false) ?? NONE;
  const all = isOnline(request) && !hasPlugin(plugins, 'web') ? [...wanted, { id: 'web' }] : wanted;
  return all.filter((plugin) => gatewayPlugins.has(plugin.id) && findPluginProblem(plugin, parts) !== null);
}

/** Excludes the endpoints whose providers cannot run these plugins. */
export function toPluginConstraints(plugins: readonly Plugin[]): readonly EndpointConstraint[] {
  return plugins.map(({ id }) => ({
    rule: `plugins.${id}`,
    excludes: ({ provider }) => provider.gateway?.plugins.has(id) !== true,
  }));
}

/** The refusal of plugins that add texts upstream, where content filters would have to read them; null for none. */
export function refuseUnreadable(plugins: readonly Plugin[], policy: Policy | null): GatewayError | null {
  const adding = plugins.find(({ id }) => id === 'web' || id === 'file-parser');
  if (adding === undefined || !actsOnInput(policy)) return null;
  const message = `Request blocked: content filters cannot read what the upstream plugin "${adding.id}" adds`;
  return new GatewayError('permission_denied', message);
}
