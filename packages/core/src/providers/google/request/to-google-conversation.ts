import type { ChatMessage } from '../../../wire/chat-request.ts';
import { refuseField } from '../../../wire/fields.ts';
import type { GeminiTraits } from '../models.ts';
import { parseJsonObject } from '../response/function-calls.ts';
import { type Part, toParts } from './to-google-parts.ts';
import { toModelParts } from './to-model-parts.ts';

export interface Content {
  readonly role: 'user' | 'model';
  readonly parts: Part[];
}

export interface Conversation {
  /** Absent without instructions. */
  readonly systemInstruction?: { readonly parts: Part[] };
  readonly contents: Content[];
}

type Speaker = 'user' | 'model' | 'tools';
type ToolMessage = Extract<ChatMessage, { role: 'tool' }>;

/**
 * Moves system and developer messages to the instruction, in order; without other messages they are the prompt.
 * Neighbours of one role become one turn, but function results stay separate from the user's next message, because the
 * wire requires as many results as calls. Throws `invalid_request` that names what cannot be expressed.
 */
export function toGoogleConversation(messages: readonly ChatMessage[], traits: GeminiTraits): Conversation {
  const instruction: Part[] = [];
  const contents: Content[] = [];
  const names = new Map<string, string>();
  let last: Speaker | undefined;
  const add = (speaker: Speaker, parts: readonly Part[]): void => {
    if (parts.length === 0) return;
    if (speaker === last) contents.at(-1)?.parts.push(...parts);
    else contents.push({ role: speaker === 'model' ? 'model' : 'user', parts: [...parts] });
    last = speaker;
  };

  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case 'system':
      case 'developer':
        instruction.push(...toParts(message.content, `${path}.content`));
        break;
      case 'user':
        add('user', toParts(message.content, `${path}.content`));
        break;
      case 'assistant':
        for (const call of message.tool_calls ?? []) names.set(call.id, call.function.name);
        add('model', toModelParts(message, path, traits));
        break;
      case 'tool':
        add('tools', toResultParts(message, { path, names, traits }));
        break;
    }
  }
  if (contents.length === 0 && instruction.length === 0) {
    throw refuseField('messages', 'must hold a message that is not empty for this provider');
  }
  if (contents.length === 0) return { contents: [{ role: 'user', parts: instruction }] };
  return { ...(instruction.length > 0 && { systemInstruction: { parts: instruction } }), contents };
}

interface ResultContext {
  readonly path: string;
  /** Names of functions by the ids of their calls. */
  readonly names: ReadonlyMap<string, string>;
  readonly traits: GeminiTraits;
}

/** Results are matched to calls by name on this wire, and must be objects. */
function toResultParts(message: ToolMessage, { path, names, traits }: ResultContext): Part[] {
  const name = names.get(message.tool_call_id) ?? message.name;
  if (!name) {
    throw refuseField(`${path}.tool_call_id`, `"${message.tool_call_id}" is the id of no call in an earlier message`);
  }
  const parts = toParts(message.content, `${path}.content`);
  const media = parts.filter(({ text }) => typeof text !== 'string');
  const text = parts.map((part) => (typeof part['text'] === 'string' ? part['text'] : '')).join('');
  const response = parseJsonObject(text) ?? { output: text };
  const isNested = traits.hasMediaInResults && media.length > 0;
  const functionResponse = { id: message.tool_call_id, name, response, ...(isNested && { parts: media }) };
  return [{ functionResponse }, ...(isNested ? [] : media)];
}
