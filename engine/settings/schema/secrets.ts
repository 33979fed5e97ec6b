// Secrets in answers: only enough is shown to recognise the secret.

/**
 * Number of bytes shown of a secret shorter than a number of bytes. The marks after them
 * distinguish the classes.
 */
const SHOWN: readonly (readonly [bytesBelow: number, bytesShown: number, marks: string])[] = [
  [10, 0, 'XXX...'],
  [20, 2, 'XXXX...'],
  [30, 3, 'XXXXX...'],
  [Number.POSITIVE_INFINITY, 5, 'XXXXXX...'],
]

/**
 * Returns the visible form of a secret. Sizes are in UTF-8 bytes; a character across the limit is
 * shown whole.
 */
export function maskSecret(secret: string): string {
  const bytes = utf8Bytes(secret)
  const [, shown, marks] = SHOWN.find(([below]) => bytes < below)!
  return firstBytes(secret, shown) + marks
}

const utf8Bytes = (text: string): number => {
  let bytes = 0
  for (const character of text) bytes += characterBytes(character)
  return bytes
}

const firstBytes = (text: string, count: number): string => {
  let prefix = ''
  let bytes = 0
  for (const character of text) {
    if (bytes >= count) break
    prefix += character
    bytes += characterBytes(character)
  }
  return prefix
}

const characterBytes = (character: string): number => {
  const code = character.codePointAt(0)!
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code < 0x10000 ? 3 : 4
}
