import { expect, test } from 'vitest';

import { toTab } from './generation-tabs.tsx';

test.each([
  [undefined, 'story', 'conversation'],
  ['usage', 'usage', 'conversation'],
  ['conversation', 'story', 'conversation'],
  ['attempts', 'story', 'conversation'],
  ['guardrails', 'story', 'conversation'],
  ['delivery', 'story', 'conversation'],
  ['stream', 'story', 'stream'],
  ['request', 'exchange', 'conversation'],
  ['response', 'exchange', 'conversation'],
  ['timing', 'usage', 'conversation'],
  ['raw', 'raw', 'conversation'],
  ['constructor', 'story', 'conversation'],
])('leads from the name %o to the tab %s', (named, tab, pane) => {
  expect(toTab(named)).toEqual({ tab, pane });
});
