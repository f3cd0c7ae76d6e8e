import type { Settings } from '@model-gateway/core/wire';
import { expect, test } from 'vitest';

import { toSettingsChange } from './settings-change.ts';

const BEFORE = {
  default_model: null,
  credits_usd: 5,
  providers: { only: ['a'], ignore: [] },
  privacy: { zdr: false, allow_training: true },
} as unknown as Settings;

test('says nothing where nothing differs', () => {
  expect(toSettingsChange(structuredClone(BEFORE), BEFORE)).toEqual({});
});

test('says what differs alone, field by field, and the way back as well', () => {
  const after = { ...BEFORE, credits_usd: null, providers: { only: ['a', 'b'], ignore: [] } };
  expect(toSettingsChange(after, BEFORE)).toEqual({ credits_usd: null, providers: { only: ['a', 'b'] } });
  expect(toSettingsChange(BEFORE, after)).toEqual({ credits_usd: 5, providers: { only: ['a'] } });
});
