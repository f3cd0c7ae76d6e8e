import type { MediaInput } from '@model-gateway/core/wire';

import { Badge } from './badge.tsx';
import { partMessages } from './part-messages.ts';
import { showControls } from './text/show-controls.ts';

/** Whole pictures of kinds that a browser draws, and that can hold no script. */
const DRAWN = /^data:image\/(?:png|jpeg|webp|gif|avif);base64,[\w+/]+={0,2}$/i;
const SHOWN_LENGTH = 200;

const toLabel = ({ type, frame }: MediaInput): string => showControls(frame ?? type).replaceAll('_', ' ');

/** What went in with a prompt: pictures as such, where they are stored whole; addresses as text, which nothing is loaded from. */
export function MediaInputs({ media }: { media: readonly MediaInput[] }) {
  const t = partMessages().text;
  if (media.length === 0) return null;
  return (
    <ul aria-label={t.inputs} className="mt-2 flex flex-wrap gap-3 text-xs">
      {media.map((input, at) => (
        <li key={at} className="flex min-w-0 flex-col items-start gap-1">
          <Badge>{toLabel(input)}</Badge>
          {DRAWN.test(input.url) ? (
            <img
              src={input.url}
              alt={t.inputOfPrompt(toLabel(input))}
              className="max-h-48 max-w-full rounded-md border border-line object-contain"
            />
          ) : (
            <code className="font-mono break-all text-ink-faint">{showControls(input.url.slice(0, SHOWN_LENGTH))}</code>
          )}
        </li>
      ))}
    </ul>
  );
}
