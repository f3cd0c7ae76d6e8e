import type { GatewayError } from '../foundation/errors.ts';
import type { SettledGeneration } from '../generations/settled-generation.ts';
import type { ChatChunk } from '../wire/chat/chat-chunk.ts';
import type { ChatRun } from './chat-run.ts';
import { envelopeOf, routingOf } from './describe-completion.ts';
import type { Frames } from './dialect.ts';

/** What a relay sends, as text. */
export interface FrameWriter {
  /** Receives each body that is sent upstream; undefined unless the caller requested them. */
  readonly onUpstreamBody: ((body: unknown) => void) | undefined;
  /** Encodes a batch, after the bodies that were sent upstream before it. */
  encode(batch: readonly ChatChunk[]): string;
  encodeEnd(settled: SettledGeneration | undefined): string;
  encodeError(error: GatewayError): string;
}

export function createFrameWriter(run: ChatRun): FrameWriter {
  const { call, observer, encoder, parts } = run;
  const created = parts.platform.now();
  let frames: Frames | undefined;
  let echoes: unknown[] = [];

  /** Made with the first frame, because the endpoint that serves the call is known only then. */
  const framesOf = (): Frames => (frames ??= encoder.createFrames(envelopeOf(run, created), call.request));
  /** Returns the bodies that were sent upstream since the last call, as separate frames. */
  const takeEchoes = (): string => {
    if (echoes.length === 0) return '';
    const text = echoes.map(framesOf().encodeEcho).join('');
    echoes = [];
    return text;
  };

  return {
    onUpstreamBody: call.request.debug?.echo_upstream_body === true ? (body) => void echoes.push(body) : undefined,
    encode: (batch) => takeEchoes() + framesOf().encode(batch),
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
      return takeEchoes() + framesOf().encodeError(error, finish?.reason === 'error' ? finish.native : null);
    },
  };
}
