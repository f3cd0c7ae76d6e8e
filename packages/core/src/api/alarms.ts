import type { AlarmWatch } from '../alarms/alarm-watch.ts';
import { readForecast } from '../alarms/forecast.ts';
import { changeAlarm, withFired } from '../alarms/judge-alarms.ts';
import type { LiveMailer } from '../alarms/live-mailer.ts';
import { findSubjectProblem, findWindowProblem } from '../alarms/measure-alarm.ts';
import { sendAlarm, toMailAddress } from '../alarms/send-alarm.ts';
import { GatewayError } from '../foundation/errors.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import type { Store } from '../stores/store.ts';
import type { WebhookOptions } from '../webhooks/webhooks.ts';
import {
  type Alarm,
  alarmListSchema,
  alarmResponseSchema,
  alarmTestSchema,
  createAlarmRequestSchema,
  forecastQuerySchema,
  forecastResponseSchema,
  updateAlarmRequestSchema,
} from '../wire/alarms.ts';
import { deletedSchema, givenFields, refuseField } from '../wire/fields.ts';
import { refuseCallbackUrl } from './webhooks.ts';

export interface AlarmParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'settings' | 'generations'>;
  readonly webhooks: WebhookOptions | undefined;
  readonly mailer: Pick<LiveMailer, 'send' | 'isSetUp'>;
  readonly alarms: Pick<AlarmWatch, 'refresh'>;
}

/** All of them are read with the settings, and judged every minute. */
const MAX_ALARMS = 100;

/** `GET /admin/v1/alarms`: oldest first. */
export const listAlarms = operation<AlarmParts>()({
  response: alarmListSchema,
  run: ({ parts }) => ({ data: [...(parts.store.settings.get().alarms ?? [])] }),
});

/** `POST /admin/v1/alarms` */
export const createAlarm = operation<AlarmParts>()({
  body: createAlarmRequestSchema,
  response: alarmResponseSchema,
  status: 201,
  async run({ parts: { platform, store, webhooks, mailer, alarms: watch }, body }) {
    refuseUnusable(body, { webhooks, mailer });
    const now = new Date(platform.now()).toISOString();
    const alarm: Alarm = { id: createUuid(platform), ...body, fired: null, created_at: now, updated_at: now };
    await store.settings.update((settings) => {
      const alarms = settings.alarms ?? [];
      if (alarms.length >= MAX_ALARMS)
        throw new GatewayError('invalid_request', `There are ${MAX_ALARMS} alarms already; delete one first`);
      return { ...settings, alarms: [...alarms, alarm] };
    });
    watch.refresh();
    return { data: alarm };
  },
});

/** `PATCH /admin/v1/alarms/{id}`: an alarm that looks at something else from now on may fire again in this period. */
export const updateAlarm = operation<AlarmParts>()({
  params: ['id'],
  body: updateAlarmRequestSchema,
  response: alarmResponseSchema,
  async run({ params, parts: { platform, store, webhooks, mailer }, body: { acknowledged, ...body } }) {
    const found = findAlarm(params.id, { store });
    // Receivers that are there already may have lost their way: the alarm can be silenced all the same.
    refuseUnusable({ ...found, to: [], ...givenFields(body) }, { webhooks, mailer });
    const now = new Date(platform.now()).toISOString();
    const change = (alarm: Alarm): Alarm => {
      const changed: Alarm = { ...alarm, ...givenFields(body), updated_at: now };
      const isSameRule = RULE_FIELDS.every((field) => changed[field] === alarm[field]);
      if (!isSameRule) return withFired(changed, null);
      return { ...changed, fired: settleFired(alarm, body.to !== undefined, acknowledged, now) };
    };
    await changeAlarm(store, found.id, change);
    return { data: findAlarm(found.id, { store }) };
  },
});

const RULE_FIELDS = ['what', 'of', 'threshold', 'period', 'window_minutes', 'min_calls', 'min_usd'] as const;

