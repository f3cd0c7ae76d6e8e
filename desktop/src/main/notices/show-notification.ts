import { Notification } from 'electron';

import type { NotificationPlan } from './to-notification.ts';

/** What of a notification is shown, and what it leads to. */
export type ShownNotification = Pick<NotificationPlan, 'title' | 'body' | 'place'>;

/** Shown ones. Electron forgets their clicks once they are collected as garbage. */
const shown = new Set<Notification>();
/** More than a user has in sight. */
const MAX_SHOWN = 20;

/** Shows it where the system has notifications; a click opens its place. */
export function showNotification({ title, body, place }: ShownNotification, open: (place: string) => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  notification.on('click', () => open(place));
  notification.on('close', () => shown.delete(notification));
  const [oldest] = shown;
  if (shown.size >= MAX_SHOWN && oldest !== undefined) shown.delete(oldest);
  shown.add(notification);
  notification.show();
}
