import type { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/to-generation.ts';
import type { ChatChunk } from '../wire/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';
import { envelopeOf, routingOf } from './describe-completion.ts';
import type { Frames, FrameText } from './dialect.ts';

/** What a relay sends, as text. */
export interface FrameWriter {
  /** Receives each body that is sent upstream; undefined unless the caller requested them. */
  readonly onUpstreamBody: ((body: unknown) => void) | undefined;
  /** Encodes a batch, after the bodies that were sent upstream before it. */
  encode(batch: readonly ChatChunk[]): FrameText;
  encodeEnd(settled: SettledGeneration | undefined): FrameText;
  encodeError(error: GatewayError): FrameText;
  /** Call when no more of the frames are taken. */
  close(): void;
}

export function createFrameWriter(run: ChatRun): FrameWriter {
  const { call, observer, encoder, parts } = run;
  const created = parts.platform.now();
  let frames: Frames | undefined;
  let echoes: unknown[] = [];

  /** Made with the first frame, because the endpoint that serves the call is known only then. */
  const framesOf = (): Frames =>
    (frames ??= encoder.createFrames(envelopeOf(run, created), call.request, parts.platform.openScratch));
  /** Returns the bodies that were sent upstream since the last call, as separate frames. */
  const takeEchoes = (): string => {
    if (echoes.length === 0) return '';
    const text = echoes.map(framesOf().encodeEcho).join('');
    echoes = [];
    return text;
  };

  return {
    onUpstreamBody: call.request.debug?.echo_upstream_body === true ? (body) => void echoes.push(body) : undefined,
    encode: (batch) => join(takeEchoes(), framesOf().encode(batch)),
    encodeEnd(settled) {
      const { reason, native } = observer.completion.finish ?? { reason: 'stop' as const, native: null };
      const { citations } = observer.completion.upstream ?? {};
      return framesOf().encodeEnd({
        reason,
        native,
        citations,
        usage: settled?.usage,
        members: routingOf(run, settled),
      });
    },
    encodeError(error) {
      const { finish } = observer.completion;
      return join(takeEchoes(), framesOf().encodeError(error, finish?.reason === 'error' ? finish.native : null));
    },
    close: () => frames?.close?.(),
  };
}

function join(echoes: string, frames: FrameText): FrameText {
  if (typeof frames === 'string') return echoes + frames;
  return echoes === '' ? frames : prefixed(echoes, frames);
}

function* prefixed(first: string, others: Iterable<string>): Generator<string> {
  yield first;
  yield* others;
}
