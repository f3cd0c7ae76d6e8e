import { dataMessages } from './messages.tsx';

/** What the configuration file alone decides about what is stored. */
export function StorageCard() {
  const t = dataMessages().storage;
  return (
    <section aria-label={t.title} className="card flex flex-col gap-2 p-4 text-sm">
      <h2 className="text-base font-semibold">{t.title}</h2>
      <p className="text-ink-soft">
        {t.text((name) => (
          <code className="rounded bg-raised px-1 font-mono text-xs">{name}</code>
        ))}
      </p>
    </section>
  );
}
