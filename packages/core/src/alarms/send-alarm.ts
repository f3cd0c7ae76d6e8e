import type { Platform } from '../foundation/platform.ts';
import { type DeliveryOutcome, deliverWebhook, type WebhookOptions } from '../webhooks/webhooks.ts';
import type { Alarm, AlarmReceiver } from '../wire/alarms.ts';

/** Sends the mails of alarms: `createSmtpMailer` of `@model-gateway/node/mail` does. */
export interface AlarmMailer {
  /** Makes one attempt. Never rejects; the result has neither addresses nor what the server wrote. */
  send(mail: AlarmMail): Promise<DeliveryOutcome>;
}

export interface AlarmMail {
  /** The same for every attempt, so that a mailbox shows one of two. */
  readonly id: string;
  /** An address, without a name. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** The ways to the receivers. Undefined: no message goes that way. */
export interface AlarmChannels {
  readonly webhooks: WebhookOptions | undefined;
  readonly mailer: AlarmMailer | undefined;
}

/** Called in the process that a fired alarm was found in, once for each time. */
export type AlarmListener = (alarm: Pick<Alarm, 'id' | 'name'>) => void;

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

/** It may be set up before the next attempt. */
export const NO_CHANNEL: DeliveryOutcome = { isDelivered: false, isFinal: false, result: 'not set up' };

/** The limits of Slack's headers and of Discord's titles. */
const MAX_TITLE = 150;
const RED = 0xd3_2f_2f;

/** The body of a message in the form of a receiver. */
export function toAlarmBody(type: Exclude<AlarmReceiver['type'], 'mail'>, message: AlarmMessage): string {
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

/** The address of a receiver by mail, as `mailto:` has it. */
export const toMailAddress = (url: string): string => url.slice('mailto:'.length);

/**
 * Sends a message to one receiver, once. Never rejects. Webhooks are signed; Slack and Discord know their callers by the
 * address.
 */
export async function sendAlarm(
  { type, url }: AlarmReceiver,
  message: AlarmMessage,
  { webhooks, mailer }: AlarmChannels,
  platform: Platform,
): Promise<DeliveryOutcome> {
  if (type === 'mail') {
    if (mailer === undefined) return NO_CHANNEL;
    const { id, alarm, at, text } = message;
    return mailer.send({
      id,
      to: toMailAddress(url),
      subject: alarm.name,
      text: `${text}\n\nModel Gateway · ${at}\n`,
    });
  }
  if (webhooks === undefined) return NO_CHANNEL;
  const options = type === 'webhook' ? webhooks : { ...webhooks, signingSecrets: [] };
  return deliverWebhook(url, { id: message.id, body: toAlarmBody(type, message) }, options, platform);
}
