import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { describeListenError, findPortHolders } from './port-holder.ts';

const proc = mkdtempSync(join(tmpdir(), 'proc-'));
afterAll(() => rmSync(proc, { recursive: true }));

const HEAD = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const row = (port: string, state: string, inode: number): string =>
  `   0: 0100007F:${port} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 0 100\n`;

mkdirSync(join(proc, 'net'));
// 0x2297 is 8855; an open connection (01) of the same port is no listener.
writeFileSync(join(proc, 'net/tcp'), HEAD + row('2297', '01', 71) + row('2298', '0A', 72));
writeFileSync(
  join(proc, 'net/tcp6'),
  HEAD + row('2297', '0A', 73).replace('0100007F', '00000000000000000000000001000000'),
);
for (const [pid, inode, words] of [
  [401, 71, ['curl', '-H', 'secret']],
  [402, 73, ['node', '/srv/model-gateway', 'serve', '--token', 'secret']],
] as const) {
  mkdirSync(join(proc, `${pid}/fd`), { recursive: true });
  symlinkSync(`socket:[${inode}]`, join(proc, `${pid}/fd/7`));
  writeFileSync(join(proc, `${pid}/cmdline`), `${words.join('\0')}\0`);
}

const nothing = { proc: join(proc, 'none'), lsof: () => Promise.reject(new Error('not installed')) };
const taken = { code: 'EADDRINUSE' };
const place = { host: '127.0.0.1', port: 8855 };

test('finds who listens on a port, and shows no flags of it', async () => {
  expect(await findPortHolders(8855, { ...nothing, proc })).toEqual([
    { pid: 402, command: 'node /srv/model-gateway serve' },
  ]);
});

test('asks lsof where there is no /proc', async () => {
  const lsof = async (port: number): Promise<string> => (port === 8855 ? 'p77\ncnginx\nf6\np78\ncnginx\nf6\n' : '');
  expect(await findPortHolders(8855, { ...nothing, lsof })).toEqual([
    { pid: 77, command: 'nginx' },
    { pid: 78, command: 'nginx' },
  ]);
});

test.runIf(process.platform === 'linux')('finds this very process by a port that it listens on', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const holders = await findPortHolders((server.address() as AddressInfo).port);
  server.close();
  expect(holders.map(({ pid }) => pid)).toEqual([process.pid]);
});

test('a taken port is explained by its holder and a way out', async () => {
  expect(await describeListenError(taken, place, { ...nothing, proc })).toBe(
    'Port 8855 of 127.0.0.1 is taken. It is used by PID 402 (node /srv/model-gateway serve).\n' +
      'Choose another with --port, e.g. --port 8856, or --port 0 for any free one.',
  );
  expect(await describeListenError(taken, place, nothing)).toMatch(
    /could not be determined.*\nChoose another with --port/,
  );
});

test.each([
  ['EACCES', /This user may not open port.*\nChoose another with --port/],
  ['EADDRNOTAVAIL', /not an address of this machine.*--host/],
  ['ENOTFOUND', /host name 127.0.0.1 is not known.*--host/],
])('%s is explained', async (code, text) => {
  expect(await describeListenError({ code }, place, nothing)).toMatch(text);
});

test('a port that is denied above 1024 is explained by what the system keeps for itself', async () => {
  const denied = { code: 'EACCES' };
  expect(await describeListenError(denied, place, nothing)).toContain('the system has reserved it');
  expect(await describeListenError(denied, { ...place, port: 443 }, nothing)).toContain('ports below 1024');
});

test('other errors are left as they are', async () => {
  expect(await describeListenError(new Error('else'), place, nothing)).toBeUndefined();
});
