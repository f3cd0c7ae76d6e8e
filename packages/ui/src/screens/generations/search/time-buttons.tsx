import type { GenerationSearch } from '../../../features/generations/search/generation-search.ts';
import { PERIODS } from '../../../format/time.ts';
import { classNames } from '../../../parts/class-names.ts';

interface TimeButtonsProps {
  readonly search: Pick<GenerationSearch, 'range' | 'from' | 'to'>;
  readonly onChange: (change: { range: string | undefined; from: undefined; to: undefined }) => void;
}

/** Spans of time, each one click away. */
export function TimeButtons({ search, onChange }: TimeButtonsProps) {
  const isSpan = search.from !== undefined || search.to !== undefined;
  const choices = [
    ...Object.entries(PERIODS).map(([value, { label, short }]) => ({ value, label, short })),
    { value: undefined, label: 'Any time', short: 'Any time' },
  ];
  return (
    <div
      role="group"
      aria-label="Time"
      className="flex flex-wrap gap-px overflow-hidden rounded-md border border-line-strong/50 bg-line max-[430px]:grid max-[430px]:grid-cols-3"
    >
      {choices.map(({ value, label, short }) => (
        <TimeButton
          key={short}
          label={label}
          isPressed={!isSpan && search.range === value}
          onClick={() => onChange({ range: value, from: undefined, to: undefined })}
        >
          {short}
        </TimeButton>
      ))}
      {isSpan && (
        <TimeButton label="Chosen span" isPressed>
          Chosen span
        </TimeButton>
      )}
    </div>
  );
}

interface TimeButtonProps {
  readonly label: string;
  readonly isPressed: boolean;
  readonly onClick?: () => void;
  readonly children: string;
}

function TimeButton({ label, isPressed, onClick, children }: TimeButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      className={classNames(
        'min-h-8 flex-1 px-2 text-sm whitespace-nowrap outline-offset-[-2px] nth-7:max-[430px]:col-span-3',
        isPressed ? 'bg-accent-soft font-medium text-accent' : 'bg-surface text-ink-soft hover:bg-raised',
      )}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
