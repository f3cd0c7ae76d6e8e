interface ProgressBarProps {
  readonly label: string;
  /** In words, with what has failed. */
  readonly text: string;
  readonly total: number;
  readonly done: number;
  readonly failed?: number;
  readonly className?: string;
}

/** How much of something is done, and how much of that has failed. */
export function ProgressBar({ label, text, total, done, failed = 0, className = 'h-1.5 w-16' }: ProgressBarProps) {
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done + failed}
      aria-valuetext={text}
      className={`flex shrink-0 overflow-hidden rounded-full bg-line ${className}`}
    >
      <span className="h-full bg-accent forced-color-adjust-none" style={{ width: toWidth(done, total) }} />
      <span className="h-full bg-bad forced-color-adjust-none" style={{ width: toWidth(failed, total) }} />
    </span>
  );
}

const toWidth = (part: number, total: number): string => `${total === 0 ? 0 : (part / total) * 100}%`;
