// Emoji and other pictures (★ ♪ ✓), which are words of their own wherever they stand. One consists
// of a picture and the characters that change it: skin tones, selectors, tags, and further pictures
// behind joiners.

const JOINER = 0x200d
const REGIONAL_FIRST = 0x1f1e6
const REGIONAL_LAST = 0x1f1ff

/** By code point: 1 for a picture, 2 for none, 0 if not looked up yet. */
const lower = new Uint8Array(0x900)
const upper = new Uint8Array(0xb00)

/**
 * Returns true for a picture. Signs that stand for letters (Ⓜ, ㊗) do not count: their normal
 * forms are these letters. Patterns of Braille are letters, too.
 */
export function isEmoji(point: number): boolean {
  const isUpper = point >= 0x1f000 && point < 0x1fb00
  if (!isUpper && (point < 0x2300 || point >= 0x2c00)) return false
  const table = isUpper ? upper : lower
  const at = point - (isUpper ? 0x1f000 : 0x2300)
  if (table[at] === 0) table[at] = isPicture(String.fromCodePoint(point)) ? 1 : 2
  return table[at] === 1
}

const isPicture = (char: string): boolean =>
  /^(?![\u2800-\u28ff])[\p{Extended_Pictographic}\p{S}]/u.test(char) &&
  char.normalize('NFKD') === char

/** Returns the end of the emoji at `at`, in UTF-16 units; `at` if another character stands there. */
export function emojiEnd(text: string, at: number, to: number): number {
  if (text.charCodeAt(at) < 0x2300) return at
  const first = text.codePointAt(at)!
  if (!isEmoji(first)) return at
  let end = at + (first > 0xffff ? 2 : 1)
  if (isRegional(first) && end < to && isRegional(text.codePointAt(end)!)) return end + 2
  while (end < to) {
    const point = text.codePointAt(end)!
    if (changes(point)) end += point > 0xffff ? 2 : 1
    else if (point === JOINER && end + 1 < to && isEmoji(text.codePointAt(end + 1)!)) {
      end += text.codePointAt(end + 1)! > 0xffff ? 3 : 2
    } else break
  }
  return end
}

const isRegional = (point: number): boolean => point >= REGIONAL_FIRST && point <= REGIONAL_LAST

/** Returns true for selectors, the keycap, skin tones and tags. */
const changes = (point: number): boolean =>
  point === 0xfe0e ||
  point === 0xfe0f ||
  point === 0x20e3 ||
  (point >= 0x1f3fb && point <= 0x1f3ff) ||
  (point >= 0xe0020 && point <= 0xe007f)
