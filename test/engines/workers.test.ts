import { once } from 'node:events';
import net from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { skipped } from '../e2e/launch-ui.ts';
import { expectToSignIn, findPrintedLink } from '../e2e/printed-link.ts';
import { toScriptedConfig } from '../support/gateways/scripted-config.ts';
import { TEST_KEY } from '../support/gateways/test-gateway.ts';
import { askTimes } from './support/ask.ts';
import { openClusterConfig, openUpstream } from './support/cluster-config.ts';
import { missingEngines } from './support/engines.ts';
import { type Ended, makeFolder, serve, serveWell, untilReady } from './support/run-command.ts';

const TWO = ['--workers', '2'];
const CALL = { key: TEST_KEY, model: 'test/text', isStreamed: true };

test.skipIf(missingEngines)('two workers share a port, say so once, and both respond', async () => {
  const { config } = await openClusterConfig();
  const gateway = await serveWell(config, { args: TWO });
  await untilReady(gateway);
  expect(gateway.workers()).toHaveLength(2);
  await askTimes(20, gateway.url, CALL);
  expect(gateway.output.stdout.trim().split('\n')).toHaveLength(1);
  const lines = gateway.output.stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { worker?: number; msg: string });
  expect(new Set(lines.map(({ worker }) => worker))).toEqual(new Set([1, 2]));
  expect(lines.filter(({ msg }) => msg.startsWith('the UI opens'))).toHaveLength(1);
});

test.skipIf((missingEngines ?? skipped) !== undefined)(
  `the one link that two workers print signs in at either${skipped === undefined ? '' : `, skipped: ${skipped}`}`,
  async () => {
    const { config } = await openClusterConfig();
    const gateway = await serveWell(config, { args: TWO });
    await untilReady(gateway);
    await expect.poll(() => findPrintedLink(gateway.output.stderr)).toBeDefined();
    const page = await expectToSignIn(findPrintedLink(gateway.output.stderr));
    for (const screen of ['Models', 'Generations', 'Keys']) {
      await page.getByRole('link', { name: screen }).first().click();
      await page.getByRole('heading', { level: 1, name: screen }).waitFor();
    }
  },
);

test.skipIf(missingEngines)('SIGHUP lets all workers read the configuration again', async () => {
  const { config } = await openClusterConfig();
  const gateway = await serveWell(config, { args: TWO });
  await untilReady(gateway);
  gateway.send('SIGHUP');
  const reread = (): number[] =>
    gateway.output.stderr
      .split('\n')
      .filter((line) => line.includes('the configuration was reloaded') && line.includes('SIGHUP'))
      .map((line) => (JSON.parse(line) as { worker: number }).worker)
      .toSorted((a, b) => a - b);
  await expect.poll(reread).toEqual([1, 2]);
});

test.skipIf(missingEngines)('a port that is taken ends the start of workers with one message', async () => {
  const { config } = await openClusterConfig();
  const holder = net.createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  onTestFinished(() => void holder.close());
  const { port } = holder.address() as net.AddressInfo;
  const ended = (await serve(config, { args: [...TWO, '--port', String(port)] })) as Ended;
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr.match(/is taken/g)).toHaveLength(1);
});

test.skipIf(missingEngines)(
  'a second serve on the same data directory is refused with the PID of the first',
  async () => {
    const { config } = await openClusterConfig();
    const dataDir = makeFolder();
    const first = await serveWell(config, { dataDir });
    const ended = (await serve(config, { dataDir })) as Ended;
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`in use by the process with PID ${first.pid}`) as string,
    });
  },
);

test.each([['json'], ['memory']])('workers on a %s store are refused with the reason', async (type) => {
  const upstream = await openUpstream();
  const ended = (await serve({ ...toScriptedConfig(upstream), store: { type } }, { args: TWO })) as Ended;
  expect(ended).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^--workers 2 needs .*\n.*PostgreSQL/) as string,
  });
});
