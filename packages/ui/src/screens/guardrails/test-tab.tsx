import { Choice } from '../../parts/controls/field.tsx';
import { DryRun, type useDryRun } from './dry-run.tsx';
import { TextTester } from './text-tester.tsx';
import { trialMessages } from './trial-messages.ts';

/** What the guardrail is tried on: a prompt that is typed, or requests that are stored. */
export type TestKind = 'prompt' | 'past';

interface TestTabProps {
  readonly guardrailId: string;
  /** What is not saved yet. */
  readonly change: Record<string, unknown>;
  readonly dryRun: ReturnType<typeof useDryRun>;
  /** How many keys the guardrail is assigned to. */
  readonly keyCount: number;
  readonly kind: TestKind;
  readonly onKind: (kind: TestKind) => void;
}

/** Tries the guardrail as the form has it. */
export function TestTab({ guardrailId, change, dryRun, keyCount, kind, onKind }: TestTabProps) {
  const t = trialMessages();
  return (
    <div className="scroll-thin flex h-full flex-col gap-4 overflow-y-auto p-4">
      <div>
        <Choice
          label={t.kinds.label}
          value={kind}
          options={{ prompt: t.kinds.prompt, past: t.kinds.past }}
          onChange={onKind}
        />
      </div>
      {Object.keys(change).length > 0 && (
        <p className="rounded-lg bg-caution-soft p-2.5 text-sm text-caution">{t.unsaved}</p>
      )}
      {kind === 'prompt' ? (
        <TextTester guardrailId={guardrailId} change={change} />
      ) : (
        <DryRun dryRun={dryRun} keyCount={keyCount} />
      )}
    </div>
  );
}
