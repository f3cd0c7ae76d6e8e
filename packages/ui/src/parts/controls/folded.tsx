import { type ReactNode, useState } from 'react';

import { classNames } from '../class-names.ts';

interface FoldedProps {
  readonly title: ReactNode;
  /** Whether something in it is wrong, which must be seen. It stays open then: what is mended is not folded away. */
  readonly hasIssue: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Fields that few need, folded away at first. */
export function Folded({ title, hasIssue, className, children }: FoldedProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (hasIssue && !isOpen) setIsOpen(true);
  return (
    <details
      open={isOpen}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
      className={classNames('text-sm', className)}
    >
      <summary className="w-fit rounded text-accent">{title}</summary>
      {children}
    </details>
  );
}
