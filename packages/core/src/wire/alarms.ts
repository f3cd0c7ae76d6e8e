import { z } from 'zod';

/** What an alarm looks at. */
export const ALARM_KINDS = [
  'spend_share',
  'spend_usd',
  'projected_usd',
  'spend_spike',
  'error_rate',
  'first_token_ms',
  'duration_ms',
  'provider_down',
  'key_refused',
  'guardrail_hits',
] as const;
export type AlarmKind = (typeof ALARM_KINDS)[number];

export const ALARM_PERIODS = ['day', 'week', 'month'] as const;
export type AlarmPeriod = (typeof ALARM_PERIODS)[number];

const subjectText = (kinds: string) =>
  z
    .string()
    .max(1010)
    .regex(
      new RegExp(`^(account|(${kinds}):.+)$`, 's'),
      `must be account, or an id after ${kinds.replaceAll('|', ': or ')}:`,
    );

/** Whose calls: `account`, `key:HASH` or `workspace:ID`. */
const alarmSubject = subjectText('key|workspace');

const receiverSchema = z.object({
  type: z.enum(['webhook', 'slack', 'discord', 'mail']),
  /** `https:`, or `mailto:` for mail. */
  url: z.string().min(1).max(2048),
});
export type AlarmReceiver = z.infer<typeof receiverSchema>;

const writable = {
  name: z.string().min(1).max(100),
  what: z.enum(ALARM_KINDS),
  of: alarmSubject,
  /** Per cent for shares and rates, USD for money, milliseconds for latency, a factor for a spike, else a number. */
  threshold: z.number().gt(0).max(1_000_000_000),
  period: z.enum(ALARM_PERIODS),
  /** How far back failures, latency and spikes are looked at. Default: 60. */
  window_minutes: z.int().min(5).max(1440).optional(),
  /** Fewer calls than this in the window make no failure rate and no latency. Default: 10. */
  min_calls: z.int().min(1).max(1_000_000).optional(),
  /** Less than this in the window is no spike. Default: 1. */
  min_usd: z.number().gt(0).max(1_000_000_000).optional(),
};
/** Nothing fires before this moment. */
const silencedUntil = z.iso.datetime({ offset: true }).nullable();

/** What became of the message to one receiver. */
const alarmDeliverySchema = z.object({
  attempts: z.int(),
  delivered_at: z.string().nullable(),
  /** The next attempt; null where there is none. */
  next_at: z.string().nullable(),
  /** A few words about the last attempt. */
  result: z.string().nullable(),
});

/** An alarm that has reached its threshold. */
const firedSchema = z.object({
  /** The same for every attempt and every receiver. */
  id: z.string(),
  /** The first day of the period, in UTC. */
  period: z.string(),
  at: z.string(),
  value: z.number(),
  /** In words. */
  message: z.string(),
  acknowledged_at: z.string().nullable(),
  /** One for each receiver, in their order. */
  deliveries: z.array(alarmDeliverySchema),
});
export type FiredAlarm = z.infer<typeof firedSchema>;

/** Former times, newest first; 10 at most. */
const historySchema = z.array(firedSchema.omit({ deliveries: true }));

/** A rule that sends a message once a period, when a figure has reached its threshold. */
export const alarmSchema = z.object({
  id: z.string(),
  ...writable,
  to: z.array(receiverSchema),
  silenced_until: z.string().nullable(),
  /** The last time; null for never. */
  fired: firedSchema.nullable(),
  /** The times before that. */
  history: historySchema.optional(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type Alarm = z.infer<typeof alarmSchema>;

/** None: what has fired is shown by the UI alone. */
const receivers = z.array(z.strictObject(receiverSchema.shape)).max(5);

/** The body of `POST /admin/v1/alarms`. Closed. */
export const createAlarmRequestSchema = z.strictObject({
  ...writable,
  of: alarmSubject.default('account'),
  period: writable.period.default('month'),
  to: receivers,
  silenced_until: silencedUntil.default(null),
});

/** The body of `PATCH /admin/v1/alarms/{id}`: what is left out stays. Closed. */
export const updateAlarmRequestSchema = z
  .strictObject({
    ...writable,
    to: receivers,
    silenced_until: silencedUntil,
    /** True: the people concerned know of the last message. */
    acknowledged: z.boolean(),
  })
  .partial();

export const alarmResponseSchema = z.object({ data: alarmSchema });
export const alarmListSchema = z.object({ data: z.array(alarmSchema) });

/** The response of `POST /admin/v1/alarms/{id}/test`: the result at each receiver. */
export const alarmTestSchema = z.object({
  data: z.array(z.object({ type: receiverSchema.shape.type, success: z.boolean(), result: z.string() })),
});

/** The query of `GET /admin/v1/forecast`. */
export const forecastQuerySchema = z.object({
  of: subjectText('key|member|workspace|model').default('account'),
  period: writable.period.default('month'),
});

/** What calls will have cost at the end of a period. USD. */
export const forecastSchema = z.object({
  of: z.string(),
  period: writable.period,
  /** The first day of the period, and the first after it, in UTC. */
  from: z.string(),
  until: z.string(),
  spent_usd: z.number(),
  /** Null while fewer than three whole days are known. */
  projected_usd: z.number().nullable(),
  /** Four of five ends are expected between these. */
  low_usd: z.number().nullable(),
  high_usd: z.number().nullable(),
  /** Whole days with and after the first spending that it rests on, 56 at most. */
  known_days: z.int(),
  /** Each day of the period: what it has cost, and what is expected of it beyond that. */
  days: z.array(z.object({ date: z.string(), spent_usd: z.number(), expected_usd: z.number().nullable() })),
});
export type Forecast = z.infer<typeof forecastSchema>;
export const forecastResponseSchema = z.object({ data: forecastSchema });
