import { Lock } from 'lucide-react';

/** Marks what the configuration file says. */
export function FromConfig() {
  return (
    <span className="inline-flex items-center gap-1 text-xs font-normal text-ink-faint">
      <Lock size={11} aria-hidden className="shrink-0" /> from the configuration file, and changed there alone
    </span>
  );
}
