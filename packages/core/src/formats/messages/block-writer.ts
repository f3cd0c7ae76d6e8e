import { isRecord, type Unchecked } from '../../foundation/parse.ts';
import { sealReasoning } from '../../wire/chat-chunk.ts';
import type { ReasoningDetail } from '../../wire/chat-request.ts';
import { createSegmentWriter, type SegmentWriter } from '../kit/write-segments.ts';
import { ANTHROPIC_FORMAT } from './to-chat-messages.ts';

/** Receives content blocks: one is open at a time, their numbers have no gaps (wire.md 22.1). */
export interface BlockSink {
  start(index: number, block: Readonly<Record<string, unknown>>): void;
  delta(index: number, type: DeltaType, text: string): void;
  stop(index: number): void;
}

export type DeltaType = 'text_delta' | 'thinking_delta' | 'signature_delta' | 'input_json_delta';

/** Writes the deltas of one completion as content blocks. */
export function createBlockWriter(sink: BlockSink): SegmentWriter {
  let index = 0;
  let isThinking = false;
  /** The number of the text in the open block, which its upstream gave it. */
  let thought: unknown;

  const start = (block: Readonly<Record<string, unknown>>): void => sink.start(index, block);
  const stop = (): void => {
    sink.stop(index);
    index += 1;
  };
  const startThinking = (): void => {
    if (!isThinking) start({ type: 'thinking', thinking: '', signature: '' });
    isThinking = true;
  };
  const stopThinking = (): void => {
    if (isThinking) stop();
    isThinking = false;
  };
  /** A signature is that of one text, and the last of its block. */
  const sign = (signature: string): void => {
    startThinking();
    sink.delta(index, 'signature_delta', signature);
    stopThinking();
  };
  const think = (text: string, number: unknown): void => {
    if (text === '') return;
    // Else a signature would be that of two texts.
    if (isThinking && thought !== number) stopThinking();
    thought = number;
    startThinking();
    sink.delta(index, 'thinking_delta', text);
  };

  const input = createInputWriter((json) => sink.delta(index, 'input_json_delta', json));

  return createSegmentWriter({
    startReasoning: () => undefined,
    reasoning(detail) {
      const { type, text, summary, data, signature, format } = detail;
      const isOwn = (format ?? ANTHROPIC_FORMAT) === ANTHROPIC_FORMAT;
      if (type === 'reasoning.text') think(textOf(text), detail['index']);
      if (type === 'reasoning.summary') think(textOf(summary), detail['index']);
      const isSigned = textOf(signature) !== '';
      if (isOwn && type === 'reasoning.encrypted') {
        stopThinking();
        start({ type: 'redacted_thinking', data: textOf(data) });
        stop();
      } else if (isOwn && isSigned) sign(textOf(signature));
      // The text of reasoning that others have signed is the block's own.
      else if (isSigned) sign(sealReasoning([withoutText(detail)]));
      else if (type === 'reasoning.encrypted') sign(sealReasoning([detail]));
    },
    endReasoning: stopThinking,
    startText: () => start({ type: 'text', text: '', citations: null }),
    text: (text) => sink.delta(index, 'text_delta', text),
    endText: stop,
    startCall(id, name) {
      input.begin();
      start({ type: 'tool_use', id, name, input: {}, caller: { type: 'direct' } });
    },
    arguments: input.write,
    endCall() {
      input.end();
      stop();
    },
  });
}

function withoutText({ text: _text, summary: _summary, ...rest }: ReasoningDetail): ReasoningDetail {
  return rest;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Writes the input of one call after the other, piece by piece. */
export interface InputWriter {
  begin(): void;
  write(text: string): void;
  end(): void;
}

/** Clients refuse a stream whose input is no JSON, so what does not begin as an object waits for its end. */
function createInputWriter(emit: (json: string) => void): InputWriter {
  let isObject = false;
  /** What has come before that is known. */
  let beginning = '';
  return {
    begin() {
      isObject = false;
      beginning = '';
    },
    write(text) {
      if (isObject) {
        emit(text);
        return;
      }
      beginning += text;
      isObject = beginning.trimStart().startsWith('{');
      if (isObject) emit(beginning);
    },
    end() {
      if (!isObject && beginning.trim() !== '') emit(JSON.stringify(toInput(beginning)));
    },
  };
}

/** Models write arguments that are no JSON; the form has no other place for them than a member of an object. */
export function toInput(text: string): Unchecked {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : { value };
  } catch {
    return { arguments: text };
  }
}
