import type { RunState } from '../../../features/playground/create-run.ts';
import { StreamedFormattedText } from '../../../parts/text/formatted-text.tsx';
import { PlainText } from '../../../parts/text/plain-text.tsx';
import { StreamedText } from '../../../parts/text/streamed-text.tsx';
import { CompletionHeader, MadeImage, Reasoning } from './completion-turn.tsx';
import { columnMessages } from './messages.tsx';

/** Beyond it only the lines in sight are kept in the document. */
const MAX_STREAMED_CHARACTERS = 50_000;

interface LiveCompletionProps {
  readonly state: RunState;
  /** Shown as it is written. */
  readonly isRaw: boolean;
}

/** A completion while it comes. It looks as it will when it has ended, so that nothing jumps then. */
export function LiveCompletion({ state, isRaw }: LiveCompletionProps) {
  const { status, text, reasoning, images, toolCalls } = state;
  if (status === 'waiting') {
    return <p className="m-auto animate-pulse py-2 text-sm text-ink-faint">{columnMessages().response.waiting}</p>;
  }
  return (
    <div className="flex flex-col gap-2 px-1">
      <CompletionHeader />
      {reasoning !== '' && <Reasoning text={reasoning} />}
      {text !== '' && <LiveText text={text} isRaw={isRaw} />}
      {images.map((url, at) => (
        <MadeImage key={at} url={url} />
      ))}
      {toolCalls.length > 0 && <p className="text-sm text-ink-faint">{columnMessages().tools.calling}</p>}
    </div>
  );
}

function LiveText({ text, isRaw }: { text: string; isRaw: boolean }) {
  if (text.length > MAX_STREAMED_CHARACTERS) return <PlainText text={text} />;
  return isRaw ? <StreamedText text={text} /> : <StreamedFormattedText text={text} />;
}
