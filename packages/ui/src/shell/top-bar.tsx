import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Copy, LogOut, Search } from 'lucide-react';

import { spentTodayQuery } from '../api/queries.ts';
import { getSession } from '../api/session.ts';
import { SNIPPETS, toBaseUrl } from '../app/base-url.ts';
import { useDesktopInfo } from '../app/desktop.ts';
import { toStateText, useGatewayState } from '../app/gateway-state.ts';
import { signOut } from '../app/sign-in.ts';
import { formatUsd } from '../format/money.ts';
import { StateMark } from '../parts/badge.tsx';
import { Button } from '../parts/controls/button.tsx';
import { copyText } from '../parts/controls/copy-button.tsx';
import { Menu } from '../parts/controls/menu.tsx';
import { useIsSettled } from '../parts/use-is-settled.ts';
import { ModeSwitch } from './mode/mode-switch.tsx';

/** State of the gateway, its address, what was spent today, and the way to everything else. */
export function TopBar({ onSearch }: { onSearch: () => void }) {
  // The address below follows the port.
  useDesktopInfo();
  return (
    <header className="flex h-13 shrink-0 items-center gap-1.5 border-b border-line bg-surface px-2 sm:gap-3 sm:px-4">
      <StatePill />
      <div className="hidden min-w-0 items-center gap-1 sm:flex">
        <code className="hidden truncate font-mono text-xs text-ink-soft md:block">{toBaseUrl()}</code>
        <Menu
          trigger={
            <Button look="quiet" aria-label="Copy address or snippet" className="px-1.5">
              <Copy size={14} />
              <ChevronDown size={13} />
            </Button>
          }
          items={SNIPPETS.map(({ label, toText }) => ({
            label,
            onSelect: () => void copyText(toText('demo/chat'), `Copied: ${label}`),
          }))}
        />
      </div>
      <ModeSwitch />
      <div className="flex-1" />
      <SpentToday />
      <Button look="plain" icon={<Search size={14} />} onClick={onSearch} className="text-ink-faint">
        <span className="hidden sm:inline">Search</span>
        <kbd className="hidden rounded border border-line bg-raised px-1 font-mono text-2xs lg:inline">Ctrl K</kbd>
        <span className="sr-only sm:hidden">Search</span>
      </Button>
      {getSession().type === 'cookie' && (
        <Button
          look="quiet"
          aria-label="Sign out"
          title="Sign out"
          icon={<LogOut size={15} />}
          onClick={() => void signOut()}
        />
      )}
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
  return (
    <span
      className="figures hidden text-sm whitespace-nowrap text-ink-faint sm:inline"
      title="Spent since midnight (browser time)"
    >
      <span className="hidden lg:inline">today </span>
      <span className="font-medium text-ink">{formatUsd(usd)}</span>
    </span>
  );
}
