import { ExternalLink } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';

import { getDesktop } from '../../app/desktop.ts';
import { useOutcome } from '../messages/toast-store.ts';
import { partMessages } from '../part-messages.ts';

/** A link to another site, which opens outside of this page: in a tab of its own, of the desktop app in the browser. */
export function OutsideLink({ url, children }: { url: URL; children: ReactNode }) {
  const open = useOpenOutside();
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent underline underline-offset-2"
      onClick={(event) => open(event, url)}
    >
      {children}
      <ExternalLink size={11} className="ml-0.5 inline" />
      <span className="sr-only"> {partMessages().text.opensOutside}</span>
    </a>
  );
}

/** Has the desktop app open a link that was clicked, and says where it does not. Browsers follow it by themselves. */
export function useOpenOutside(): (event: MouseEvent, url: URL) => void {
  const { ask } = useOutcome();
  return (event, url) => {
    const desktop = getDesktop();
    if (desktop === undefined) return;
    event.preventDefault();
    void ask(desktop.openLink(url.href));
  };
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
