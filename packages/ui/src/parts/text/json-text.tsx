import { Code } from './code.tsx';
import { LongText } from './long-text.tsx';

/** Above this it is shown in lines: laying out so much at once would hold up the page. */
const MAX_CHARACTERS = 50_000;

/** What a model wrote as JSON, such as the arguments of a tool: set out over lines, or as it is where it is none. */
export function JsonText({ text }: { text: string }) {
  const json = setOut(text);
  if (json.length > MAX_CHARACTERS) return <LongText text={json} />;
  return (
    <div className="font-mono text-xs break-all whitespace-pre-wrap">
      <Code text={json} language="json" />
    </div>
  );
}

function setOut(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
