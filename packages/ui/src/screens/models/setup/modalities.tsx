import { issueFor } from '../../../parts/controls/field.tsx';
import type { ModelDraft } from './model-draft.ts';

interface ModalitiesProps {
  readonly draft: ModelDraft;
  readonly onChange: (change: Partial<ModelDraft>) => void;
  readonly error: unknown;
}

const KINDS = [
  {
    field: 'inputs',
    path: 'architecture.input_modalities',
    legend: 'Takes',
    known: ['text', 'image', 'file', 'audio', 'video'],
  },
  {
    field: 'outputs',
    path: 'architecture.output_modalities',
    legend: 'Makes',
    known: ['text', 'image', 'audio', 'video', 'embeddings'],
  },
] as const;

/** What a model takes and makes. None of a kind: not known, so nothing is refused. */
export function Modalities({ draft, onChange, error }: ModalitiesProps) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {KINDS.map(({ field, path, legend, known }) => {
        const chosen = draft[field];
        const message = issueFor(error, path);
        const all = [...known, ...chosen.filter((one) => !(known as readonly string[]).includes(one))];
        return (
          <fieldset key={field} className="min-w-0 text-sm">
            <legend className="mb-1 font-medium">{legend}</legend>
            <div className="flex flex-wrap gap-x-4 gap-y-1">
              {all.map((modality) => (
                <label key={modality} className="flex cursor-pointer items-center gap-1.5">
                  <input
                    type="checkbox"
                    className="size-4 accent-accent"
                    checked={chosen.includes(modality)}
                    onChange={(event) =>
                      onChange({
                        [field]: event.target.checked
                          ? [...chosen, modality]
                          : chosen.filter((other) => other !== modality),
                      })
                    }
                  />
                  {modality}
                </label>
              ))}
            </div>
            <p className={message === undefined ? 'mt-1 text-xs text-ink-faint' : 'mt-1 text-xs text-bad'}>
              {message ?? 'None: not known, and nothing is refused'}
            </p>
          </fieldset>
        );
      })}
    </div>
  );
}
