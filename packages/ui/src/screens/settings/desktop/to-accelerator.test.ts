import { expect, test } from 'vitest';

import { settingsChangesSchema } from '../../../desktop-bridge.ts';
import { toAccelerator } from './shortcut-field.tsx';

const NONE = { ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };

test.each([
  { pressed: { code: 'KeyG', ctrlKey: true, altKey: true }, keys: 'Control+Alt+G' },
  { pressed: { code: 'Space', ctrlKey: true, shiftKey: true }, keys: 'Control+Shift+Space' },
  { pressed: { code: 'F9', altKey: true }, keys: 'Alt+F9' },
  { pressed: { code: 'Digit1', metaKey: true }, keys: 'Super+1' },
  { pressed: { code: 'Digit1', metaKey: true }, platform: 'darwin', keys: 'Command+1' },
])('the keys $keys are taken, and the app accepts their name', ({ pressed, platform = 'linux', keys }) => {
  expect(toAccelerator({ ...NONE, ...pressed }, platform)).toBe(keys);
  expect(settingsChangesSchema.safeParse({ shortcut: keys }).success).toBe(true);
});

test.each([
  { pressed: { code: 'ControlLeft', ctrlKey: true }, why: 'a modifier alone' },
  { pressed: { code: 'KeyG' }, why: 'a letter alone, which every program needs' },
  { pressed: { code: 'KeyG', shiftKey: true }, why: 'a capital letter' },
  { pressed: { code: 'Semicolon', ctrlKey: true }, why: 'a key that is another one elsewhere' },
])('$why is no shortcut', ({ pressed }) => {
  expect(toAccelerator({ ...NONE, ...pressed }, 'linux')).toBeUndefined();
});

test.each(['G', 'Shift+G', 'Control', 'Control+', 'Control+G+H', 'Control+Alt+G\n', 'Super+F123'])(
  'the app accepts no shortcut %j',
  (shortcut) => {
    expect(settingsChangesSchema.safeParse({ shortcut }).success).toBe(false);
  },
);
