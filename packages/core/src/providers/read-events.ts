import { GatewayError } from '../errors.ts';
import type { ChatChunk } from '../schemas/chat-chunk.ts';
import { createSseDecoder } from '../streaming/sse-decoder.ts';
import type { TransportResponse } from '../transport.ts';

/** What one event's data says: a chunk, nothing that matters, or that the answer ends here. Throws what upstream says is wrong. */
export type ReadEvent = (data: string) => ChatChunk | 'done' | undefined;

/**
 * Reads a streamed answer: yields the chunks that each piece of bytes completed, and before an error those that were
 * read ahead of it. Returns at the end of the answer or of the bytes, whichever comes first. Throws
 * `provider_unavailable` when the bytes end within an event.
 */
export async function* readEvents(
  body: TransportResponse['body'],
  readEvent: ReadEvent,
  providerName: string,
): AsyncGenerator<readonly ChatChunk[]> {
  const decoder = createSseDecoder();
  for await (const bytes of body) {
    const batch: ChatChunk[] = [];
    let failure: unknown;
    let isDone = false;
    try {
      for (const data of decoder.push(bytes)) {
        const read = readEvent(data);
        if (read === 'done') {
          isDone = true;
          break;
        }
        if (read !== undefined) batch.push(read);
      }
    } catch (error) {
      failure = error;
    }
    if (batch.length > 0) yield batch;
    if (failure !== undefined) throw failure;
    if (isDone) return;
  }
  const unfinished = decoder.end();
  if (unfinished === undefined) return;
  const read = readUnfinished(unfinished, readEvent, providerName);
  if (read !== undefined && read !== 'done') yield [read];
}

/** Only the blank line is missing when this can be read; otherwise the stream was cut within an event. */
function readUnfinished(data: string, readEvent: ReadEvent, providerName: string): ReturnType<ReadEvent> {
  if (!isJson(data) && !isBlank(data) && !isDoneMarker(data)) {
    throw new GatewayError('provider_unavailable', `${providerName} ended its answer in the middle of an event`);
  }
  return readEvent(data);
}

function isJson(data: string): boolean {
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

/** An event that only keeps the connection alive. */
export const isBlank = (data: string): boolean => data.length < 16 && data.trim() === '';

/** The end of an answer as OpenAI's wire marks it. */
export const isDoneMarker = (data: string): boolean => data.length < 16 && data.trim().toUpperCase() === '[DONE]';
