import { GatewayError } from '../errors.ts';
import type { ChatCompletionRequest } from '../schemas/chat-completion.ts';

/** Plugins that may go unheeded without misleading anybody: they only mend or shorten. */
const HARMLESS_PLUGINS: ReadonlySet<string> = new Set([
  'response-healing',
  'context-compression',
  'auto-router',
  'auto-beta-router',
]);

/**
 * Refuses what would be silently left undone: server tools, plugins that add content or guard it, presets. Throws
 * `invalid_request` that names the field. What only tunes an answer is accepted and does nothing instead.
 */
export function refuseUnavailable(request: ChatCompletionRequest): void {
  request.tools?.forEach((tool, index) => {
    if (tool.type !== 'function') throw unavailable(`tools.${index}`, `the server tool "${tool.type.slice(0, 60)}"`);
  });
  request.plugins?.forEach((plugin, index) => {
    if (plugin.enabled !== false && !HARMLESS_PLUGINS.has(plugin.id)) {
      throw unavailable(`plugins.${index}`, `the plugin "${plugin.id.slice(0, 60)}"`);
    }
  });
  if (request.preset) throw unavailable('preset', 'a stored preset');
  const { reasoning, reasoning_effort: effort } = request;
  if (reasoning?.effort && effort && reasoning.effort !== effort) {
    throw new GatewayError('invalid_request', 'reasoning_effort: must not differ from reasoning.effort');
  }
}

function unavailable(path: string, what: string): GatewayError {
  const message = `${what} is not available in this version`;
  return new GatewayError('invalid_request', `${path}: ${message}`, { metadata: { issues: [{ path, message }] } });
}
