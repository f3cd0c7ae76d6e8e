import { Link, type LinkProps } from '@tanstack/react-router';
import { Maximize2 } from 'lucide-react';

/** Leads from a panel to the page of what it shows, which `Enter` on the row does, too. */
export function OpenPage(props: Pick<LinkProps, 'to' | 'params'>) {
  return (
    <Link
      {...props}
      className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-line-strong/50 px-2.5 py-1 text-sm whitespace-nowrap hover:bg-raised"
    >
      <Maximize2 size={14} aria-hidden /> Open page
    </Link>
  );
}
