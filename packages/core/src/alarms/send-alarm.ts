import type { Platform } from '../foundation/platform.ts';
import { type DeliveryOutcome, deliverWebhook, type WebhookOptions } from '../webhooks/webhooks.ts';
import type { Alarm, AlarmReceiver } from '../wire/alarms.ts';

/** What the receivers of an alarm are told. */
export interface AlarmMessage {
  /** The same for every attempt and every receiver. */
  readonly id: string;
  readonly type: 'alarm.fired' | 'alarm.test';
  readonly alarm: Pick<Alarm, 'id' | 'name' | 'what' | 'of' | 'threshold' | 'period'>;
  /** The first day of the period; null in a test. */
  readonly periodFrom: string | null;
  readonly at: string;
  readonly value: number | null;
  /** In words. */
  readonly text: string;
}

/** The limits of Slack's headers and of Discord's titles. */
const MAX_TITLE = 150;
const RED = 0xd3_2f_2f;

/** The body of a message in the form of a receiver. */
export function toAlarmBody(type: AlarmReceiver['type'], message: AlarmMessage): string {
  const { id, alarm, at, value, text, periodFrom } = message;
  const title = alarm.name.slice(0, MAX_TITLE);
  switch (type) {
    case 'webhook': {
      const { id: alarmId, name, what, of, threshold, period } = alarm;
      const rule = { id: alarmId, name, what, of, threshold, period };
      const data = { alarm: rule, period_from: periodFrom, value, message: text };
      return JSON.stringify({ id, type: message.type, created_at: at, data });
    }
    case 'slack':
      return JSON.stringify({
        text: escapeSlack(`${title}: ${text}`),
        blocks: [
          { type: 'header', text: { type: 'plain_text', text: title, emoji: false } },
          { type: 'section', text: { type: 'mrkdwn', text: escapeSlack(text) } },
          { type: 'context', elements: [{ type: 'plain_text', text: `Model Gateway · ${at}`, emoji: false }] },
        ],
      });
    case 'discord':
      return JSON.stringify({
        content: `${title}: ${text}`,
        embeds: [{ title, description: text, color: RED, timestamp: at, footer: { text: 'Model Gateway' } }],
        // A name with @everyone in it calls nobody.
        allowed_mentions: { parse: [] },
      });
  }
}

const SLACK_ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

const escapeSlack = (text: string): string => text.replace(/[&<>]/g, (sign) => SLACK_ESCAPES[sign] as string);

/** Sends a message to one receiver, once. Webhooks are signed; Slack and Discord know their callers by the address. */
export function sendAlarm(
  { type, url }: AlarmReceiver,
  message: AlarmMessage,
  webhooks: WebhookOptions,
  platform: Platform,
): Promise<DeliveryOutcome> {
  const options = type === 'webhook' ? webhooks : { ...webhooks, signingSecrets: [] };
  return deliverWebhook(url, { id: message.id, body: toAlarmBody(type, message) }, options, platform);
}
