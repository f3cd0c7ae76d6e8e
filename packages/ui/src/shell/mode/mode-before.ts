import type { FixtureMode, FixtureState } from '@model-gateway/core/wire';

/** Where this browser keeps the mode before recording, so that a page that is loaded anew finds it, and another tab. */
const STORAGE_KEY = 'model-gateway.mode-before-recording';

const isRecording = (mode: string): boolean => mode.startsWith('record');

/** Keeps the mode that a recording begins from; one that is over has none. */
export function keepModeBefore({ mode, recording }: FixtureState, next: FixtureMode): void {
  if (recording === null) write(isRecording(next) ? mode : null);
}

/**
 * Keeps which recording it is the mode before: another may begin elsewhere, from another mode. A recording whose way is
 * changed goes on as `next`.
 */
export function noteRecording(before: FixtureState['recording'], next: FixtureState['recording']): void {
  const [mode, since = before?.since] = read();
  if (next !== null && mode !== null && since === before?.since) write(`${mode} ${next.since}`);
}

/** Forgets it once the mode is another than recording. */
export function forgetModeBefore(mode: FixtureMode): void {
  if (!isRecording(mode)) write(null);
}

/**
 * The mode that the end of a recording leads to: the one before it, because a replay must not end in calls that cost
 * something. Where that is not known, a replay of what there is.
 */
export function toModeAfter({ cases, recording, switches_to: modes }: FixtureState): FixtureMode {
  const [kept, since = recording?.since] = read();
  if ((kept === 'live' || kept === 'replay') && since === recording?.since) return kept;
  // The desktop app switches by starting the gateway again, which names no modes then.
  const canReplay = modes.length === 0 || modes.includes('replay');
  return cases > 0 && canReplay ? 'replay' : 'live';
}

/** The mode, and when the recording began where that is known. */
function read(): readonly [mode: string | null, since?: string] {
  try {
    const [mode = null, since] = globalThis.localStorage?.getItem(STORAGE_KEY)?.split(' ') ?? [];
    return since === undefined ? [mode] : [mode, since];
  } catch {
    return [null];
  }
}

function write(mode: string | null): void {
  try {
    if (mode === null) globalThis.localStorage?.removeItem(STORAGE_KEY);
    else globalThis.localStorage?.setItem(STORAGE_KEY, mode);
  } catch {
    // Forbidden: the mode is not known then.
  }
}
