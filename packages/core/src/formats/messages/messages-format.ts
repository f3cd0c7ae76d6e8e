import type { CompletionEncoder, CompletionEnd, CompletionEnvelope, Format, Frames } from '../../chat/format.ts';
import { isRecord, parseWith, type Unchecked } from '../../foundation/parse.ts';
import { firstValue, type HeaderMap } from '../../http/request.ts';
import type { ChatCompletionRequest } from '../../wire/chat-request.ts';
import { messagesRequestSchema } from '../../wire/messages.ts';
import { type NativePiece, withNative } from '../../wire/native-request.ts';
import { toCosts } from '../kit/to-costs.ts';
import { type BlockSink, createBlockWriter, toMessage, toMessagesUsage, toStopReason } from './block-writer.ts';
import { toChatRequest } from './to-chat-request.ts';
import { toErrorEvent } from './to-error.ts';

/** `POST /messages`: Anthropic's form of a chat call (wire.md 22.1). An upstream of that form gets it untranslated. */
export const messagesFormat: Format = {
  name: 'messages',
  parse: (body, headers) => ({ request: parseMessages(body, headers), encoder }),
};

const encoder: CompletionEncoder = {
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
  createFrames: createMessageFrames,
  toWhole: toMessage,
};

function parseMessages(body: unknown, headers: HeaderMap): ChatCompletionRequest {
  const checked = parseWith(messagesRequestSchema, body);
  const read = (other: unknown): ChatCompletionRequest =>
    toChatRequest(parseWith(messagesRequestSchema, other), headers);
  return withNative(toChatRequest(checked, headers), {
    form: 'messages',
    body: body as Readonly<Record<string, unknown>>,
    headers: toNativeHeaders(headers),
    read,
  });
}

/** The headers that change what the fields of a body mean: open lists, passed on as they are. */
const NATIVE_HEADERS = ['anthropic-version', 'anthropic-beta'];

function toNativeHeaders(headers: HeaderMap): Record<string, string> {
  const given: Record<string, string> = {};
  for (const name of NATIVE_HEADERS) {
    const value = headers[name];
    const text = Array.isArray(value) ? value.join(',') : firstValue(value);
    if (text) given[name] = text;
  }
  return given;
}

/** The name of the one member of each type of delta. */
const MEMBERS = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
} as const;

const toFrame = (type: string, data: string): string => `event: ${type}\ndata: ${data}\n\n`;

/**
 * Writes one stream of this form. What upstream sent in the same form is given back as it came, but for the ids, the
 * model and the cost; the end is written when the gateway knows it, last (docs/decisions/0002).
 */
function createMessageFrames(envelope: CompletionEnvelope): Frames {
  let text = '';
  let hasBegun = false;
  /** Blocks come as upstream wrote them; a last chunk of the gateway's own repeats what was in them. */
  let isNative = false;
  let nativeEnd: Unchecked | null = null;
  const sink: BlockSink = {
    start(index, block) {
      text += toFrame(
        'content_block_start',
        JSON.stringify({ type: 'content_block_start', index, content_block: block }),
      );
    },
    delta(index, type, value) {
      const delta = `{"type":"${type}","${MEMBERS[type]}":${JSON.stringify(value)}}`;
      text += toFrame('content_block_delta', `{"type":"content_block_delta","index":${index},"delta":${delta}}`);
    },
    stop(index) {
      text += toFrame('content_block_stop', `{"type":"content_block_stop","index":${index}}`);
    },
  };
  const blocks = createBlockWriter(sink);

  const begin = (given?: Unchecked): void => {
    if (hasBegun) return;
    hasBegun = true;
    text += toFrame('message_start', JSON.stringify({ type: 'message_start', message: toStart(envelope, given) }));
  };
  const writeNative = ({ type, data }: NativePiece): void => {
    const event = type === 'message_start' || type === 'message_delta' ? readEvent(data) : undefined;
    if (type === 'message_start') begin(isRecord(event?.['message']) ? event['message'] : undefined);
    // Its counts are cumulative, so the last one is complete; the end is written with the cost.
    else if (type === 'message_delta') nativeEnd = event ?? null;
    else if (type !== 'message_stop') {
      begin();
      text += toFrame(type, toOneLine(data));
    }
  };
  const take = (): string => {
    const taken = text;
    text = '';
    return taken;
  };

  return {
    encode(chunks) {
      for (const { native, choices } of chunks) {
        if (native !== undefined) {
          isNative = true;
          for (const piece of native) writeNative(piece);
        } else if (!isNative) {
          for (const { delta } of choices) {
            begin();
            blocks.write(delta);
          }
        }
      }
      return take();
    },
    // A message has no place for it.
    encodeEcho: () => '',
    encodeEnd(end) {
      begin();
      blocks.end();
      text += toFrame('message_delta', JSON.stringify(toEnd(end, nativeEnd)));
      text += toFrame('message_stop', JSON.stringify({ type: 'message_stop', ...end.members }));
      return take();
    },
    encodeError: (error) => take() + toFrame('error', JSON.stringify(toErrorEvent(error, envelope.id))),
  };
}

/** The message before its first block. */
function toStart({ id, model, provider }: CompletionEnvelope, given: Unchecked = {}): object {
  return {
    type: 'message',
    role: 'assistant',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
    ...given,
    usage: { ...toMessagesUsage(undefined), ...(isRecord(given['usage']) ? given['usage'] : undefined) },
    id,
    model,
    provider,
  };
}

function toEnd({ reason, native, usage }: CompletionEnd, given: Unchecked | null): object {
  const said = isRecord(given?.['delta']) ? given['delta'] : {};
  const counts = given === null ? toMessagesUsage(usage) : { ...known(usage), ...counted(given), ...toCosts(usage) };
  return {
    ...given,
    type: 'message_delta',
    delta: {
      stop_reason: toStopReason(reason, native),
      stop_sequence: null,
      stop_details: null,
      container: null,
      ...said,
    },
    usage: counts,
  };
}

/** The counts that the gateway has gathered from all events, below those of the last event. */
const known = (usage: CompletionEnd['usage']): object => (usage === undefined ? {} : toMessagesUsage(usage));

const counted = ({ usage }: Unchecked): object => (isRecord(usage) ? usage : {});

function readEvent(data: string): Unchecked | undefined {
  const value: unknown = JSON.parse(data);
  return isRecord(value) ? value : undefined;
}

/** An event's data may come in several lines; each would need a field of its own. */
const toOneLine = (data: string): string => (/[\r\n]/.test(data) ? JSON.stringify(JSON.parse(data)) : data);
