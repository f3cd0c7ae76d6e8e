import type { ReactNode } from 'react';

import { classNames } from './class-names.ts';

const TONES = {
  neutral: 'bg-raised text-ink-soft',
  good: 'bg-good-soft text-good',
  caution: 'bg-caution-soft text-caution',
  bad: 'bg-bad-soft text-bad',
  accent: 'bg-accent-soft text-accent',
} as const;

export type Tone = keyof typeof TONES;

/** A short word about a thing. Its meaning is in the word; the colour only helps. */
export function Badge({ tone = 'neutral', title, children }: { tone?: Tone; title?: string; children: ReactNode }) {
  return (
    <span
      title={title}
      className={classNames(
        'inline-flex items-center gap-1 rounded px-1.5 py-px text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}
