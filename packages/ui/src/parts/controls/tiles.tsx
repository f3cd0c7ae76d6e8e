import { Search } from 'lucide-react';
import type { ReactNode, Ref } from 'react';

interface TileSearchProps {
  /** For the key / of the screen, which leads here. */
  readonly ref?: Ref<HTMLInputElement>;
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Takes the first tile. */
  readonly onEnter: () => void;
}

/** The field above tiles that leaves those that fit. */
export function TileSearch({ ref, label, placeholder, value, onChange, onEnter }: TileSearchProps) {
  return (
    <div className="relative">
      <Search size={15} className="absolute top-2.5 left-2.5 text-ink-faint" />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        className="field pl-8"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter();
          // The browser empties it. In a dialog the key is the dialog's.
          if (event.key === 'Escape' && value === '' && ref !== undefined) event.currentTarget.blur();
        }}
      />
    </div>
  );
}

interface TileProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly note: string;
  readonly onChoose: () => void;
  /** Below the note. */
  readonly children?: ReactNode;
}

/** One of many things to begin with. */
export function Tile({ icon, name, note, onChoose, children }: TileProps) {
  return (
    <button
      type="button"
      onClick={onChoose}
      className="flex h-full w-full items-start gap-2.5 rounded-lg border border-line bg-surface p-3 text-left hover:border-accent hover:bg-raised"
    >
      <span className="mt-0.5 text-ink-faint">{icon}</span>
      <span className="min-w-0 flex-1">
        <span className="block text-sm font-medium">{name}</span>
        <span className="block text-xs break-words text-ink-faint">{note}</span>
        {children}
      </span>
    </button>
  );
}
