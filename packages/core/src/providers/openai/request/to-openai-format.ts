import type { ChatCompletionRequest } from '../../../wire/chat-request.ts';
import { JSON_OBJECT_INSTRUCTION, toSchemaInstruction } from '../../kit/json-instruction.ts';
import type { OpenAiDialect } from '../openai-dialect.ts';

type ResponseFormat = NonNullable<ChatCompletionRequest['response_format']>;

export interface FormatInstruction {
  /** The `response_format` that the server supports; undefined where it supports no suitable one. */
  readonly format: ResponseFormat | undefined;
  /** Describes the format in words, where the server cannot bind the completion to it. */
  readonly instruction?: string;
}

/** Requests the format of a completion by the server's parameter where it has one, and otherwise in words. */
export function toOpenAiFormat(format: ResponseFormat, { unsupportedParameters }: OpenAiDialect): FormatInstruction {
  const knowsObjects = !unsupportedParameters.has('json_object');
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  if (format.type === 'json_schema' && unsupportedParameters.has('structured_outputs')) {
    return {
      format: knowsObjects ? { type: 'json_object' } : undefined,
      instruction: schema ? toSchemaInstruction(schema) : JSON_OBJECT_INSTRUCTION,
    };
  }
  if (format.type !== 'json_object' || knowsObjects) return { format };
  return { format: undefined, instruction: JSON_OBJECT_INSTRUCTION };
}

/** Adds an instruction to those that a conversation begins with, or begins it with this one. */
export function addInstruction(messages: Record<string, unknown>[], instruction: string): void {
  const [first] = messages;
  if (first?.['role'] !== 'system' && first?.['role'] !== 'developer') {
    messages.unshift({ role: 'system', content: instruction });
  } else if (Array.isArray(first['content'])) {
    first['content'] = [...(first['content'] as unknown[]), { type: 'text', text: instruction }];
  } else first['content'] = `${String(first['content'])}\n\n${instruction}`;
}
