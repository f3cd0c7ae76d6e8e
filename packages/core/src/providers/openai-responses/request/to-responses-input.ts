import type { ChatMessage, ContentPart } from '../../../wire/chat-request.ts';
import { toReasoningItems } from './to-reasoning-items.ts';

type AssistantMessage = Extract<ChatMessage, { role: 'assistant' }>;

/** Converts a conversation to input items. Marks for a cache and names are left out; texts never change. */
export function toResponsesInput(messages: readonly ChatMessage[]): object[] {
  return messages.flatMap((message): object[] => {
    switch (message.role) {
      case 'assistant':
        return toTurn(message);
      case 'tool':
        return [{ type: 'function_call_output', call_id: message.tool_call_id, output: toContent(message.content) }];
      default:
        return [{ role: message.role, content: toContent(message.content) }];
    }
  });
}

/** One turn of the model: its reasoning, its texts and its calls, each an item. */
function toTurn({ content, refusal, reasoning_details: details, tool_calls: calls }: AssistantMessage): object[] {
  const said = toSaid(content);
  if (refusal) said.push({ type: 'refusal', refusal });
  return [
    ...toReasoningItems(details ?? []),
    ...(said.length > 0 ? [{ type: 'message', role: 'assistant', content: said }] : []),
    ...(calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: text,
    })),
  ];
}

/** Only texts are output of the model on this wire. */
function toSaid(content: AssistantMessage['content']): object[] {
  const parts: readonly ContentPart[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  return parts.flatMap((part) =>
    part.type === 'text' && part.text !== '' ? [{ type: 'output_text', text: part.text }] : [],
  );
}

const toContent = (content: string | readonly ContentPart[]): string | object[] =>
  typeof content === 'string' ? content : content.map(toPart);

function toPart(part: ContentPart): object {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text };
    case 'image_url': {
      const { url, detail } = part.image_url;
      return { type: 'input_image', image_url: url, ...(detail && { detail }) };
    }
    case 'file':
      return { type: 'input_file', ...toFile(part.file) };
    case 'input_audio':
      return { type: 'input_audio', input_audio: part.input_audio };
    // Upstream says itself whether it takes films.
    case 'video_url':
    case 'input_video':
      return { type: 'input_video', video_url: part.video_url.url };
  }
}

function toFile({ filename, file_data, file_id }: Extract<ContentPart, { type: 'file' }>['file']): object {
  const isAddress = file_data ? /^https?:/i.test(file_data) : false;
  // An address brings the name along, and this wire refuses both together.
  if (isAddress) return { file_url: file_data };
  return { ...(filename && { filename }), ...(file_data && { file_data }), ...(file_id && { file_id }) };
}
