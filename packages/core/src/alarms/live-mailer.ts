import type { Awaitable } from '../foundation/awaitable.ts';
import type { SecretBox } from '../foundation/host.ts';
import { mailContextOf } from '../stores/sealed-contexts.ts';
import type { SettingsRepository } from '../stores/store.ts';
import type { StoredMail } from '../wire/mail.ts';
import { type AlarmMailer, NO_CHANNEL } from './send-alarm.ts';

/** An SMTP server with its password; without a user it asks for no sign-in. */
export interface MailServer extends Omit<StoredMail, 'id' | 'sealed'> {
  readonly password: string | null;
}

/** Makes what sends mail by a server. */
export type ConnectMailer = (server: MailServer) => Awaitable<AlarmMailer>;

/** What sends mail at the moment: by the host's own mailer, else by the server that is stored. */
export interface LiveMailer extends AlarmMailer {
  /** Whether the host has a mailer, which comes before what is stored. */
  readonly isConfigured: boolean;
  /** Seals the password of a server; undefined where none can be stored. */
  readonly secrets: SecretBox | undefined;
  /** Whether mail is sent at all. */
  isSetUp(): boolean;
}

export interface LiveMailerOptions {
  readonly mailer?: AlarmMailer | undefined;
  readonly connectMailer?: ConnectMailer | undefined;
  readonly secrets: SecretBox | undefined;
  readonly settings: Pick<SettingsRepository, 'get'>;
}

/** Creates the mailer. The password is opened for each mail, and kept nowhere. */
export function createLiveMailer({ mailer, connectMailer, secrets, settings }: LiveMailerOptions): LiveMailer {
  const isConfigured = mailer !== undefined;
  const stored = (): StoredMail | undefined => (connectMailer === undefined ? undefined : settings.get().mail);
  const sendByStored: AlarmMailer['send'] = async (mail) => {
    const found = stored();
    if (found === undefined || connectMailer === undefined) return NO_CHANNEL;
    const { id, sealed, ...server } = found;
    let password: string | null = null;
    try {
      if (sealed !== null) password = (await secrets?.open(sealed, mailContextOf(id))) ?? null;
    } catch {
      return { isDelivered: false, isFinal: false, result: 'the saved password cannot be opened; save it again' };
    }
    return (await connectMailer({ ...server, password })).send(mail);
  };
  return {
    isConfigured,
    secrets: isConfigured || connectMailer === undefined ? undefined : secrets,
    isSetUp: () => isConfigured || stored() !== undefined,
    send: (mail) => (mailer === undefined ? sendByStored(mail) : mailer.send(mail)),
  };
}
