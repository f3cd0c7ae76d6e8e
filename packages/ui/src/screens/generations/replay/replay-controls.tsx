import { Pause, Play } from 'lucide-react';
import type { KeyboardEvent } from 'react';

import { formatCount, formatDuration } from '../../../format/quantity.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Choice } from '../../../parts/controls/field.tsx';
import type { Replay, ReplaySpeed, ReplayState } from './create-replay.ts';
import type { Arrival } from './to-arrivals.ts';

const SPEEDS: Readonly<Record<'1' | '4' | 'instant', ReplaySpeed>> = { '1': 1, '4': 4, instant: 'instant' };
type SpeedName = keyof typeof SPEEDS;
const SPEED_LABELS = { '1': '1×', '4': '4×', instant: 'Instant' };

interface ReplayControlsProps {
  readonly replay: Replay;
  readonly state: ReplayState;
  readonly arrivals: readonly Arrival[];
  /** The last that had come. */
  readonly at: number;
}

/** Plays a completion again, or goes to any moment of it. */
export function ReplayControls({ replay, state, arrivals, at }: ReplayControlsProps) {
  const durationMs = arrivals.at(-1)?.atMs ?? 0;
  const { textLength = 0, reasoningLength = 0 } = arrivals[at] ?? {};
  const position = `${formatDuration(state.atMs)} of ${formatDuration(durationMs)}`;
  // A step is a piece: a millisecond, as the slider has it by itself, is nothing one could see.
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = STEPS[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const isBetween = by < 0 && (arrivals[at]?.atMs ?? 0) < state.atMs;
    replay.seek(arrivals[isBetween ? at : at + by]?.atMs ?? (by < 0 ? 0 : durationMs));
  };
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-2.5">
      <Button
        look="primary"
        icon={state.isPlaying ? <Pause size={15} aria-hidden /> : <Play size={15} aria-hidden />}
        onClick={state.isPlaying ? replay.pause : replay.play}
        className="min-w-22"
      >
        {state.isPlaying ? 'Pause' : 'Play'}
      </Button>
      <Choice
        label="Speed"
        value={String(state.speed) as SpeedName}
        options={SPEED_LABELS}
        onChange={(name) => replay.setSpeed(SPEEDS[name])}
      />
      <span className="figures text-sm text-ink-soft">{position}</span>
      <input
        type="range"
        min={0}
        max={durationMs}
        step={1}
        value={Math.round(state.atMs)}
        aria-label="Moment of the answer"
        aria-valuetext={`${position}, ${formatCount(textLength + reasoningLength)} characters`}
        onChange={(event) => replay.seek(Number(event.target.value))}
        onKeyDown={onKeyDown}
        className="h-6 min-w-40 flex-1 basis-full cursor-pointer accent-accent"
      />
    </div>
  );
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 };
