import type { ReactNode } from 'react';

import { formatFull, formatRelative } from '../../format/time.ts';

interface MomentProps {
  readonly at: string;
  readonly className?: string;
  /** How it is written; else `3 minutes ago`. */
  readonly children?: ReactNode;
}

/** A moment, to the second where the pointer rests on it. */
export function Moment({ at, className, children }: MomentProps) {
  return (
    <time dateTime={at} title={formatFull(at)} className={className}>
      {children ?? formatRelative(at)}
    </time>
  );
}
