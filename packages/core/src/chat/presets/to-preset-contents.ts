import { isRecord } from '../../foundation/parse.ts';
import type { ChatMessage } from '../../wire/chat-request.ts';
import { refuseField } from '../../wire/fields.ts';
import type { PresetVersion } from '../../wire/presets.ts';
import type { Format } from '../format.ts';

/** Fields that belong to one call, and not to a preset. */
const OF_CALLS: ReadonlySet<string> = new Set([
  'messages',
  'stream',
  'stream_options',
  'n',
  'prediction',
  'debug',
  'functions',
  'function_call',
  'preset',
  'session_id',
  'user',
  'trace',
  'metadata',
]);

/**
 * Reads what a preset takes from a request: its settings in the form of chat completions, and its system prompt. The
 * conversation may be left out. Throws `invalid_request` as the call itself would.
 */
export function toPresetContents(format: Format, body: unknown): Pick<PresetVersion, 'config' | 'system_prompt'> {
  const { request } = format.parse(isRecord(body) ? withConversation(format, body) : body, {});
  const kept = Object.entries(request).filter(([name, value]) => !OF_CALLS.has(name) && value != null);
  const config = Object.fromEntries(kept);
  for (const name of [request.model, ...(request.models ?? [])]) {
    if (name?.includes('@preset/')) throw refuseField('model', 'must name a model: a preset cannot use another one');
  }
  return { config, system_prompt: systemPromptOf(request.messages) };
}

/** A conversation where there is none, as the format requires one. What continues another response is no setting. */
function withConversation(
  { name }: Format,
  { previous_response_id: _, ...body }: Readonly<Record<string, unknown>>,
): object {
  if (name === 'responses') return { ...body, input: body['input'] ?? '' };
  const { messages } = body;
  const isEmpty = messages === undefined || messages === null || (Array.isArray(messages) && messages.length === 0);
  return isEmpty ? { ...body, messages: [{ role: 'user', content: '' }] } : body;
}

/** The texts of all system messages; null where there are none. */
function systemPromptOf(messages: readonly ChatMessage[]): string | null {
  const texts = messages
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map(({ content }) => toText(content))
    .filter((text) => text !== '');
  return texts.length === 0 ? null : texts.join('\n\n');
}

const toText = (content: ChatMessage['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
