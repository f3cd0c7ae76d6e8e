import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { startSmtpServer } from '../../../test/support/mail/smtp-server.ts';
import { createSmtpMailer } from './mail.ts';

const MAIL = { id: 'a1', to: 'ops@example.com', subject: 'Team budget', text: 'The account has spent 81 %.' };

test('a mail arrives with its text, its sender and an id that another attempt has too', async () => {
  const { received, base } = await startSmtpServer();
  const mailer = createSmtpMailer({ ...base, user: 'gateway', password: 'secret' });
  expect(await mailer.send({ ...MAIL, subject: 'Budget\r\nBcc: other@example.com' })).toEqual({
    isDelivered: true,
    result: 'sent',
  });
  expect(received).toMatchObject([{ to: ['ops@example.com'], user: 'gateway' }]);
  const text = received[0]?.text ?? '';
  expect(text).toMatch(/^From: Model Gateway <gateway@example\.com>\r$/m);
  expect(text).toMatch(/^Message-ID: <a1@model-gateway>\r$/m);
  expect(text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
  expect(text).toContain('The account has spent 81 %.');
  // A line break in a name makes no header.
  expect(text).not.toMatch(/^Bcc:/im);
});

test('a refused sign-in is tried again, an unknown mailbox is not, and neither result has an address', async () => {
  const { base } = await startSmtpServer({
    onRcptTo: ({ address }, _, callback) =>
      callback(
        address.startsWith('ops') ? undefined : Object.assign(new Error(`no ${address}`), { responseCode: 550 }),
      ),
  });
  expect(await createSmtpMailer({ ...base, user: 'gateway', password: 'wrong' }).send(MAIL)).toEqual({
    isDelivered: false,
    result: 'SMTP 535',
    isFinal: false,
  });
  expect(await createSmtpMailer(base).send({ ...MAIL, to: 'unknown@example.com' })).toEqual({
    isDelivered: false,
    result: 'SMTP 550',
    isFinal: true,
  });
});

test('a password is not said to a server without encryption, unless that is configured', async () => {
  const { received, base } = await startSmtpServer();
  const mailer = createSmtpMailer({ ...base, security: 'starttls', user: 'gateway', password: 'secret' });
  expect(await mailer.send(MAIL)).toMatchObject({ isDelivered: false, isFinal: false });
  expect(received).toEqual([]);
});

test('STARTTLS and TLS deliver to a server with a trusted certificate, and to no other', async () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../../test/support/certificates/${name}.pem`, import.meta.url), 'utf8');
  for (const security of ['starttls', 'tls'] as const) {
    const { received, base } = await startSmtpServer({
      disabledCommands: [],
      secure: security === 'tls',
      key: read('good.key'),
      cert: read('good'),
    });
    const options = { ...base, security, user: 'gateway', password: 'secret' };
    expect(await createSmtpMailer({ ...options, ca: read('authority') }).send(MAIL)).toMatchObject({ result: 'sent' });
    expect(received).toMatchObject([{ user: 'gateway' }]);
    expect(await createSmtpMailer(options).send(MAIL)).toMatchObject({ isDelivered: false, isFinal: false });
    expect(received).toHaveLength(1);
  }
});

test('a server that is away is tried again', async () => {
  const { base } = await startSmtpServer();
  expect(await createSmtpMailer({ ...base, port: 1 }).send(MAIL)).toMatchObject({ isDelivered: false, isFinal: false });
});
