import { kindMessages } from './messages.ts';

/** Pictures of kinds that a browser draws, and that can hold no script. */
const DRAWN = /^data:image\/(png|jpeg|webp|gif|avif);base64,[\w+/]+={0,2}$/i;

/** Images that a model has made. One that is pressed is saved. */
export function MadeImages({ urls }: { urls: readonly string[] }) {
  const { images: t } = kindMessages();
  return (
    <ul className="flex flex-wrap gap-3">
      {urls.map((url, at) => {
        const [, ending = ''] = DRAWN.exec(url) ?? [];
        return ending === '' ? null : (
          <li key={at} className="min-w-0">
            <a href={url} download={`image-${at + 1}.${ending}`} title={t.save}>
              <img src={url} alt={t.made(at + 1)} className="max-h-96 max-w-full rounded-lg border border-line" />
            </a>
          </li>
        );
      })}
    </ul>
  );
}
