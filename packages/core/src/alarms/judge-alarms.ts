import type { Logger } from '../foundation/host.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import type { Store } from '../stores/store.ts';
import type { Alarm, FiredAlarm } from '../wire/alarms.ts';
import { boundsOf } from './forecast.ts';
import { measureAlarm, type MeasureParts } from './measure-alarm.ts';
import { type AlarmChannels, type AlarmListener, sendAlarm } from './send-alarm.ts';

export interface JudgeParts extends MeasureParts {
  readonly store: MeasureParts['store'] & Pick<Store, 'settings'>;
  readonly platform: Platform;
  readonly logger: Logger;
  readonly channels: AlarmChannels;
  readonly onAlarm?: AlarmListener | undefined;
}

/** How often a message is sent to a receiver that does not take it; the waits double. */
const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 60_000;

/**
 * Fires the alarms that have reached their thresholds, and sends what is to be sent. That an alarm has fired is in the
 * settings before anything is sent, as is each attempt, so that instances and processes that end agree on it. A process
 * that ends between an attempt and its result leaves it to be sent again, with the same id.
 */
export async function judgeAlarms(parts: JudgeParts): Promise<void> {
  for (const alarm of parts.store.settings.get().alarms ?? []) {
    try {
      await judge(alarm, parts);
    } catch (error) {
      // The others are judged all the same, and this one in a minute.
      parts.logger.warn('an alarm could not be judged', { alarm: alarm.id, reason: String(error) });
    }
  }
  for (const alarm of parts.store.settings.get().alarms ?? []) await sendDue(alarm, parts);
}

async function judge(alarm: Alarm, parts: JudgeParts): Promise<void> {
  const nowMs = parts.platform.now();
  const period = boundsOf(alarm.period, nowMs).from;
  if (!mayFire(alarm, period, nowMs)) return;
  const measured = await measureAlarm(alarm, parts);
  if (measured === null || measured.value < alarm.threshold) return;
  const at = new Date(nowMs).toISOString();
  const fired: FiredAlarm = {
    id: createUuid(parts.platform),
    period,
    at,
    value: measured.value,
    message: measured.text,
    acknowledged_at: null,
    deliveries: alarm.to.map(() => ({ attempts: 0, delivered_at: null, next_at: at, result: null })),
  };
  // Only the first of several instances finds it as it was judged.
  const isFirst = await changeAlarm(parts.store, alarm.id, (latest) =>
    latest.updated_at === alarm.updated_at && mayFire(latest, period, nowMs) ? withFired(latest, fired) : null,
  );
  if (!isFirst) return;
  parts.logger.warn('an alarm has fired', { alarm: alarm.name, reason: measured.text });
  parts.onAlarm?.({ id: alarm.id, name: alarm.name });
}

const MAX_HISTORY = 10;

/** The alarm with another last time, or none; the former one is history. */
export function withFired(alarm: Alarm, fired: FiredAlarm | null): Alarm {
  if (alarm.fired === null) return { ...alarm, fired };
  const { deliveries: _, ...former } = alarm.fired;
  return { ...alarm, fired, history: [former, ...(alarm.history ?? [])].slice(0, MAX_HISTORY) };
}

/** Once a period, and not while it is silenced. */
function mayFire({ fired, silenced_until: silencedUntil }: Alarm, period: string, nowMs: number): boolean {
  if (silencedUntil !== null && Date.parse(silencedUntil) > nowMs) return false;
  return fired === null || fired.period < period;
}

/** Sends to all receivers at once that are due. */
async function sendDue({ id, to, fired, ...alarm }: Alarm, parts: JudgeParts): Promise<void> {
  const { platform, store, channels, logger } = parts;
  if (fired === null) return;
  const isDue = ({ next_at: nextAt }: FiredAlarm['deliveries'][number]): boolean =>
    nextAt !== null && Date.parse(nextAt) <= platform.now();
  const send = async (index: number): Promise<void> => {
    const receiver = to[index];
    const before = fired.deliveries[index];
    if (receiver === undefined || before === undefined || !isDue(before)) return;
    const attempts = before.attempts + 1;
    const wait = FIRST_WAIT_MS * 2 ** before.attempts;
    const nextAt = attempts >= MAX_ATTEMPTS ? null : new Date(platform.now() + wait).toISOString();
    const change = (delivery: Partial<typeof before>): Promise<boolean> =>
      changeAlarm(store, id, (latest) => {
        const known = latest.fired?.id === fired.id ? latest.fired.deliveries[index] : undefined;
        // Somebody else has begun the same attempt, or has ended it.
        const expected = 'result' in delivery ? attempts : before.attempts;
        if (latest.fired === null || known === undefined || known.attempts !== expected) return null;
        const deliveries = latest.fired.deliveries.with(index, { ...known, ...delivery });
        return { ...latest, fired: { ...latest.fired, deliveries } };
      });
    if (!(await change({ attempts, next_at: nextAt }))) return;
    const { period, at, value, message: text } = fired;
    const message = { id: fired.id, type: 'alarm.fired' as const, alarm: { id, ...alarm }, at, value, text };
    const outcome = await sendAlarm(receiver, { ...message, periodFrom: period }, channels, platform);
    const now = new Date(platform.now()).toISOString();
    if (outcome.isDelivered) await change({ delivered_at: now, next_at: null, result: outcome.result });
    else await change({ ...(outcome.isFinal && { next_at: null }), result: outcome.result });
    if (!outcome.isDelivered && (nextAt === null || outcome.isFinal))
      logger.error('an alarm could not be delivered', { alarm: alarm.name, to: receiver.type, reason: outcome.result });
  };
  await Promise.all(fired.deliveries.map((_, index) => send(index)));
}

/** Changes one alarm; false where it is gone, or the change is null. */
export async function changeAlarm(
  { settings }: Pick<Store, 'settings'>,
  id: string,
  change: (alarm: Alarm) => Alarm | null,
): Promise<boolean> {
  let isChanged = false;
  await settings.update((before) => {
    // It may be called more than once: the last call counts.
    isChanged = false;
    const alarms = before.alarms?.map((alarm) => {
      const changed = alarm.id === id ? change(alarm) : null;
      if (changed === null) return alarm;
      isChanged = true;
      return changed;
    });
    return isChanged ? { ...before, alarms } : before;
  });
  return isChanged;
}
