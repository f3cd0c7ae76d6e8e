import { type CallNeeds, minTokensOf } from '../calls/needs.ts';
import type { ChatCompletionRequest } from '../wire/chat/chat-completion.ts';
import { PARAMETERS } from '../wire/chat/chat-parameters.ts';
import type { ChatMessage } from '../wire/chat/chat-message.ts';
import { compressionOf } from './compression.ts';

/** Derives the needs of a request. Costs no more than a check of each content part. */
export function chatNeedsOf(request: ChatCompletionRequest): CallNeeds {
  const inputs: string[] = [];
  let characters = 0;
  for (const message of request.messages) characters += measure(message, inputs);
  return {
    parameters: parametersOf(request),
    inputModalities: inputs,
    outputModalities: request.modalities?.filter((kind) => kind !== 'text') ?? NONE,
    minPromptTokens: minTokensOf(characters),
    outputTokens: request.max_completion_tokens ?? request.max_tokens ?? 0,
    compression: compressionOf(request),
  };
}

const NONE: readonly string[] = [];

/** Characters of text in a message; notes its other kinds of input. */
function measure({ content }: ChatMessage, inputs: string[]): number {
  if (typeof content === 'string') return content.length;
  let characters = 0;
  for (const part of content ?? []) {
    if (part.type === 'text') characters += part.text.length;
    else {
      const kind = kindOf(part.type);
      if (kind !== null && !inputs.includes(kind)) inputs.push(kind);
    }
  }
  return characters;
}

/** Files are no need: what a model cannot read itself is turned into text for it. */
function kindOf(type: string): string | null {
  if (type === 'image_url') return 'image';
  if (type === 'input_audio') return 'audio';
  return type === 'file' ? null : 'video';
}

/** The request's parameters as lists of supported parameters name them. */
export function parametersOf(request: ChatCompletionRequest): readonly string[] {
  const found: string[] = [];
  // Iterates over the few fields that are present, because a check for every possible field is slower.
  for (const name in request) {
    if (PARAMETERS.has(name) && (request as Readonly<Record<string, unknown>>)[name] != null) found.push(name);
  }
  return found;
}
