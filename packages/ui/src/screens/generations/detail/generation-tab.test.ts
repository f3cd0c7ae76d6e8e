import { expect, test } from 'vitest';

import { toTab } from './generation-tabs.tsx';

test.each([
  [undefined, 'timeline', 'conversation'],
  ['story', 'timeline', 'conversation'],
  ['usage', 'usage', 'conversation'],
  ['conversation', 'timeline', 'conversation'],
  ['attempts', 'timeline', 'conversation'],
  ['guardrails', 'timeline', 'conversation'],
  ['delivery', 'timeline', 'conversation'],
  ['stream', 'timeline', 'stream'],
  ['request', 'exchange', 'conversation'],
  ['response', 'exchange', 'conversation'],
  ['timing', 'usage', 'conversation'],
  ['raw', 'raw', 'conversation'],
  ['constructor', 'timeline', 'conversation'],
])('leads from the name %o to the tab %s', (named, tab, pane) => {
  expect(toTab(named)).toEqual({ tab, pane });
});
