import type { LiveMailer } from '../alarms/live-mailer.ts';
import { GatewayError } from '../foundation/errors.ts';
import type { SecretBox } from '../foundation/host.ts';
import { createUuid, type Platform } from '../foundation/platform.ts';
import { operation } from '../http/operation.ts';
import { mailContextOf } from '../stores/sealed-contexts.ts';
import type { Store } from '../stores/store.ts';
import { deletedSchema, refuseField } from '../wire/fields.ts';
import {
  mailResponseSchema,
  type MailSettings,
  mailTestSchema,
  type PutMailRequest,
  putMailRequestSchema,
  type StoredMail,
  testMailRequestSchema,
} from '../wire/mail.ts';

export interface MailParts {
  readonly platform: Platform;
  readonly store: Pick<Store, 'settings'>;
  readonly mailer: LiveMailer;
}

/** `GET /admin/v1/mail`: by which server mail is sent, without its password. */
export const getMail = operation<MailParts>()({
  response: mailResponseSchema,
  run: ({ parts }) => ({ data: toBody(parts) }),
});

/** `PUT /admin/v1/mail`: mail goes by this server from the next one on. Its password is sealed. */
export const putMail = operation<MailParts>()({
  body: putMailRequestSchema,
  response: mailResponseSchema,
  errors: ['conflict'],
  async run({ parts, body }) {
    const { mailer, store } = parts;
    if (mailer.isConfigured)
      throw new GatewayError('conflict', 'The configuration has the mail server: change "mail" there');
    if (mailer.secrets === undefined)
      throw new GatewayError('conflict', 'This gateway cannot store a mail server: give it one in its configuration');
    const mail = await toStored(body, store.settings.get().mail, mailer.secrets);
    await store.settings.update((settings) => ({ ...settings, mail }));
    return { data: toBody(parts) };
  },
});

/** `DELETE /admin/v1/mail`: no mail is sent by the stored server any more. */
export const deleteMail = operation<MailParts>()({
  response: deletedSchema,
  errors: ['not_found'],
  async run({ parts: { store } }) {
    if (store.settings.get().mail === undefined) throw new GatewayError('not_found', 'There is no stored mail server');
    await store.settings.update(({ mail: _, ...settings }) => settings);
    return { deleted: true };
  },
});

/** `POST /admin/v1/mail/test`: sends one mail, once. That it does not arrive is no error of the call. */
export const testMail = operation<MailParts>()({
  body: testMailRequestSchema,
  response: mailTestSchema,
  errors: ['conflict'],
  async run({ parts: { platform, mailer }, body: { to } }) {
    if (!mailer.isSetUp()) throw new GatewayError('conflict', 'No mail server is set up: save one first');
    const { isDelivered, result } = await mailer.send({
      id: createUuid(platform),
      to,
      subject: 'Test of Model Gateway',
      text: `This is a test. Alarms by mail will arrive like this.\n\nModel Gateway · ${new Date(platform.now()).toISOString()}\n`,
    });
    return { data: { success: isDelivered, result } };
  },
});

/** Throws `invalid_request` where the present password would go to another server, or belongs to no user. */
async function toStored(
  { password, ...server }: PutMailRequest,
  present: StoredMail | undefined,
  secrets: SecretBox,
): Promise<StoredMail> {
  const id = `${server.host}:${server.port}:${server.security}`;
  const kept = password === undefined ? (present?.sealed ?? null) : null;
  if (kept !== null && present?.id !== id)
    throw refuseField('password', 'must be given again: the saved one is for another server, port or security');
  if (server.user === null && (password ?? kept) !== null) throw refuseField('user', 'must be given with a password');
  const sealed = password == null ? kept : await secrets.seal(password, mailContextOf(id));
  return { id, ...server, sealed };
}

function toBody({ mailer, store }: MailParts): MailSettings {
  const { id: _, sealed, ...server } = store.settings.get().mail ?? { id: '', sealed: null, host: null };
  return {
    source: mailer.isConfigured ? 'config' : mailer.isSetUp() ? 'stored' : null,
    changeable: mailer.secrets !== undefined,
    server: server.host === null ? null : { ...server, has_password: sealed !== null },
  };
}
