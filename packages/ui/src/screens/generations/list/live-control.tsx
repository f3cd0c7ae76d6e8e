import { Pause, Play } from 'lucide-react';

import { formatCount } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { generationsMessages } from './messages.ts';

interface LiveControlProps {
  readonly isConnected: boolean;
  readonly isPaused: boolean;
  /** Number of requests that ended while the list was paused. */
  readonly waiting: number;
  readonly perMinute: number;
  readonly onPause: () => void;
  readonly onResume: () => void;
}

/** Says whether the list follows what ends, and at which rate; pauses it and lets it go on. */
export function LiveControl({ isConnected, isPaused, waiting, perMinute, onPause, onResume }: LiveControlProps) {
  const t = generationsMessages().live;
  const paused = waiting > 0 ? t.pausedWith(formatCount(waiting)) : t.paused;
  const rate = t.rate(formatCount(perMinute));
  return (
    <div className="flex items-center gap-1.5 text-sm whitespace-nowrap text-ink-soft">
      <span
        aria-hidden="true"
        className={`size-2 rounded-full ${isPaused ? 'bg-caution' : isConnected ? 'bg-good' : 'bg-line-strong'}`}
      />
      {/* A longer word for a moment would take the tools a line more. */}
      <span
        className={isPaused ? 'text-caution' : isConnected ? 'max-sm:hidden' : 'sm:@max-[81rem]:sr-only'}
        title={rate}
      >
        {isPaused ? paused : isConnected ? t.live : t.connecting}
      </span>
      {!isPaused && isConnected && (
        <span className="figures text-ink-faint @max-3xl:hidden @5xl:@max-[81rem]:hidden" title={t.rateTitle}>
          {rate}
        </span>
      )}
      <Button
        look="quiet"
        aria-label={isPaused ? t.resume : t.pause}
        title={isPaused ? t.resumeTitle : t.pauseTitle}
        icon={isPaused ? <Play size={14} /> : <Pause size={14} />}
        onClick={isPaused ? onResume : onPause}
      >
        <span className="@max-[81rem]:hidden">{isPaused ? t.resume : t.pause}</span>
      </Button>
    </div>
  );
}
