import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';

import { getDesktop } from '../../app/desktop.ts';
import { partMessages } from '../part-messages.ts';

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
      <ExternalLink size={11} className="ml-0.5 inline" />
      <span className="sr-only"> {partMessages().text.opensOutside}</span>
    </a>
  );
}

/** An address that may be offered to a person: https, with a host, and nothing that disguises it. Null for all others. */
export function toSafeLink(href: unknown): URL | null {
  if (typeof href !== 'string') return null;
  let url: URL;
  try {
    url = new URL(href.trim());
  } catch {
    return null;
  }
  // `https://bank.example@evil.example` looks like the one and leads to the other.
  const isPlain = url.protocol === 'https:' && url.hostname !== '' && url.username === '' && url.password === '';
  return isPlain ? url : null;
}
