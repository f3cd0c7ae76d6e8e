import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';

import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test } from 'vitest';

import { createSmtpMailer, type SmtpOptions } from './mail.ts';

const MAIL = { id: 'a1', to: 'ops@example.com', subject: 'Team budget', text: 'The account has spent 81 %.' };

/** A mail server on loopback, what it received, and the options that lead there. */
async function start(options: SMTPServerOptions = {}) {
  const received: { to: string[]; text: string; user: string | undefined }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, callback) =>
      password === 'secret' ? callback(null, { user: username }) : callback(new Error('no')),
    onData(stream, session, callback) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        received.push({ to, text: Buffer.concat(pieces).toString(), user: session.user });
        callback();
      });
    },
    ...options,
  });
  // A client that says no more.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  const base: SmtpOptions = {
    host: '127.0.0.1',
    port,
    security: 'none',
    user: null,
    password: null,
    from: 'Model Gateway <gateway@example.com>',
  };
  return { received, base };
}

test('a mail arrives with its text, its sender and an id that another attempt has too', async () => {
  const { received, base } = await start();
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
  const { base } = await start({
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
  const { received, base } = await start();
  const mailer = createSmtpMailer({ ...base, security: 'starttls', user: 'gateway', password: 'secret' });
  expect(await mailer.send(MAIL)).toMatchObject({ isDelivered: false, isFinal: false });
  expect(received).toEqual([]);
});

test('STARTTLS and TLS deliver to a server with a trusted certificate, and to no other', async () => {
  const read = (name: string) =>
    readFileSync(new URL(`../../../test/support/certificates/${name}.pem`, import.meta.url), 'utf8');
  for (const security of ['starttls', 'tls'] as const) {
    const { received, base } = await start({
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
  const { base } = await start();
  expect(await createSmtpMailer({ ...base, port: 1 }).send(MAIL)).toMatchObject({ isDelivered: false, isFinal: false });
});
