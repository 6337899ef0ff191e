// Decodes the bytes of a page by the charset that the page or its server declares.
import { TextDecoder } from "node:util";

/** Bytes at the beginning of a page within which it declares its charset (WHATWG HTML, 13.2.3.2). */
const DECLARED_WITHIN = 1_024;
/** Usual charset of pages that declare none and are not UTF-8. */
const FALLBACK = "windows-1252";

/** Uses the byte order mark, the header, the page's declaration, or else detection. */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const marked = [...MARKS].find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0];
  const header = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1];
  const named = [marked, header, declared(bytes)].flatMap((name) => createDecoder(name) ?? [])[0];
  if (named) return named.decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(FALLBACK).decode(bytes);
  }
}

const MARKS: ReadonlyMap<string, readonly number[]> = new Map([
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16be", [0xfe, 0xff]],
  ["utf-16le", [0xff, 0xfe]],
]);

/** Charset of `<meta charset=…>`, its longer form, or an XML declaration. These are in ASCII, so UTF-16 is ignored. */
function declared(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARED_WITHIN));
  const name =
    /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  return name !== undefined && /^utf-?16/i.test(name) ? "utf-8" : name;
}

function createDecoder(name: string | undefined): TextDecoder | undefined {
  if (name === undefined) return undefined;
  try {
    return new TextDecoder(name);
  } catch {
    return undefined;
  }
}
