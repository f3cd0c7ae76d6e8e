import type { ReactNode } from 'react';

import { Checkbox, Folded } from '../../../parts/controls/field.tsx';
import { LabelledInput, LabelledSelect } from '../../../parts/controls/labelled.tsx';
import { OutsideLink, toSafeLink } from '../../../parts/text/outside-link.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { providerSetupMessages } from './messages.ts';
import { asksForAddress, isOfPackage, needsAddress, type ProviderDraft } from './provider-draft.ts';
import type { ProviderPreset } from './setup-queries.ts';

interface ProviderFieldsProps {
  readonly draft: ProviderDraft;
  readonly onChange: (change: Partial<ProviderDraft>) => void;
  /** The gateway's message about a field, by its name there. */
  readonly issue: (field: string) => string | undefined;
  /** Set where the provider is there already: its slug stays, and an empty key leaves the key as it is. */
  readonly existing?: { readonly keyHint: string | null; readonly hasKey: boolean };
}

/** What is asked of a provider: its key or address, and the rest under “More”. */
export function ProviderFields(props: ProviderFieldsProps) {
  const t = providerSetupMessages().fields;
  const { draft, onChange, issue, existing } = props;
  const { preset } = draft;
  const isShort = asksForAddress(draft);
  const ofPackage = isOfPackage(draft);
  const hasIssue = ['name', 'slug', 'region', ...(isShort ? [] : ['baseUrl'])].some(
    (field) => issue(field) !== undefined,
  );
  return (
    <>
      {isShort && <AddressField {...props} />}
      {ofPackage && (
        <LabelledInput
          label={t.package}
          hint={t.packageHint}
          error={issue('package')}
          autoComplete="off"
          spellCheck={false}
          className="field font-mono"
          required
          placeholder="@ai-sdk/cohere"
          value={draft.packageName}
          onChange={(packageName) => onChange({ packageName })}
        />
      )}
      <LabelledInput
        label={t.key}
        hint={toKeyHint(draft, existing)}
        error={issue('apiKey')}
        type="password"
        autoComplete="off"
        spellCheck={false}
        className="field font-mono"
        placeholder={existing?.keyHint ?? undefined}
        required={existing === undefined && (preset?.needs_key === true || ofPackage) && draft.keys.length === 0}
        disabled={draft.removesKey}
        value={draft.key}
        data-first-focus={isShort ? undefined : true}
        onChange={(key) => onChange({ key })}
      />
      {existing?.hasKey === true && (
        <Checkbox
          label={t.removeKey}
          hint={t.removeKeyHint}
          checked={draft.removesKey}
          onChange={(event) => onChange({ removesKey: event.target.checked, key: '' })}
        />
      )}
      <Folded title={t.more} hasIssue={hasIssue}>
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          {!isShort && <AddressField {...props} />}
          {preset === null && existing === undefined && (
            <LabelledSelect
              label={t.format}
              hint={t.formatHint}
              error={issue('wire')}
              value={draft.wire}
              options={Object.entries(t.wires)}
              onChange={(wire) => onChange({ wire: wire as ProviderDraft['wire'] })}
            />
          )}
          <TextField {...props} field="name" label={t.name} hint={t.nameHint} placeholder={preset?.name} />
          {existing === undefined && <TextField {...props} field="slug" label={t.slug} hint={t.slugHint} />}
          <TextField {...props} field="region" label={t.region} placeholder="eu" />
        </div>
      </Folded>
      <AdvancedFields draft={draft} onChange={onChange} issue={issue} />
    </>
  );
}

function toKeyHint({ preset }: ProviderDraft, existing: ProviderFieldsProps['existing']): ReactNode {
  const t = providerSetupMessages().fields;
  const page = preset === null ? null : <KeyPage preset={preset} />;
  if (existing?.hasKey === true)
    return (
      <>
        {t.keepKey} {page}
      </>
    );
  if (preset?.needs_key !== true) return t.optionalKey;
  return (
    <>
      {preset.key_page === null ? t.createKeyIn(preset.name) : page} {t.kept}
    </>
  );
}

/** Leads to where keys are made, outside of this page. */
function KeyPage({ preset: { name, key_page: page } }: { preset: ProviderPreset }) {
  const link = toSafeLink(page);
  if (link === null) return null;
  return <OutsideLink url={link}>{providerSetupMessages().fields.createKeyAt(name, link.hostname)}</OutsideLink>;
}

function AddressField({ draft, onChange, issue }: ProviderFieldsProps) {
  const t = providerSetupMessages().fields;
  const { preset } = draft;
  return (
    <LabelledInput
      label={t.address}
      hint={t.addressHint}
      error={issue('baseUrl')}
      inputMode="url"
      autoComplete="off"
      spellCheck={false}
      className="field font-mono"
      required={needsAddress(draft)}
      placeholder={
        preset?.base_url ?? preset?.address_example ?? (isOfPackage(draft) ? '' : 'https://models.example/v1')
      }
      value={draft.address}
      data-first-focus={asksForAddress(draft) || undefined}
      onChange={(address) => onChange({ address })}
    />
  );
}

interface TextFieldProps extends ProviderFieldsProps {
  readonly field: 'name' | 'slug' | 'region';
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string | undefined;
}

function TextField({ field, label, hint, placeholder, draft, onChange, issue }: TextFieldProps) {
  return (
    <LabelledInput
      label={label}
      hint={hint}
      error={issue(field)}
      autoComplete="off"
      required={field === 'slug'}
      placeholder={placeholder}
      value={draft[field]}
      onChange={(text) => onChange({ [field]: text })}
    />
  );
}
