import type { Narrowing } from '../calls/call-kind.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../foundation/errors.ts';
import { actsOnInput } from '../guardrails/guard-call.ts';
import type { Policy } from '../guardrails/policy.ts';
import type { ChatCompletionRequest } from '../wire/chat-request.ts';
import { hasPlugin, isOnline, type Plugin } from './plugins.ts';
import { objectToPlugin, type AvailableParts } from './stages/refuse-unavailable.ts';

export interface OnwardParts extends AvailableParts {
  readonly catalog: Pick<Catalog, 'gatewayPlugins'>;
}

const NONE: readonly Plugin[] = [];

/** The plugins of a request that this gateway cannot run itself, and a provider that is a gateway can. */
export function onwardPluginsOf(request: ChatCompletionRequest, parts: OnwardParts): readonly Plugin[] {
  const { gatewayPlugins } = parts.catalog;
  if (gatewayPlugins.size === 0) return NONE;
  const { plugins } = request;
  const wanted = plugins?.filter(({ enabled }) => enabled !== false) ?? NONE;
  const all = isOnline(request) && !hasPlugin(plugins, 'web') ? [...wanted, { id: 'web' }] : wanted;
  return all.filter((plugin) => gatewayPlugins.has(plugin.id) && objectToPlugin(plugin, parts) !== null);
}

/** Excludes the endpoints whose providers cannot run these plugins. */
export function toPluginNarrowings(plugins: readonly Plugin[]): readonly Narrowing[] {
  return plugins.map(({ id }) => ({
    rule: `plugins.${id}`,
    excludes: ({ provider }) => provider.gateway?.plugins.has(id) !== true,
  }));
}

/** The refusal of plugins that add texts upstream, where content filters would have to read them; null for none. */
export function refuseUnreadable(plugins: readonly Plugin[], policy: Policy | null): GatewayError | null {
  const adding = plugins.find(({ id }) => id === 'web' || id === 'file-parser');
  if (adding === undefined || !actsOnInput(policy)) return null;
  const message = `Request blocked: content filters cannot read what the plugin "${adding.id}" of an upstream adds`;
  return new GatewayError('permission_denied', message);
}
