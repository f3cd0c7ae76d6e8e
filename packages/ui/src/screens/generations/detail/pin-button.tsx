import { Pin, PinOff } from 'lucide-react';

import { usePreferences } from '../../../app/preferences.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { togglePin } from '../list/pins.ts';

export function PinButton({ id }: { id: string }) {
  const isPinned = usePreferences().pins.includes(id);
  const label = isPinned ? 'Unpin' : 'Pin';
  return (
    <Button
      look="quiet"
      aria-label={label}
      aria-pressed={isPinned}
      title={`${label} (p)`}
      className={isPinned ? 'text-accent' : ''}
      icon={isPinned ? <PinOff size={15} aria-hidden /> : <Pin size={15} aria-hidden />}
      onClick={() => togglePin(id)}
    />
  );
}
