import { expect, onTestFinished, test, vi } from 'vitest';

import { startsHidden } from '../../desktop/src/main/settings/login-item.ts';

const { login } = vi.hoisted(() => ({ login: { wasOpenedAtLogin: false } }));
vi.mock('electron', () => ({ app: { getLoginItemSettings: () => login } }));

/** A start on this system, with these arguments. */
function begin(platform: NodeJS.Platform, wasOpenedAtLogin: boolean, ...words: string[]): void {
  login.wasOpenedAtLogin = wasOpenedAtLogin;
  const before = { platform: process.platform, argv: process.argv };
  onTestFinished(() => restore(before));
  restore({ platform, argv: ['app', ...words] });
}

function restore({ platform, argv }: { readonly platform: NodeJS.Platform; readonly argv: string[] }): void {
  Object.defineProperty(process, 'platform', { value: platform });
  process.argv = argv;
}

test.each<[NodeJS.Platform, boolean, string[], boolean, boolean]>([
  ['linux', false, ['--hidden'], true, true],
  ['win32', false, ['--hidden'], true, true],
  ['darwin', true, [], true, true],
  ['darwin', true, [], false, false],
  ['darwin', false, [], true, false],
  ['linux', false, [], true, false],
])('on %s, opened at login (%s) with %j where that is wanted (%s), it starts hidden: %s', (platform, ...rest) => {
  const [wasOpenedAtLogin, words, isWanted, isHidden] = rest;
  begin(platform, wasOpenedAtLogin, ...words);
  expect(startsHidden(isWanted)).toBe(isHidden);
});
