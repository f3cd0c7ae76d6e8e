import type { Settings } from '@model-gateway/ui/desktop-bridge';

import { texts } from '../texts.ts';
import { type NoticeOfApp, type NotificationPlan, toNotification } from './to-notification.ts';

/** Shows notices to the user, except those that are turned off, and each cause at most once in ten minutes. */
export type Notifier = (notice: NoticeOfApp) => void;

export interface NotifierOptions {
  readonly settings: () => Settings;
  readonly now: () => number;
  readonly show: (plan: NotificationPlan) => void;
}

const QUIET_MS = 10 * 60 * 1000;

export function createNotifier({ settings, now, show }: NotifierOptions): Notifier {
  const shownAt = new Map<string, number>();
  return (notice) => {
    const plan = toNotification(notice, texts());
    if (!settings()[plan.setting]) return;
    const nowMs = now();
    for (const [cause, at] of shownAt) if (nowMs - at >= QUIET_MS) shownAt.delete(cause);
    if (shownAt.has(plan.cause)) return;
    shownAt.set(plan.cause, nowMs);
    show(plan);
  };
}
