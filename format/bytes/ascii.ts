// Bytes of ASCII characters, for readers and writers of JSON, CSV and lines. `BRACKET` and `BRACE`
// open, `BRACKET_END` and `BRACE_END` close.

export const TAB = 0x09
export const NEWLINE = 0x0a
export const RETURN = 0x0d
export const SPACE = 0x20
export const QUOTE = 0x22
export const HASH = 0x23
export const PERCENT = 0x25
export const AMPERSAND = 0x26
export const PLUS = 0x2b
export const COMMA = 0x2c
export const MINUS = 0x2d
export const POINT = 0x2e
export const SLASH = 0x2f
export const ZERO = 0x30
export const NINE = 0x39
export const COLON = 0x3a
export const SEMICOLON = 0x3b
export const UPPER_E = 0x45
export const BRACKET = 0x5b
export const BACKSLASH = 0x5c
export const BRACKET_END = 0x5d
export const LETTER_A = 0x61
export const LETTER_E = 0x65
export const LETTER_F = 0x66
export const LETTER_N = 0x6e
export const LETTER_T = 0x74
export const LETTER_U = 0x75
export const LETTER_X = 0x78
export const BRACE = 0x7b
export const BRACE_END = 0x7d
