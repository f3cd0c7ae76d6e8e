import { expect, test } from 'vitest';

import { createAdminGateway } from '../../../../test/support/gateways/admin-calls.ts';
import { createRecordingStore } from '../../../../test/support/stores/recording-store.ts';
import { type KeptDays, toKeptDays } from '../stores/kept-days.ts';

/** A gateway at a store that keeps 30 days, and what was asked of that store. */
function createScene({ configuredDays = 30 } = {}) {
  const store = createRecordingStore();
  const asked: (KeptDays | 'apply')[] = [];
  const changes = {
    configuredDays,
    preview(kept: KeptDays) {
      asked.push(kept);
      return Promise.resolve({
        generations: Math.max(0, 100 - kept.days),
        contents: Math.max(0, 100 - kept.contentDays),
        contentBytes: 5,
      });
    },
    apply: () => Promise.resolve(void asked.push('apply')),
  };
  const retention = { now: () => 0, isHeld: () => false, changes };
  const admin = createAdminGateway({ recordingStore: Object.assign(store, { retention }) });
  return { ...admin, asked };
}

const PATH = '/admin/v1/retention';

test('tells how long is kept, and what other limits would delete before they are saved', async () => {
  const { call, dataOf, asked } = createScene();
  expect(await dataOf('GET', PATH)).toEqual({
    days: 30,
    content_days: 30,
    stored: { days: null, content_days: null, audit_days: null },
    audit_days: null,
    configured_audit_days: null,
    configured_days: 30,
    changeable: true,
    held: false,
    would_delete: { generations: 70, contents: 70, content_bytes: 5 },
  });
  expect(await dataOf('GET', `${PATH}?days=14&content_days=3`)).toMatchObject({
    days: 30,
    would_delete: { generations: 86, contents: 97, content_bytes: 5 },
  });
  const { status, body } = await call('GET', `${PATH}?days=3&content_days=4`);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('must be at most 3')]);
  expect(asked).not.toContain('apply');
});

test('what is saved comes before the configuration, applies at once, and can be taken back', async () => {
  const { dataOf, store, asked } = createScene();
  const saved = await dataOf('PUT', PATH, { days: 90, content_days: 7 });
  expect(saved).toMatchObject({
    days: 90,
    content_days: 7,
    stored: { days: 90, content_days: 7 },
    configured_days: 30,
  });
  expect(asked.at(0)).toBe('apply');
  expect(await dataOf('GET', PATH)).toEqual(saved);
  expect(await dataOf('PUT', PATH, { content_days: 7 })).toMatchObject({ days: 30, content_days: 7 });
  expect(await dataOf('PUT', PATH, {})).toMatchObject({ days: 30, content_days: 30 });
  expect(store.settings.get()).not.toHaveProperty('retention');
});

test('the audit log has days of its own, where the store drops by age', async () => {
  const { call, dataOf, store } = createScene();
  expect(await call('PUT', PATH, { audit_days: 90 })).toMatchObject({ status: 400 });
  let applied = 0;
  const retention = { configuredDays: 365, apply: () => Promise.resolve(void (applied += 1)) };
  Object.assign(store.audit ?? {}, { retention });
  expect(await dataOf('PUT', PATH, { audit_days: 90 })).toMatchObject({
    days: 30,
    audit_days: 90,
    configured_audit_days: 365,
  });
  expect(applied).toBe(1);
  expect(await dataOf('PUT', PATH, { days: 5 })).toMatchObject({ days: 5, audit_days: 90 });
  expect(await dataOf('PUT', PATH, { audit_days: null })).toMatchObject({ days: 30, audit_days: 365 });
  const { status, body } = await call('PUT', PATH, { audit_days: 0 });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('audit_days')]);
});

test.each([
  [{ days: 0 }, 'days'],
  [{ days: 3651 }, 'days'],
  [{ days: 1.5 }, 'days'],
  [{ days: 5, content_days: 6 }, 'content_days'],
  [{ content_days: 31 }, 'content_days'],
  [{ hours: 5 }, 'hours'],
])('refuses %j, and says where', async (body, path) => {
  const { call, asked } = createScene();
  const { status, body: response } = await call('PUT', PATH, body);
  expect([status, JSON.stringify(response)]).toEqual([400, expect.stringContaining(path)]);
  expect(asked).toEqual([]);
});

test('cannot be changed where the store deletes nothing for its age', async () => {
  for (const { call, dataOf } of [createAdminGateway(), createScene({ configuredDays: Infinity })]) {
    expect(await dataOf('GET', PATH)).toMatchObject({ days: null, content_days: null, changeable: false });
    const { status, body } = await call('PUT', PATH, { days: 3 });
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('deletes nothing for its age')]);
  }
});

test('contents are kept at most as long as their records', () => {
  const kept = (days: number | null, contentDays: number | null) =>
    toKeptDays({ retention: { days, content_days: contentDays } }, 30);
  expect(kept(null, null)).toEqual({ days: 30, contentDays: 30 });
  expect(kept(10, 20)).toEqual({ days: 10, contentDays: 10 });
  expect(kept(60, null)).toEqual({ days: 60, contentDays: 60 });
});
