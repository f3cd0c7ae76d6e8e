import { Check, Copy } from 'lucide-react';
import { type ComponentProps, useEffect, useState } from 'react';

import { showToast } from '../messages/toast-store.ts';
import { partMessages } from '../part-messages.ts';
import { Button } from './button.tsx';

interface CopyButtonProps extends Pick<ComponentProps<typeof Button>, 'look' | 'className'> {
  readonly text: string | (() => string);
  readonly label: string;
  /** Shows the icon alone; the label is read out all the same. */
  readonly isIcon?: boolean;
}

export function CopyButton({ text, label, isIcon = false, look = 'plain', className }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    setIsCopied(await copyText(typeof text === 'string' ? text : text()));
  };
  const icon = isCopied ? <Check size={14} className="text-good" /> : <Copy size={14} />;
  return (
    <Button
      look={look}
      icon={icon}
      aria-label={isIcon ? label : undefined}
      title={isIcon ? label : undefined}
      className={className}
      onClick={() => void copy()}
    >
      {isIcon ? null : isCopied ? partMessages().actions.copied : label}
    </Button>
  );
}

/** Puts a text on the clipboard; where the browser forbids it, says that. Resolves to whether it is there. */
export async function copyText(text: string, note?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    if (note !== undefined) showToast({ tone: 'good', title: note });
    return true;
  } catch {
    showToast({ tone: 'bad', title: partMessages().notCopied, detail: text });
    return false;
  }
}
