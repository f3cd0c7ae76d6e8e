import { createStore, type StoreApi } from 'zustand/vanilla';

import type { Schedule } from '../../../features/playground/create-run.ts';

/** How many times faster than it was. */
export type ReplaySpeed = 1 | 4 | 'instant';

export interface ReplayState {
  readonly atMs: number;
  readonly isPlaying: boolean;
  readonly speed: ReplaySpeed;
}

/** Moves through the time of a completion. */
export interface Replay extends Omit<StoreApi<ReplayState>, 'setState'> {
  /** Goes on, from the beginning when it is at the end. */
  play(): void;
  pause(): void;
  /** Goes to a moment and stays there. */
  seek(atMs: number): void;
  setSpeed(speed: ReplaySpeed): void;
}

export interface ReplayOptions {
  /** Calls back before the next paint, and never while the page is hidden. */
  readonly schedule: Schedule;
  readonly now: () => number;
  readonly durationMs: number;
  readonly speed: ReplaySpeed;
  /** Time between two changes while it plays; 0 for one a frame. */
  readonly stepMs: number;
}

/** A longer frame was none: the page was hidden, or stood still. */
const MAX_FRAME_MS = 250;

/** Creates a replay that stands at the end. */
export function createReplay({ schedule, now, durationMs, speed, stepMs }: ReplayOptions): Replay {
  const { setState, ...store } = createStore<ReplayState>(() => ({ atMs: durationMs, isPlaying: false, speed }));
  const { getState } = store;
  /** The number of the latest playing; frames of an earlier one do nothing. */
  let round = 0;

  const run = (): void => {
    round += 1;
    const own = round;
    let lastFrame = now();
    let waitedMs = 0;
    const onFrame = (): void => {
      const state = getState();
      if (own !== round || !state.isPlaying || state.speed === 'instant') return;
      const frame = now();
      waitedMs += Math.min(frame - lastFrame, MAX_FRAME_MS);
      lastFrame = frame;
      const atMs = Math.min(state.atMs + waitedMs * state.speed, durationMs);
      const isOver = atMs === durationMs;
      if (isOver || waitedMs >= stepMs) {
        waitedMs = 0;
        setState({ atMs, isPlaying: !isOver });
      }
      if (!isOver) schedule(onFrame);
    };
    schedule(onFrame);
  };

  return {
    ...store,
    play() {
      const state = getState();
      if (state.speed === 'instant') return setState({ atMs: durationMs, isPlaying: false });
      setState({ atMs: state.atMs >= durationMs ? 0 : state.atMs, isPlaying: true });
      run();
    },
    pause: () => setState({ isPlaying: false }),
    seek: (atMs) => setState({ atMs: Math.min(Math.max(atMs, 0), durationMs), isPlaying: false }),
    setSpeed(next) {
      if (next === 'instant' && getState().isPlaying) setState({ speed: next, atMs: durationMs, isPlaying: false });
      else setState({ speed: next });
    },
  };
}
