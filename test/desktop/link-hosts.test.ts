import { PRESETS } from '@model-gateway/core/providers/presets';
import { expect, test } from 'vitest';

import { LINK_HOSTS } from '../../desktop/src/main/window/link-hosts.ts';

test('the app opens the page of every preset where keys are made, and no other host', () => {
  const pages = Object.values(PRESETS).flatMap(({ keyPage }) => (keyPage === undefined ? [] : [new URL(keyPage)]));
  expect([...LINK_HOSTS].toSorted()).toEqual([...new Set(pages.map(({ hostname }) => hostname))].toSorted());
});
