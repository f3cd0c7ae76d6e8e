import type { StoryPane } from '../story/story-tab.tsx';

export const TABS = ['story', 'exchange', 'usage', 'raw'] as const;
export type TabName = (typeof TABS)[number];

/** Tabs that there were once: what they showed is in these now, and links to them stay good. */
const FORMER: ReadonlyMap<string, TabName> = new Map<string, TabName>([
  ['conversation', 'story'],
  ['attempts', 'story'],
  ['guardrails', 'story'],
  ['delivery', 'story'],
  ['stream', 'story'],
  ['request', 'exchange'],
  ['response', 'exchange'],
  ['timing', 'usage'],
]);

/** The tab that an address names, by its present name or a former one; the first for any other. */
export function toTab(named: string | undefined): { readonly tab: TabName; readonly pane: StoryPane } {
  const tab = TABS.find((known) => known === named) ?? FORMER.get(named ?? '') ?? 'story';
  return { tab, pane: named === 'stream' ? 'stream' : 'conversation' };
}
