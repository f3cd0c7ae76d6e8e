import type { RunState } from '../../../features/playground/create-run.ts';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { StreamedText } from '../stream/streamed-text.tsx';
import { MadeImage, Reasoning } from './completion-turn.tsx';

/** Beyond it only the lines in sight are kept in the document. */
const MAX_STREAMED_CHARACTERS = 50_000;

/** A completion while it comes. Formatted once it is whole: doing so for every token is what makes such pages slow. */
export function LiveCompletion({ state }: { state: RunState }) {
  const { status, text, reasoning, images, toolCalls } = state;
  if (status === 'waiting') {
    return <p className="m-auto animate-pulse py-2 text-sm text-ink-faint">Waiting for the first token…</p>;
  }
  return (
    <>
      {reasoning !== '' && <Reasoning text={reasoning} />}
      {text.length > MAX_STREAMED_CHARACTERS ? <PlainText text={text} /> : text !== '' && <StreamedText text={text} />}
      {images.map((url, at) => (
        <MadeImage key={at} url={url} />
      ))}
      {toolCalls.length > 0 && <p className="text-sm text-ink-faint">Calls tools…</p>}
    </>
  );
}