/** People who know of it need no further attempts, and other receivers none of an old message. */
function settleFired(
  { fired }: Alarm,
  isSentElsewhere: boolean,
  acknowledged: boolean | undefined,
  now: string,
): Alarm['fired'] {
  if (fired === null) return null;
  const stopped = fired.deliveries.map((delivery) => ({ ...delivery, next_at: null }));
  return {
    ...fired,
    acknowledged_at:
      acknowledged === undefined ? fired.acknowledged_at : acknowledged ? (fired.acknowledged_at ?? now) : null,
    deliveries: isSentElsewhere ? [] : acknowledged === true ? stopped : fired.deliveries,
  };
}

/** `DELETE /admin/v1/alarms/{id}` */
export const deleteAlarm = operation<AlarmParts>()({
  params: ['id'],
  response: deletedSchema,
  async run({ params: { id }, parts: { store } }) {
    findAlarm(id, { store });
    await store.settings.update((settings) => ({
      ...settings,
      alarms: settings.alarms?.filter((alarm) => alarm.id !== id),
    }));
    return { deleted: true };
  },
});

/** `POST /admin/v1/alarms/{id}/test`: sends a test to each receiver, once. It succeeds when all were asked. */
export const testAlarm = operation<AlarmParts>()({
  params: ['id'],
  response: alarmTestSchema,
  async run({ params, parts: { platform, store, webhooks, mailer } }) {
    const alarm = findAlarm(params.id, { store });
    refuseUnusable(alarm, { webhooks, mailer });
    const at = new Date(platform.now()).toISOString();
    const text = 'This is a test. Nothing has happened.';
    const message = {
      id: createUuid(platform),
      type: 'alarm.test' as const,
      alarm,
      periodFrom: null,
      at,
      value: null,
      text,
    };
    const send = async (receiver: Alarm['to'][number]) => {
      const { isDelivered, result } = await sendAlarm(receiver, message, { webhooks, mailer }, platform);
      return { type: receiver.type, success: isDelivered, result };
    };
    return { data: await Promise.all(alarm.to.map(send)) };
  },
});

/** `GET /admin/v1/forecast`: what the period will have cost at its end. */
export const getForecast = operation<AlarmParts>()({
  query: forecastQuerySchema,
  response: forecastResponseSchema,
  run: async ({ parts, query: { of, period } }) => ({ data: await readForecast(of, period, parts) }),
});

function findAlarm(id: string, { store }: { readonly store: Pick<Store, 'settings'> }): Alarm {
  const alarm = store.settings.get().alarms?.find((each) => each.id === id);
  if (alarm === undefined) throw new GatewayError('not_found', `There is no alarm ${id.slice(0, 100)}`);
  return alarm;
}

function refuseUnusable(
  { what, of, to, window_minutes }: Pick<Alarm, 'what' | 'of' | 'to' | 'window_minutes'>,
  { webhooks, mailer }: Pick<AlarmParts, 'webhooks' | 'mailer'>,
): void {
  const problem = findSubjectProblem({ what, of });
  if (problem !== undefined) throw refuseField('of', problem);
  const windowProblem = findWindowProblem({ what, window_minutes });
  if (windowProblem !== undefined) throw refuseField('window_minutes', windowProblem);
  for (const [index, { type, url }] of to.entries()) {
    const field = `to.${index}.url`;
    if (type === 'mail') refuseMailAddress(field, url, mailer);
    else refuseCallbackUrl(field, url, webhooks);
  }
}

/** One address and nothing that could be read as a second, or as a header. */
const MAIL_ADDRESS = /^[^\s@<>()[\],;:"\\]{1,64}@[^\s@<>()[\],;:"\\]{1,255}$/;

function refuseMailAddress(field: string, url: string, mailer: Pick<LiveMailer, 'isSetUp'>): void {
  if (!mailer.isSetUp())
    throw refuseField(field, 'cannot be used: this gateway sends no mail; set up a mail server first');
  if (!url.startsWith('mailto:') || !MAIL_ADDRESS.test(toMailAddress(url)))
    throw refuseField(field, 'must be mailto: and one address, such as mailto:ops@example.com');
}
