import { createLink } from '@tanstack/react-router';
import type { ComponentProps } from 'react';

import { classNames } from '../class-names.ts';

/** A link that looks like a button. */
export function PlainLinkButton({ className, ...rest }: ComponentProps<'a'>) {
  return (
    <a
      {...rest}
      className={classNames(
        'inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line-strong/50 px-2.5 py-1 text-sm whitespace-nowrap hover:bg-raised',
        className,
      )}
    />
  );
}

/** The same to a place in the UI. */
export const LinkButton = createLink(PlainLinkButton);
