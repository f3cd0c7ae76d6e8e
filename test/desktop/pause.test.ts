import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { DEFAULT_SETTINGS, type SettingsChanges } from '@model-gateway/ui/desktop-bridge';
import { expect, onTestFinished, test, vi } from 'vitest';

import { appPaths } from '../../desktop/src/main/app-paths.ts';
import { createGatewayControl } from '../../desktop/src/main/gateway/gateway-control.ts';
import { createGatewayProcess } from '../../desktop/src/main/gateway/gateway-process.ts';
import { openSettingsFile } from '../../desktop/src/main/settings/settings-file.ts';
import type { FromGateway, StartMessage, ToGateway } from '../../desktop/src/shared/gateway-messages.ts';

interface Started {
  readonly told: ToGateway[];
  emit(name: 'message', message: FromGateway): boolean;
  emit(name: 'exit', code: number): boolean;
}
/** The processes that were started, with what each was told. */
const started = vi.hoisted(() => [] as Started[]);

vi.mock('electron', () => ({
  app: { getPath: () => '/nowhere', getAppPath: () => '/nowhere', isPackaged: false },
  safeStorage: {},
  utilityProcess: {
    fork: () => {
      const told: ToGateway[] = [];
      const child = Object.assign(new EventEmitter(), {
        told,
        postMessage(message: ToGateway) {
          told.push(message);
          if (message.type === 'stop') child.emit('message', { type: 'stopped' });
        },
        kill: () => child.emit('exit', 0),
      });
      started.push(child);
      return child;
    },
  },
}));

/** The app around processes that do nothing but note what they are told. */
async function startApp() {
  const dir = mkdtempSync(join(tmpdir(), 'gateway-pause-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  started.length = 0;
  const file = openSettingsFile(join(dir, 'settings.json'));
  const gateway = createGatewayProcess('entry.js');
  const keys = { storage: 'none', names: () => [], open: () => Promise.resolve({}) } as const;
  const control = createGatewayControl({
    gateway,
    paths: { ...appPaths(), data: join(dir, 'data') },
    file,
    keys: { ...keys, save: () => Promise.resolve(), remove: () => undefined },
  });
  await control.start();
  const toldLast = () => started.at(-1)?.told ?? [];
  return {
    control,
    changeSettings: (settings: SettingsChanges) => file.change({ settings }),
    toldLast,
    startedWith: () => toldLast().find((message): message is StartMessage => message.type === 'start'),
    listens: () => toldLast().filter(({ type }) => type === 'listen'),
    say: (message: FromGateway) => void started.at(-1)?.emit('message', message),
    crash: () => void started.at(-1)?.emit('exit', 1),
  };
}

const listeningAt = (port: number): FromGateway => ({
  type: 'state',
  state: { phase: 'listening', url: `http://127.0.0.1:${port}`, port, isDemo: false },
});

test('a paused gateway stays paused when it is restarted, as by another mode, a key or a backup', async () => {
  const { control, startedWith } = await startApp();
  expect(startedWith()?.isPaused).toBe(false);
  control.setPaused(true);
  await control.start();
  expect(startedWith()?.isPaused).toBe(true);
  await control.atRest(() => Promise.resolve());
  expect(startedWith()?.isPaused).toBe(true);
  control.setPaused(false);
  await control.start();
  expect(startedWith()?.isPaused).toBe(false);
});

test('it listens at another port, or for the network, only once the pause is over', async () => {
  const { control, changeSettings, listens } = await startApp();
  control.setPaused(true);
  changeSettings({ port: 9123 });
  control.listen();
  control.listenAgain();
  expect(listens()).toEqual([]);
  control.setPaused(false);
  expect(listens()).toEqual([expect.objectContaining({ place: expect.objectContaining({ port: 9123 }) })]);
});

test('after a crash it is as it was, paused or at the port that the system had chosen', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { control, crash, say, startedWith, listens } = await startApp();
  control.setPaused(true);
  crash();
  await vi.runOnlyPendingTimersAsync();
  expect(started).toHaveLength(2);
  say({ type: 'state', state: { phase: 'starting' } });
  expect(startedWith()?.isPaused).toBe(true);
  control.setPaused(false);
  control.listen(0);
  say(listeningAt(50_123));
  expect(listens().at(-1)).toMatchObject({ place: { port: 0 } });
  crash();
  await vi.runOnlyPendingTimersAsync();
  expect(started).toHaveLength(3);
  expect(startedWith()).toMatchObject({ isPaused: false, place: { port: 50_123 } });
});

test('the port that the system has chosen stays when the machine has slept', async () => {
  const { control, say, listens } = await startApp();
  control.listen(0);
  say(listeningAt(50_123));
  control.listenAgain();
  expect(listens().at(-1)).toMatchObject({ place: { port: 50_123 } });
  control.listen();
  expect(listens().at(-1)).toMatchObject({ place: { port: DEFAULT_SETTINGS.port } });
});
