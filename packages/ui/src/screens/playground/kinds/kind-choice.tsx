import { Choice } from '../../../parts/controls/field.tsx';
import { Select } from '../../../parts/controls/select.tsx';
import { useNavigateWithin } from '../../../parts/use-navigate-within.ts';
import { useMedia } from '../../../parts/use-width.ts';
import type { BenchKind } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';

/** Which kind of call the playground makes. It is part of the address. */
export function KindChoice({ kind }: { kind: BenchKind | undefined }) {
  const t = benchKindMessages();
  const navigate = useNavigateWithin('/playground');
  const isWide = useMedia('(min-width: 40rem)');
  const choose = (next: keyof typeof t.names): void =>
    void navigate({ search: next === 'chat' ? {} : { kind: next }, replace: true });
  return (
    <div className="flex shrink-0">
      {isWide ? (
        <Choice label={t.kinds} value={kind ?? 'chat'} options={t.names} onChange={choose} />
      ) : (
        // In a narrow window the buttons would take two rows of the conversation.
        <Select
          label={t.kinds}
          className="w-full"
          value={kind ?? 'chat'}
          options={Object.entries(t.names) as [keyof typeof t.names, string][]}
          onChange={choose}
        />
      )}
    </div>
  );
}
