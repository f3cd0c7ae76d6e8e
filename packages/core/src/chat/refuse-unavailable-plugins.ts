import { GatewayError } from '../foundation/errors.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { refuseField } from '../wire/refuse-field.ts';
import type { Moderator } from './moderate-call.ts';
import type { Plugin } from './plugins.ts';
import type { Stage } from './stages/stage.ts';

/** Plugins that choose a model, and are read where that is done. */
const ROUTER_PLUGINS: readonly string[] = ['auto-router', 'auto-beta-router'];

interface AvailableParts {
  readonly stages: readonly Stage[];
  /** Undefined where none is set up. */
  readonly moderator: Moderator | undefined;
}

/**
 * Refuses a request whose fields would be silently ignored: presets, and plugins that add or guard content and are not
 * configured. Throws `invalid_request` that names the field. Fields that only tune a completion are accepted without
 * effect.
 */
export function refuseUnavailable(request: ChatCompletionRequest, parts: AvailableParts): void {
  request.plugins?.forEach((plugin, index) => {
    if (plugin.enabled === false) return;
    const reason = objectToPlugin(plugin, parts);
    if (reason !== null) throw refuseField(`plugins.${index}`, `the plugin "${plugin.id.slice(0, 60)}" ${reason}`);
  });
  for (const stage of parts.stages) stage.refuse?.(request);
  if (request.preset) throw refuseField('preset', 'a stored preset is not available in this version');
  const { reasoning, reasoning_effort: effort } = request;
  if (reasoning?.effort && effort && reasoning.effort !== effort) {
    throw new GatewayError('invalid_request', 'reasoning_effort: must not differ from reasoning.effort');
  }
}

function objectToPlugin(plugin: Plugin, { stages, moderator }: AvailableParts): string | null {
  if (ROUTER_PLUGINS.includes(plugin.id)) return null;
  if (plugin.id === 'moderation') {
    return moderator === undefined ? 'is not available: no moderator is set up on this gateway' : null;
  }
  const stage = stages.find(({ plugins }) => plugins?.includes(plugin.id) === true);
  return stage === undefined ? 'is not available in this version' : (stage.objectToPlugin?.(plugin) ?? null);
}
