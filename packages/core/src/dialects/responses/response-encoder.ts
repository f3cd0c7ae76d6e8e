import type { CompletionEncoder, CompletionEnvelope, Frames } from '../../chat/dialect.ts';
import { isRecord, type Unchecked } from '../../foundation/unchecked.ts';
import type { NativePiece } from '../../wire/chat/chat-chunk.ts';
import type { ResponsesRequest } from '../../wire/responses/responses-request.ts';
import { createItemWriter, type ItemWriterOptions } from './item-writer.ts';
import type { Emit } from './output-items.ts';
import { reasonOf, type ResponseEnd, toEnding, toResponse, toResponsesUsage } from './to-response.ts';
import type { ToolNames } from './tool-names.ts';

const DONE = 'data: [DONE]\n\n';

/** Encodes the completion of one request, whose fields a response repeats. */
export function createResponseEncoder(body: ResponsesRequest, names: ToolNames): CompletionEncoder {
  const keepsReasoning = body.include?.includes('reasoning.encrypted_content') === true;
  const optionsOf = ({ id }: CompletionEnvelope): ItemWriterOptions => {
    const suffix = id.slice(-24);
    return {
      names,
      keepsReasoning,
      makeId: (prefix, place) => `${prefix}_${suffix}${place.toString(16).padStart(4, '0')}`,
    };
  };
  return {
    keepAlive: ': SERVICE PROCESSING\n\n',
    createFrames: (envelope) => createFrames(envelope, body, optionsOf(envelope)),
    toWhole(completion) {
      const { chunks, failure, usage, members, created } = completion;
      const own = chunks.flatMap(({ native = [] }) => native).find(({ type }) => type === 'whole');
      if (own !== undefined)
        return { ...toOwn(JSON.parse(own.data) as Unchecked, completion), ...costOf(usage), ...members };
      const writer = createItemWriter(() => undefined, optionsOf(completion));
      for (const { choices } of chunks) for (const { delta } of choices) writer.write(delta);
      writer.end();
      const end = { reason: reasonOf(completion), output: writer.output, usage, error: failure };
      return { ...toResponse(completion, body), completed_at: created, ...toEnding(end), ...members };
    },
  };
}

/** A response of upstream's own, under the names that it has here. */
function toOwn(response: Unchecked, { id, model, provider }: CompletionEnvelope): Record<string, unknown> {
  return { ...response, id, model, provider };
}

const costOf = (usage: ResponseEnd['usage']): object => (usage === undefined ? {} : { usage: toResponsesUsage(usage) });

/** Writes one stream of this form: each event with its number, the end when the gateway knows the cost. */
function createFrames(envelope: CompletionEnvelope, body: ResponsesRequest, options: ItemWriterOptions): Frames {
  let text = '';
  let number = 0;
  let hasBegun = false;
  let nativeEnd: Unchecked | null = null;
  let isNative = false;
  const emit: Emit = (type, members) => {
    text += `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number, ...members })}\n\n`;
    number += 1;
  };
  const writer = createItemWriter(emit, options);
  const response = toResponse(envelope, body);
  const begin = (given: Record<string, unknown> = response): void => {
    if (hasBegun) return;
    hasBegun = true;
    emit('response.created', { response: given });
    emit('response.in_progress', { response: given });
  };
  const writeNative = ({ type, data }: NativePiece): void => {
    const event = JSON.parse(data) as Unchecked;
    const own = isRecord(event['response']) ? toOwn(event['response'], envelope) : undefined;
    if (type === 'response.created' || type === 'response.in_progress' || type === 'response.queued') return begin(own);
    begin();
    if (ENDS.has(type)) nativeEnd = own ?? null;
    else {
      const { type: _type, sequence_number: _number, ...members } = event;
      emit(type, members);
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
            writer.write(delta);
          }
        }
      }
      return take();
    },
    // Strict clients refuse events that they do not know.
    encodeEcho: () => '',
    encodeEnd({ reason, usage, members }) {
      begin();
      if (!isNative) writer.end();
      const ending: Record<string, unknown> =
        nativeEnd === null
          ? {
              ...response,
              completed_at: envelope.created,
              ...toEnding({ reason, usage, output: writer.output, error: null }),
            }
          : { ...(nativeEnd as Record<string, unknown>), ...costOf(usage) };
      emit(`response.${String(ending['status'])}`, { response: { ...ending, ...members } });
      return take() + DONE;
    },
    encodeError(error) {
      begin();
      const ending = toEnding({ reason: 'error', usage: undefined, output: writer.output, error });
      emit('response.failed', { response: { ...response, ...ending, ...error.beside } });
      return take() + DONE;
    },
  };
}

/** Events that end a stream of this form. */
const ENDS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);
