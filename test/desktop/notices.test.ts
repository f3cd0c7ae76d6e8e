import { DEFAULT_SETTINGS, type Settings } from '@model-gateway/ui/desktop-bridge';
import { LANGUAGES, MESSAGES } from '@model-gateway/ui/messages';
import { describe, expect, test } from 'vitest';

import { createNoticeFinder, type NoticeFinder } from '../../desktop/src/gateway/notices.ts';
import { createNotifier } from '../../desktop/src/main/notices/notifier.ts';
import { type NoticeOfApp, toNotification } from '../../desktop/src/main/notices/to-notification.ts';
import type { Notice } from '../../desktop/src/shared/gateway-messages.ts';
import { type CoreGateway, createCoreGateway } from '../support/gateways/core-gateway.ts';
import { createScriptedTransport } from '../support/upstreams/scripted-transport.ts';
import { createVideoGateway } from '../support/videos/video-gateway.ts';

const COMPLETION = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
});

/** A finder over a gateway. What it puts off until later is done by `settle`. */
function watch(create: (onGeneration: NoticeFinder['noteGeneration']) => CoreGateway) {
  const notices: Notice[] = [];
  const tasks: (() => void)[] = [];
  const core = create((record) => finder.noteGeneration(record));
  const finder = createNoticeFinder({
    gateway: core.gateway,
    tell: (notice) => void notices.push(notice),
    later: (task) => void tasks.push(task),
  });
  const settle = async (): Promise<void> => {
    for (const task of tasks.splice(0)) task();
    await core.platform.advance(0);
  };
  return { core, finder, notices, settle, pending: tasks };
}

describe('the gateway of the desktop app tells', () => {
  test('of a provider that has refused every call, once, and when it responds again', async () => {
    let status = 500;
    const transport = createScriptedTransport(({ respond, push, end }) => {
      respond(status, { 'content-type': 'application/json' });
      push(status === 200 ? COMPLETION : '{"error":{"message":"no"}}');
      end();
    });
    const { core, notices, settle, pending } = watch((onGeneration) => createCoreGateway(transport, { onGeneration }));
    const ask = async (): Promise<void> => {
      await core.chat({ model: 'acme/other' });
      await settle();
    };
    await ask();
    await ask();
    expect(notices).toEqual([{ type: 'provider', slug: 'beta', name: 'Beta', isDown: true }]);
    status = 200;
    await ask();
    expect(notices.slice(1)).toEqual([{ type: 'provider', slug: 'beta', name: 'Beta', isDown: false }]);
    // While all is well, nothing is looked at.
    await core.chat({ model: 'acme/other' });
    expect(pending).toEqual([]);
  });

  test('of a call that its budget refused, and of no other refusal', async () => {
    const { core, finder, notices } = watch((onGeneration) =>
      createCoreGateway(createScriptedTransport(), { onGeneration }),
    );
    const limited = { principal: { kind: 'api', id: 'k', name: 'k', limitUsd: 0 } } as const;
    const refused = await core.chat({ model: 'acme/chat', max_tokens: 10 }, limited);
    expect(refused.status).toBe(402);
    finder.noteResponse(refused);
    expect(notices).toEqual([{ type: 'budget' }]);
    finder.noteResponse(await core.get('/admin/v1/providers'));
    expect(notices).toHaveLength(1);
  });

  test('of a video that is ready, and of one that could not be made', async () => {
    for (const [progress, isDone] of [
      [{ status: 'completed', outputs: [{}] }, true],
      [{ status: 'failed', error: 'secret of upstream' }, false],
    ] as const) {
      const videos = createVideoGateway({ progress: () => progress });
      const { finder, notices } = watch(() => videos);
      videos.gateway.onVideoChange(finder.noteVideo);
      const { body } = await videos.submit({ prompt: 'secret of the caller' });
      await videos.platform.advance(60_000);
      expect(notices).toEqual([{ type: 'video', jobId: body.id, model: 'acme/film', isDone }]);
    }
  });
});

function createShown(settings: Partial<Settings> = {}) {
  let nowMs = 0;
  const titles: string[] = [];
  const notify = createNotifier({
    settings: () => ({ ...DEFAULT_SETTINGS, ...settings }),
    now: () => nowMs,
    show: ({ title }) => void titles.push(title),
  });
  return { notify, titles, wait: (ms: number) => void (nowMs += ms) };
}

const DOWN = { type: 'provider', slug: 'acme', name: 'Acme', isDown: true } as const;

test('a cause is notified of at most once in ten minutes, and another one at once', () => {
  const { notify, titles, wait } = createShown();
  notify(DOWN);
  wait(599_999);
  notify(DOWN);
  notify({ ...DOWN, isDown: false });
  notify({ ...DOWN, slug: 'beta', name: 'Beta' });
  expect(titles).toEqual(['Acme isn’t responding', 'Acme is responding again', 'Beta isn’t responding']);
  wait(1);
  notify(DOWN);
  expect(titles).toHaveLength(4);
});

const ALL: readonly NoticeOfApp[] = [
  { type: 'alarm', id: 'a1', name: 'Team budget' },
  { type: 'budget' },
  DOWN,
  { ...DOWN, isDown: false },
  { type: 'video', jobId: 'job-1', model: 'acme/film', isDone: true },
  { type: 'video', jobId: 'job-2', model: 'acme/film', isDone: false },
  { type: 'update', version: '2.0.0' },
];

test.each([
  { setting: 'notifyAlarms', left: 6 },
  { setting: 'notifyBudget', left: 6 },
  { setting: 'notifyProviders', left: 5 },
  { setting: 'notifyVideos', left: 5 },
  { setting: 'notifyUpdates', left: 6 },
])('$setting turns its notifications off, and no others', ({ setting, left }) => {
  const { notify, titles } = createShown({ [setting]: false });
  for (const notice of ALL) notify(notice);
  expect(titles).toHaveLength(left);
});

test.each(LANGUAGES)('in %s every notification has a title and a place to go to', (language) => {
  for (const notice of ALL) {
    const { title, place } = toNotification(notice, MESSAGES[language]);
    expect(title).not.toBe('');
    expect(place).toMatch(/^(generations|providers|videos|settings)/);
  }
});

test('a budget that was reached leads to the refused requests, among which that one is', () => {
  expect(toNotification({ type: 'budget' }, MESSAGES.en).place).toBe('generations?refused=1');
});

test('an alarm is shown by its name, and a click opens it', () => {
  expect(toNotification({ type: 'alarm', id: 'a/1', name: 'Team budget' }, MESSAGES.en)).toMatchObject({
    title: 'Alarm: Team budget',
    place: 'settings?section=alarms&open=a%2F1',
  });
});
