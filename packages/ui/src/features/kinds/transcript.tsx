import { CopyButton } from '../../parts/controls/copy-button.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { showControls } from '../../parts/text/show-controls.ts';
import { kindMessages } from './messages.ts';

export interface Segment {
  /** Seconds from the beginning. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface TranscriptProps {
  readonly text: string;
  readonly segments: readonly Segment[];
  /** Plays the sound from there, in seconds; absent where it is not at hand. */
  readonly onSeek?: (seconds: number) => void;
}

/** What was said, whole and with times. */
export function Transcript({ text, segments, onSeek }: TranscriptProps) {
  const { transcript: t } = kindMessages();
  if (text.trim() === '' && segments.length === 0) return <p className="text-sm text-ink-faint">{t.empty}</p>;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-start gap-2">
        <div className="min-w-0 max-w-prose flex-1">
          <PlainText text={text} />
        </div>
        <CopyButton isIcon look="quiet" text={text} label={t.copy} />
      </div>
      {segments.length > 0 && (
        <ol aria-label={t.segments} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {segments.map((segment, at) => (
            <li key={at} className="flex items-baseline gap-3 px-3 py-1.5">
              <Times segment={segment} onSeek={onSeek} />
              <span className="min-w-0 flex-1 text-sm break-words">{showControls(segment.text.trim())}</span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Times({ segment, onSeek }: { segment: Segment; onSeek: TranscriptProps['onSeek'] }) {
  const span = `${toClock(segment.start)} – ${toClock(segment.end)}`;
  const look = 'figures shrink-0 text-xs whitespace-nowrap';
  if (onSeek === undefined) return <span className={`${look} text-ink-faint`}>{span}</span>;
  return (
    <button
      type="button"
      title={kindMessages().transcript.from(toClock(segment.start))}
      className={`${look} min-h-6 rounded text-accent hover:underline`}
      onClick={() => onSeek(segment.start)}
    >
      {span}
    </button>
  );
}

/** Seconds as `1:04.5`. */
export function toClock(seconds: number): string {
  const tenths = Math.round(Math.max(0, seconds) * 10);
  const minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths % 600) / 10).toFixed(1).padStart(4, '0')}`;
}
