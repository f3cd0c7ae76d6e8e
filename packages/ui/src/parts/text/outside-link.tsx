import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';

import { getDesktop } from '../../app/desktop.ts';

/** A link to another site, which opens outside of this page: in a tab of its own, of the desktop app in the browser. */
export function OutsideLink({ url, children }: { url: URL; children: ReactNode }) {
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent underline underline-offset-2"
      onClick={(event) => {
        const desktop = getDesktop();
        if (desktop === undefined) return;
        event.preventDefault();
        void desktop.openLink(url.href);
      }}
    >
      {children}
      <ExternalLink size={11} aria-hidden className="ml-0.5 inline" />
      <span className="sr-only"> (opens outside of this page)</span>
    </a>
  );
}
