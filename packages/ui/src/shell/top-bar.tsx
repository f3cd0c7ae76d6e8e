import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Copy, Search } from 'lucide-react';

import { spentTodayQuery } from '../api/queries.ts';
import { SNIPPETS, toBaseUrl } from '../app/base-url.ts';
import { useDesktopInfo } from '../app/desktop.ts';
import { toStateText, useGatewayState } from '../app/gateway-state.ts';
import { formatUsd } from '../format/money.ts';
import { getLocale } from '../messages/locale.ts';
import { StateMark } from '../parts/badge.tsx';
import { Button } from '../parts/controls/button.tsx';
import { copyText } from '../parts/controls/copy-button.tsx';
import { Menu } from '../parts/controls/menu.tsx';
import { partMessages } from '../parts/part-messages.ts';
import { useIsSettled } from '../parts/use-is-settled.ts';
import { shellMessages } from './messages.ts';
import { ModeSwitch } from './mode/mode-switch.tsx';
import { findSnippetModel } from './snippet-model.ts';

/** State of the gateway, its address, what was spent today, and the way to everything else. */
export function TopBar({ onSearch }: { onSearch: () => void }) {
  // The address below follows the port.
  useDesktopInfo();
  const t = shellMessages().topBar;
  const { search } = partMessages().actions;
  return (
    <header className="flex h-13 shrink-0 items-center gap-1.5 border-b border-line bg-surface px-2 sm:gap-3 sm:px-4">
      <StatePill />
      <div className="hidden min-w-0 items-center gap-1 sm:flex">
        <code className="hidden truncate font-mono text-xs text-ink-soft md:block">{toBaseUrl()}</code>
        <Menu
          trigger={
            <Button look="quiet" aria-label={t.copyAddress} className="px-1.5">
              <Copy size={14} />
              <ChevronDown size={13} />
            </Button>
          }
          items={SNIPPETS.map(({ label, toText }) => ({
            label,
            onSelect: () => void copyText(toText(findSnippetModel()), t.copied(label)),
          }))}
        />
      </div>
      <ModeSwitch />
      <div className="flex-1" />
      <SpentToday />
      <Button look="plain" icon={<Search size={14} />} onClick={onSearch} className="text-ink-faint">
        <span className="hidden sm:inline">{search}</span>
        <span className="hidden lg:inline">
          <Keys keys="mod+k" />
        </span>
        <span className="sr-only sm:hidden">{search}</span>
      </Button>
    </header>
  );
}

function StatePill() {
  const state = useGatewayState();
  const { tone, word, effect } = state;
  return (
    <span
      role="status"
      title={toStateText(state)}
      className="flex items-center gap-2 text-sm font-medium whitespace-nowrap"
    >
      <StateMark tone={tone} />
      {/* What is usual needs no words where there is little room. */}
      <span className={tone === 'good' ? 'max-[23rem]:sr-only' : undefined}>
        {word}
        {effect !== null && <span className="font-normal text-ink-soft max-lg:sr-only"> · {effect}</span>}
      </span>
    </span>
  );
}

function SpentToday() {
  const { data: usd } = useQuery({ ...spentTodayQuery, enabled: useIsSettled() });
  if (usd === undefined) return null;
  const t = shellMessages().topBar;
  return (
    <span
      className="figures hidden text-sm whitespace-nowrap text-ink-faint sm:inline"
      title={t.spentToday(t.zones[getLocale().zone])}
    >
      <span className="hidden lg:inline">{t.today} </span>
      <span className="font-medium text-ink">{formatUsd(usd)}</span>
    </span>
  );
}

/** Keys as they are pressed: `mod+k`, or `g o`. */
export function Keys({ keys }: { keys: string }) {
  const isMac = navigator.platform.startsWith('Mac');
  const isPair = keys.includes(' ');
  const shown = (isPair ? keys : keys.replace(/\+[a-z]$/, (letter) => letter.toUpperCase()))
    .replace('mod', isMac ? '⌘' : shellMessages().help.ctrl)
    .replaceAll('+', ' ')
    .split(' ');
  return (
    <span className="flex gap-1">
      {shown.map((key) => (
        <kbd key={key} className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-2xs">
          {key}
        </kbd>
      ))}
    </span>
  );
}
