import { Choice } from '../../../parts/controls/field.tsx';
import { useNavigateWithin } from '../../../parts/use-navigate-within.ts';
import type { BenchKind } from './kind-spec.ts';
import { benchKindMessages } from './messages.ts';

/** Which kind of call the playground makes. It is part of the address. */
export function KindChoice({ kind }: { kind: BenchKind | undefined }) {
  const t = benchKindMessages();
  const navigate = useNavigateWithin('/playground');
  return (
    <div className="flex shrink-0">
      <Choice
        label={t.kinds}
        value={kind ?? 'chat'}
        options={t.names}
        onChange={(next) => void navigate({ search: next === 'chat' ? {} : { kind: next }, replace: true })}
      />
    </div>
  );
}
