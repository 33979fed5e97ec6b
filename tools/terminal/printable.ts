// Texts of other people on a terminal: documents, names, answers of servers. A terminal obeys
// control characters, and shows letters in another order after marks of direction.

/** Control characters but tab and line feed, separators of lines, and marks of direction. */
export const UNPRINTABLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Writes such characters as the escapes of JSON: JSON stays the same value. */
export const printable = (text: string): string =>
  text.replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
