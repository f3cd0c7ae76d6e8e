import type { Platform } from '../foundation/platform.ts';
import type { Store } from '../stores/store.ts';
import type { JudgeParts } from './judge-alarms.ts';

export interface AlarmWatch {
  /** Judges every minute from now on, as long as there are alarms. */
  start(): void;
  /** Call it after alarms have been written, here or elsewhere: the first of them has to be judged from now on. */
  refresh(): void;
  /** Resolves when nothing is judged or sent any more. */
  close(): Promise<void>;
}

interface WatchParts extends JudgeParts {
  readonly store: JudgeParts['store'] & Pick<Store, 'entries'>;
  readonly platform: Platform;
  readonly instanceId: () => string;
}

const EVERY_MS = 60_000;
const CLAIM = 'alarms';
/** The first of several processes judges for all of them; should it end, another does at its next minute. */
const CLAIM_MS = 50_000;

/** Creates what judges alarms. Costs nothing while there are none. */
export function createAlarmWatch(parts: WatchParts): AlarmWatch {
  const { store, platform, logger } = parts;
  let isOpen = false;
  let cancel: (() => void) | undefined;
  let judging = Promise.resolve();

  const judge = async (): Promise<void> => {
    if ((await store.entries?.claim(CLAIM, parts.instanceId(), CLAIM_MS)) !== undefined) return;
    const { judgeAlarms } = await import('./judge-alarms.ts');
    await judgeAlarms(parts);
  };
  const wait = (): void => {
    const isAny = (store.settings.get().alarms ?? []).length > 0;
    cancel = isOpen && isAny ? platform.setTimer(begin, EVERY_MS) : undefined;
  };

  const begin = (): void => {
    judging = judge()
      .catch((error: unknown) => logger.warn('the alarms could not be judged', { reason: String(error) }))
      .then(wait);
  };

  return {
    start() {
      isOpen = platform.isPerRequest !== true;
      wait();
    },
    refresh() {
      // The timer of the present round, or the end of the one under way, sees them.
      if (cancel === undefined) wait();
    },
    async close() {
      isOpen = false;
      cancel?.();
      await judging;
    },
  };
}
