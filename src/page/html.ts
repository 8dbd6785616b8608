/** Markup of ours: every text in it is escaped. Only `html` makes it. */
export interface Html {
  readonly markup: string;
}

/** What may stand in a template: texts are escaped, markup stays, undefined is left out. */
export type HtmlValue = string | number | Html | readonly Html[] | undefined;

/**
 * Markup from a template. Whatever is put in is text unless `html` made it, so that forgetting to escape is impossible;
 * attributes must stand in double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const markup = parts.map((part, index) => part + markupOf(values[index])).join('');
  return { markup };
}

/** Escapes a text for elements and quoted attributes, and makes characters visible that could make it look like another. */
export function escapeText(text: string): string {
  return text
    .replace(DECEIVING, (character) => `⟨U+${codeOf(character)}⟩`)
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A text of at most `limit` characters, with a sign where it was cut. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // A pair of surrogates is one character: cutting between them would leave half of one.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(limit - 1)) ? limit - 1 : limit;
  return `${text.slice(0, end)}…`;
}

/**
 * Control characters but tab and line feed, halves of surrogate pairs, and what reorders or hides text (Unicode TR 36).
 * The joiners U+200C and U+200D stay: scripts and emoji need them.
 */
const DECEIVING =
  /(?![\t\n])[\p{Cc}\p{Cs}\u00AD\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(value: HtmlValue): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'number') return String(value);
  if ('markup' in value) return value.markup;
  return value.map((one) => one.markup).join('');
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
