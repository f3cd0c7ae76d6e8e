import type { PanelCall, PanelInfo } from '../desktop-bridge.ts';
import type { Messages } from '../messages/index.ts';
import { Badge } from '../parts/badge.tsx';
import { createFormats } from './formats.ts';

interface CallListProps {
  readonly info: PanelInfo;
  readonly words: Messages['panel'];
  readonly onOpen: (id: string) => void;
}

const TONES = { ok: 'good', failed: 'bad', cancelled: 'neutral', interrupted: 'bad' } as const;

/** The latest calls, newest first. Each opens in the main window. */
export function CallList({ info: { language, latest }, words, onOpen }: CallListProps) {
  const { time, usd } = createFormats(language);
  const costOf = ({ costUsd }: PanelCall): string => (costUsd === null ? '—' : usd(costUsd));
  return (
    <section aria-label={words.latest} className="card flex shrink-0 flex-col p-1">
      <h2 className="px-2 pt-1 text-xs font-medium text-ink-faint">{words.latest}</h2>
      {latest.length === 0 ? (
        <p className="px-2 py-3 text-sm text-ink-faint">{words.noCalls}</p>
      ) : (
        <ul>
          {latest.map((call) => (
            <li key={call.id}>
              <button
                type="button"
                onClick={() => onOpen(call.id)}
                className="flex min-h-8 w-full items-center gap-2 rounded-md px-2 text-left text-sm hover:bg-raised"
              >
                <span className="figures shrink-0 text-xs text-ink-faint">{time(call.at)}</span>
                <span title={call.model} className="min-w-0 flex-1 truncate">
                  {call.model}
                </span>
                <span title={call.costUsd === null ? words.unknownCost : undefined} className="figures text-xs">
                  {costOf(call)}
                </span>
                <Badge tone={TONES[call.status]}>{words.statuses[call.status]}</Badge>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
