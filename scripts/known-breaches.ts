import type { Breach } from './borders.ts';

/**
 * Imports against the plan that are still there. The list may only shrink: `test/contract/borders.test.ts` fails on a
 * breach that is not in it, and on an entry that is no breach any more.
 */
export const KNOWN_BREACHES: readonly Pick<Breach, 'from' | 'to'>[] = [
  { from: 'packages/core/src/chat/refuse-unavailable.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/chat/relay.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/chat/stages/files/parse-files.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/chat/stages/server-tools/run-tool-calls.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/chat/stages/server-tools/tool-set.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/dispatch/note-outcome.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/dispatch/record-generation.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/dispatch/run-attempts.ts', to: 'packages/core/src/runtime.ts' },
  {
    from: 'packages/core/src/dispatch/run-attempts.ts',
    to: 'packages/core/src/chat/stages/prompt-compression/shorten-prompt.ts',
  },
  { from: 'packages/core/src/dispatch/track-call.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/routing/plan-route.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/core/src/videos/reserve-video.ts', to: 'packages/core/src/runtime.ts' },
  { from: 'packages/ui/src/screens/settings/desktop/desktop-cards.tsx', to: 'desktop/src/shared/desktop-bridge.ts' },
  {
    from: 'packages/ui/src/screens/settings/desktop/provider-keys-card.tsx',
    to: 'desktop/src/shared/desktop-bridge.ts',
  },
  { from: 'packages/ui/src/shell/desktop.ts', to: 'desktop/src/shared/desktop-bridge.ts' },
  { from: 'packages/ui/src/shell/use-outcome.ts', to: 'desktop/src/shared/desktop-bridge.ts' },
];

/** Files that still import one another in a circle. */
export const KNOWN_CIRCLES: readonly (readonly string[])[] = [
  ['packages/core/src/dispatch/track-call.ts', 'packages/core/src/runtime.ts'],
  ['packages/node/src/stores/generation-entry.ts', 'packages/node/src/stores/generation-rows.ts'],
  ['packages/ui/src/parts/table-row.tsx', 'packages/ui/src/parts/virtual-table.tsx'],
];
