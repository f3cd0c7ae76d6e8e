import { expect, onTestFinished, test } from 'vitest';

import { createBox, createSetupGateway } from '../../../../test/support/gateways/setup-gateway.ts';
import { startSmtpServer } from '../../../../test/support/mail/smtp-server.ts';
import { resealRow } from '../setup/provider-rows.ts';
import { mailContextOf } from '../stores/sealed-contexts.ts';

const PATH = '/admin/v1/mail';
const TO = { to: 'ops@example.com' };
const ALARM = {
  name: 'Spend',
  what: 'spend_usd',
  threshold: 10,
  to: [{ type: 'mail', url: 'mailto:ops@example.com' }],
};

async function start(options: Parameters<typeof createSetupGateway>[0] = {}) {
  const admin = await createSetupGateway(options);
  onTestFinished(() => admin.gateway.close());
  const { received, base } = await startSmtpServer();
  return { ...admin, received, server: { ...base, user: 'gateway', password: 'secret' } };
}

test('mail goes by the stored server, whose password is sealed, shown nowhere, and kept by other changes', async () => {
  const { call, dataOf, store, received, server } = await start();
  expect(await dataOf('GET', PATH)).toEqual({ source: null, changeable: true, server: null });
  expect(await call('POST', '/admin/v1/alarms', ALARM)).toMatchObject({ status: 400 });
  expect(await call('POST', `${PATH}/test`, TO)).toMatchObject({ status: 409 });

  const { password: _, ...shown } = server;
  const saved = { source: 'stored', changeable: true, server: { ...shown, has_password: true } };
  expect(await dataOf('PUT', PATH, server)).toEqual(saved);
  expect(await dataOf('PUT', PATH, { ...shown, from: 'other@example.com' })).toMatchObject({
    server: { from: 'other@example.com', has_password: true },
  });
  expect(JSON.stringify(store.settings.get())).not.toContain('secret"');
  expect(await dataOf('POST', `${PATH}/test`, TO)).toEqual({ success: true, result: 'sent' });
  expect(received).toMatchObject([{ to: ['ops@example.com'], user: 'gateway' }]);
  expect(received[0]?.text).toContain('From: other@example.com');
  const alarm = await dataOf('POST', '/admin/v1/alarms', ALARM);
  expect(await dataOf('POST', `/admin/v1/alarms/${alarm.id}/test`)).toEqual([
    { type: 'mail', success: true, result: 'sent' },
  ]);
  const log = JSON.stringify(await dataOf('GET', '/admin/v1/audit'));
  expect(log).toContain('settings.set_mail');
  expect(log).not.toContain('"secret"');

  expect(await call('DELETE', PATH)).toMatchObject({ status: 200, body: { deleted: true } });
  expect(await call('DELETE', PATH)).toMatchObject({ status: 404 });
  expect(await dataOf('POST', `/admin/v1/alarms/${alarm.id}/test`).catch(String)).toContain('sends no mail');
});

test('an alarm whose mail server is gone can be silenced and changed, and is not given new mail', async () => {
  const { call, dataOf, server } = await start();
  await dataOf('PUT', PATH, server);
  const { id } = await dataOf('POST', '/admin/v1/alarms', ALARM);
  await call('DELETE', PATH);
  for (const change of [{ silenced_until: '2199-01-01T00:00:00Z' }, { acknowledged: true }, { threshold: 20 }])
    expect(await call('PATCH', `/admin/v1/alarms/${id}`, change)).toMatchObject({ status: 200 });
  expect(await call('PATCH', `/admin/v1/alarms/${id}`, { to: ALARM.to })).toMatchObject({ status: 400 });
});

test.each([
  ['another host', { host: 'smtp.example.com' }],
  ['another port', { port: 2525 }],
  ['no encryption', { security: 'starttls' }],
])('a saved password is not sent to a server with %s', async (_, change) => {
  const { call, dataOf, server } = await start();
  await dataOf('PUT', PATH, server);
  const { password, ...rest } = { ...server, ...change };
  expect(await call('PUT', PATH, rest)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('password: must be given again') } },
  });
  expect(await call('PUT', PATH, { ...rest, password })).toMatchObject({ status: 200 });
  expect(await dataOf('PUT', PATH, { ...rest, host: 'smtp2.example.com', password: null })).toMatchObject({
    server: { has_password: false },
  });
});

test('the mailer of the configuration comes before a stored server, which waits', async () => {
  const { store, dataOf, server } = await start();
  await dataOf('PUT', PATH, server);
  const mailed: string[] = [];
  const mailer = {
    send({ to }: { readonly to: string }) {
      mailed.push(to);
      return Promise.resolve({ isDelivered: true as const, result: 'sent' });
    },
  };
  const configured = await start({ store, mailer });
  expect(await configured.dataOf('GET', PATH)).toMatchObject({
    source: 'config',
    changeable: false,
    server: { has_password: true },
  });
  expect(await configured.call('PUT', PATH, server)).toMatchObject({ status: 409 });
  expect(await configured.dataOf('POST', `${PATH}/test`, TO)).toEqual({ success: true, result: 'sent' });
  expect(mailed).toEqual(['ops@example.com']);
});

test('a password that another key has sealed, and one that the server refuses, are named as such', async () => {
  const { store, dataOf, server } = await start();
  await dataOf('PUT', PATH, { ...server, password: 'wrong' });
  expect(await dataOf('POST', `${PATH}/test`, TO)).toEqual({ success: false, result: 'SMTP 535' });
  const other = await start({ store, secrets: createBox() });
  expect(await other.dataOf('POST', `${PATH}/test`, TO)).toEqual({
    success: false,
    result: 'the saved password cannot be opened; save it again',
  });
});

test('a move to another key seals the password anew, for the same server', async () => {
  const [from, to] = [createBox(), createBox()];
  const row = {
    id: 'smtp.example.com:587:starttls',
    sealed: await from.seal('secret', mailContextOf('smtp.example.com:587:starttls')),
  };
  const { sealed } = await resealRow('mail', row, { from, to });
  expect(await to.open(sealed, mailContextOf(row.id))).toBe('secret');
  await expect(to.open(sealed, mailContextOf('other.example.com:587:starttls'))).rejects.toBeInstanceOf(Error);
});
