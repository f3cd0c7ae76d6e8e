import { Link, type LinkProps, useNavigate } from '@tanstack/react-router';
import { ArrowLeft } from 'lucide-react';

import { useShortcut } from '../../app/shortcuts.ts';

interface BackLinkProps {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
}

/** Leads from a page to the list that it belongs to, as `Escape` does. */
export function BackLink({ to, label }: BackLinkProps) {
  const navigate = useNavigate();
  useShortcut({ keys: 'Escape', label: 'Back to the list', group: 'This screen' }, () => void navigate({ to }));
  return (
    <Link
      to={to}
      className="inline-flex min-h-8 items-center gap-1 self-start rounded-md pr-2 text-sm text-ink-soft hover:text-ink"
    >
      <ArrowLeft size={15} aria-hidden /> {label}
    </Link>
  );
}
