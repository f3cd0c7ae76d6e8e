import { isRecord, type Unchecked } from '../../foundation/parse.ts';

/** Writes the input of one call after the other, piece by piece. */
export interface InputWriter {
  begin(): void;
  write(text: string): void;
  end(): void;
}

/** Clients refuse a stream whose input is no JSON, so what does not begin as an object waits for its end. */
export function createInputWriter(emit: (json: string) => void): InputWriter {
  let isObject = false;
  /** What has come before that is known. */
  let beginning = '';
  return {
    begin() {
      isObject = false;
      beginning = '';
    },
    write(text) {
      if (isObject) {
        emit(text);
        return;
      }
      beginning += text;
      isObject = beginning.trimStart().startsWith('{');
      if (isObject) emit(beginning);
    },
    end() {
      if (!isObject && beginning.trim() !== '') emit(JSON.stringify(toInput(beginning)));
    },
  };
}

/** Models write arguments that are no JSON; the form has no other place for them than a member of an object. */
export function toInput(text: string): Unchecked {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : { value };
  } catch {
    return { arguments: text };
  }
}
