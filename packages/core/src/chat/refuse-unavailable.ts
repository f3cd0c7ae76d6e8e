import { GatewayError } from '../foundation/errors.ts';
import type { Runtime } from '../runtime.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { refuseField } from '../wire/refuse-field.ts';
import { isOnline } from './stages/web-search/search-first.ts';

/** Plugins that are always there, or may go unheeded without misleading anybody. */
const ALWAYS_AVAILABLE: ReadonlySet<string> = new Set([
  'response-healing',
  'context-compression',
  'auto-router',
  'auto-beta-router',
  'web-fetch',
]);
/** Engines of the file parser that take text out of a PDF, whatever they are called. */
const TEXT_ENGINES: ReadonlySet<unknown> = new Set(['pdf-text', 'cloudflare-ai', 'native', undefined, null]);

/**
 * Refuses what would be silently left undone: plugins that add content or guard it and are not set up, presets. Throws
 * `invalid_request` that names the field. What only tunes an answer is accepted and does nothing instead.
 */
export function refuseUnavailable(request: ChatCompletionRequest, runtime: Runtime): void {
  request.plugins?.forEach((plugin, index) => {
    if (plugin.enabled === false) return;
    const reason = objectToPlugin(plugin, runtime);
    if (reason !== null) throw refuseField(`plugins.${index}`, `the plugin "${plugin.id.slice(0, 60)}" ${reason}`);
  });
  if (runtime.web.searchEngine === undefined && isOnline(request)) {
    throw refuseField('model', 'the variant :online is not available: no search engine is set up on this gateway');
  }
  if (request.preset) throw refuseField('preset', 'a stored preset is not available in this version');
  const { reasoning, reasoning_effort: effort } = request;
  if (reasoning?.effort && effort && reasoning.effort !== effort) {
    throw new GatewayError('invalid_request', 'reasoning_effort: must not differ from reasoning.effort');
  }
}

function objectToPlugin(
  { id, pdf }: { readonly id: string; readonly pdf?: unknown },
  { web, moderator }: Runtime,
): string | null {
  if (ALWAYS_AVAILABLE.has(id)) return null;
  switch (id) {
    case 'web':
      return web.searchEngine === undefined ? 'is not available: no search engine is set up on this gateway' : null;
    case 'moderation':
      return moderator === undefined ? 'is not available: no moderator is set up on this gateway' : null;
    case 'file-parser':
      if (web.readPdf === undefined) return 'is not available: nothing that reads PDFs is set up on this gateway';
      return TEXT_ENGINES.has(engineOf(pdf)) ? null : 'has only the engines "pdf-text" and "native" on this gateway';
    default:
      return 'is not available in this version';
  }
}

function engineOf(pdf: unknown): unknown {
  return typeof pdf === 'object' && pdf !== null && 'engine' in pdf ? pdf.engine : undefined;
}
