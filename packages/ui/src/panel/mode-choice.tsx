import type { Mode, PanelInfo } from '../desktop-bridge.ts';
import type { Messages } from '../messages/index.ts';
import { classNames } from '../parts/class-names.ts';

interface ModeChoiceProps {
  readonly info: PanelInfo;
  readonly messages: Messages;
  readonly onChange: (mode: Mode) => void;
}

const MODES: readonly Mode[] = ['live', 'replay', 'record'];

/** The modes side by side; one that is of no use at the moment says why. */
export function ModeChoice({ info: { mode, isDemo, obstacles }, messages, onChange }: ModeChoiceProps) {
  return (
    <div
      role="radiogroup"
      aria-label={messages.panel.mode}
      className="flex rounded-md border border-line-strong/50 bg-surface p-0.5"
    >
      {MODES.map((option) => {
        const obstacle = obstacles[option] ?? null;
        return (
          <button
            key={option}
            type="button"
            role="radio"
            aria-checked={option === mode}
            disabled={obstacle !== null}
            title={obstacle ?? undefined}
            onClick={() => onChange(option)}
            className={classNames(
              'min-h-7 flex-auto rounded px-2 text-sm whitespace-nowrap disabled:opacity-55',
              option === mode ? 'bg-accent-soft font-medium text-accent' : 'text-ink-soft hover:text-ink',
            )}
          >
            {isDemo && option === 'live' ? messages.modes.demo : messages.modes[option]}
          </button>
        );
      })}
    </div>
  );
}
