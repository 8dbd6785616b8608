/**
 * Text that a terminal shows as it is: control characters other than line feed and tab (C0, DEL, C1), line separators
 * and the characters that turn the direction of writing become `\uXXXX`. JSON stays the same JSON, for there they
 * stand only inside strings.
 */
export function printable(text: string): string {
  return text.replaceAll(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The bidirectional controls of UAX #9, section 2, among them. */
const UNPRINTABLE = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
