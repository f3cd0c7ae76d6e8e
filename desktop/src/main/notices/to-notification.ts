import type { Settings } from '@model-gateway/ui/desktop-bridge';
import type { Messages } from '@model-gateway/ui/messages';

import type { Notice } from '../../shared/gateway-messages.ts';

/** Everything that the app may notify of. */
export type NoticeOfApp = Notice | { readonly type: 'update'; readonly version: string };

export interface NotificationPlan {
  /** What it is about: one notification each in a span of time. */
  readonly cause: string;
  /** The setting that turns it off. */
  readonly setting: keyof Settings & `notify${string}`;
  readonly title: string;
  readonly body: string;
  /** The place of the UI that a click opens. */
  readonly place: string;
}

/** Puts a notice into words. */
export function toNotification(notice: NoticeOfApp, { notices: words }: Messages): NotificationPlan {
  switch (notice.type) {
    case 'budget':
      return {
        cause: 'budget',
        setting: 'notifyBudget',
        title: words.budget,
        body: words.budgetDetail,
        // What a budget refuses never becomes a call.
        place: 'generations?refused=1',
      };
    case 'alarm':
      return {
        cause: `alarm ${notice.id}`,
        setting: 'notifyAlarms',
        title: words.alarm(notice.name),
        body: words.alarmDetail,
        place: `settings?section=alarms&open=${encodeURIComponent(notice.id)}`,
      };
    case 'provider':
      return {
        cause: `provider ${notice.slug} ${notice.isDown ? 'down' : 'back'}`,
        setting: 'notifyProviders',
        title: notice.isDown ? words.providerDown(notice.name) : words.providerBack(notice.name),
        body: notice.isDown ? words.providerDownDetail : '',
        place: `providers?open=${encodeURIComponent(notice.slug)}`,
      };
    case 'video':
      return {
        cause: `video ${notice.jobId}`,
        setting: 'notifyVideos',
        title: notice.isDone ? words.videoDone : words.videoFailed,
        body: notice.isDone ? words.videoDetail(notice.model) : words.videoFailedDetail(notice.model),
        place: `videos?open=${encodeURIComponent(notice.jobId)}`,
      };
    case 'update':
      return {
        cause: `update ${notice.version}`,
        setting: 'notifyUpdates',
        title: words.update(notice.version),
        body: words.updateDetail,
        place: 'settings?section=desktop',
      };
  }
}
