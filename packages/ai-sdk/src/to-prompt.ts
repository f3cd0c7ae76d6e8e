import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { ChatCall } from '@model-gateway/core';
import {
  type ChatMessage,
  type ContentPart,
  parseDataUrl,
  parseJson,
  refuseField,
} from '@model-gateway/core/providers/kit';

import { readMetadata } from './reasoning-details.ts';

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type UserMessage = Extract<LanguageModelV4Message, { role: 'user' }>;
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;
type UserPart = UserMessage['content'][number];
type ToolOutput = Extract<ToolMessage['content'][number], { type: 'tool-result' }>['output'];

/** A file of the prompt: its bytes, or an address that the model reads by itself. */
export interface PromptFile {
  readonly mediaType: string;
  readonly data: string | Uint8Array | URL;
}

/** Brings an address to what the model can be given: itself, or the bytes behind it. */
export type OpenAddress = (url: string, mediaType: string, path: string) => Promise<PromptFile>;

interface PromptOptions {
  readonly openAddress: OpenAddress;
  /** Whether the model is of the current version, where files say which form they have. */
  readonly isCurrent: boolean;
}

/** Makes the prompt of a request. Throws `invalid_request` that names what cannot be expressed. */
export async function toPrompt(
  { messages }: Pick<ChatCall['request'], 'messages'>,
  options: PromptOptions,
): Promise<LanguageModelV4Prompt> {
  const prompt: LanguageModelV4Prompt = [];
  const toolNames = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`;
    switch (message.role) {
      case 'system':
      case 'developer':
        prompt.push({ role: 'system', content: textOf(message.content) });
        break;
      case 'user':
        prompt.push({ role: 'user', content: await toParts(message.content, path, options) });
        break;
      case 'assistant':
        for (const call of message.tool_calls ?? []) toolNames.set(call.id, call.function.name);
        prompt.push(await toAssistant(message, path, options));
        break;
      case 'tool': {
        const { tool_call_id: toolCallId, content } = message;
        const toolName = toolNames.get(toolCallId);
        if (toolName === undefined) throw refuseField(`${path}.tool_call_id`, 'is of no tool call before it');
        const output = await toToolOutput(content, path, options);
        const last = prompt.at(-1);
        const result = { type: 'tool-result', toolCallId, toolName, output } as const;
        // The results of one turn are one message.
        if (last?.role === 'tool') last.content.push(result);
        else prompt.push({ role: 'tool', content: [result] });
        break;
      }
      default:
        message satisfies never;
    }
  }
  return prompt;
}

const textOf = (content: string | readonly { readonly text: string }[]): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('');

async function toParts(
  content: string | readonly ContentPart[],
  path: string,
  options: PromptOptions,
): Promise<UserPart[]> {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Promise.all(content.map((part, index) => toPart(part, `${path}.content.${index}`, options)));
}

/** Media types of audio whose names are not `audio/` and the format. */
const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['pcm16', 'audio/pcm'],
]);

async function toPart(part: ContentPart, path: string, options: PromptOptions): Promise<UserPart> {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image_url':
      return toFilePart(await openFile(part.image_url.url, 'image/*', `${path}.image_url.url`, options), options);
    case 'input_audio': {
      const { data, format } = part.input_audio;
      const mediaType = AUDIO_TYPES.get(format) ?? `audio/${format}`;
      return toFilePart({ mediaType, data: parseDataUrl(data)?.base64 ?? data }, options);
    }
    case 'file': {
      const { file_data: url, filename } = part.file;
      if (url == null)
        throw refuseField(`${path}.file.file_data`, 'is missing: this provider knows no files by their ids');
      const file = await openFile(url, 'application/pdf', `${path}.file.file_data`, options);
      return { ...toFilePart(file, options), ...(filename != null && { filename }) };
    }
    case 'video_url':
    case 'input_video':
      return toFilePart(await openFile(part.video_url.url, 'video/mp4', `${path}.video_url.url`, options), options);
    default:
      return part satisfies never;
  }
}

async function openFile(
  url: string,
  mediaType: string,
  path: string,
  { openAddress }: PromptOptions,
): Promise<PromptFile> {
  const data = parseDataUrl(url);
  if (data !== undefined) return { mediaType: data.mediaType, data: data.base64 };
  return openAddress(url, mediaType, path);
}

/** Before the current version the data stood there as it is. */
function toFilePart(
  { mediaType, data }: PromptFile,
  { isCurrent }: PromptOptions,
): Extract<UserPart, { type: 'file' }> {
  if (!isCurrent) return { type: 'file', mediaType, data: data as never };
  return { type: 'file', mediaType, data: data instanceof URL ? { type: 'url', url: data } : { type: 'data', data } };
}

async function toAssistant(
  message: Extract<ChatMessage, { role: 'assistant' }>,
  path: string,
  options: PromptOptions,
): Promise<AssistantMessage> {
  const { content, tool_calls: calls } = message;
  const saved = readMetadata(message.reasoning_details ?? [], message.reasoning ?? message.reasoning_content);
  const parts: AssistantMessage['content'] = [...saved.reasoning];
  // Some providers refuse a text without characters.
  if (content != null && content !== '') {
    for (const part of await toParts(content, path, options)) {
      parts.push(part.type === 'text' && saved.text !== undefined ? { ...part, providerOptions: saved.text } : part);
    }
  }
  for (const [index, { id, function: called }] of (calls ?? []).entries()) {
    const input = called.arguments.trim() === '' ? {} : parseJson(called.arguments);
    if (input === undefined) throw refuseField(`${path}.tool_calls.${index}.function.arguments`, 'must be JSON');
    const providerOptions = saved.toolCalls.get(id);
    parts.push({
      type: 'tool-call',
      toolCallId: id,
      toolName: called.name,
      input,
      ...(providerOptions !== undefined && { providerOptions }),
    });
  }
  return { role: 'assistant', content: parts };
}

/** The current version alone takes pictures and files as the result of a tool. */
async function toToolOutput(
  content: string | readonly ContentPart[],
  path: string,
  options: PromptOptions,
): Promise<ToolOutput> {
  if (typeof content === 'string') return { type: 'text', value: content };
  const parts = await toParts(content, path, options);
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (texts.length === parts.length) return { type: 'text', value: texts.join('') };
  if (!options.isCurrent) throw refuseField(`${path}.content`, 'must be text alone for this provider');
  return { type: 'content', value: parts };
}
